import { on, onWord, rowsFor, table } from './rule.js'

/** Programs that speak with other machines, clouds and databases. */

const SPEAKS = 'contacts another machine'

export const REMOTE = table(
  rowsFor('curl', 'network', SPEAKS, {
    additions: [
      on('-o -O --output --remote-name --remote-name-all -J -D --dump-header -c --cookie-jar', 'write', 'writes files'),
      on('-K --config', 'other', 'takes options from a file'),
      onWord(/^(?:DELETE)$/, 'destructive', 'deletes remote data'),
    ],
  }),
  rowsFor('wget aria2c axel', ['network', 'write'], 'downloads files', {
    additions: [on('--use-askpass -e --execute --config', 'other', 'starts another program')],
  }),
  rowsFor('ssh mosh telnet rsh rlogin', ['network', 'other'], 'runs commands on another machine'),
  rowsFor('scp sftp ftp lftp rclone s3cmd tftp', ['network', 'write'], 'moves files between machines', {
    additions: [onWord(/^(?:delete|purge|rm|del|sync)$/, 'destructive', 'deletes remote data')],
  }),
  rowsFor('rsync', ['network', 'write'], 'copies files, perhaps between machines', {
    additions: [
      on(
        '--delete --del --delete-before --delete-during --delete-after --delete-excluded --remove-source-files',
        'destructive',
        'deletes files',
      ),
      on('-e --rsh', 'other', 'starts another program'),
    ],
  }),
  rowsFor(
    'nc ncat netcat socat ping ping6 traceroute tracepath mtr dig host nslookup whois nmap arp ip ifconfig route ss netstat iwconfig tcpdump http https httpie xh grpcurl websocat openssl ngrok cloudflared',
    'network',
    SPEAKS,
    {
      additions: [
        on('-e -c --exec --sh-exec', 'other', 'starts another program'),
        onWord(/exec:|system:/i, 'other', 'starts another program'),
      ],
    },
  ),
  rowsFor('gh glab hub', 'network', SPEAKS, {
    additions: [
      onWord(
        /^(?:delete|remove|close|merge|publish|archive|rename|cancel|disable|release|api|secret|alias|extension)$/,
        'destructive',
        'changes remote data',
      ),
      onWord(/^(?:alias|extension|codespace)$/, 'other', 'starts another program'),
    ],
  }),
  rowsFor(
    'kubectl helm oc aws gcloud az doctl heroku vercel netlify fly flyctl firebase wrangler serverless sls sam cdk pulumi terraform tofu terragrunt ansible ansible-playbook packer vagrant eksctl supabase railway',
    ['network', 'other'],
    SPEAKS,
    {
      additions: [
        onWord(
          /^(?:delete|destroy|remove|rm|rb|terminate.*|delete-.*|apply|deploy|uninstall|rollback|drain|reset|prune|purge|publish|up|scale|replace|patch)$/,
          'destructive',
          'changes remote services',
        ),
        on('--prod --delete --force', 'destructive', 'changes remote services'),
      ],
    },
  ),
  rowsFor(
    'psql mysql mariadb sqlite3 mongosh mongo redis-cli cqlsh clickhouse-client duckdb sqlcmd',
    ['other', 'network'],
    'contacts a database',
    { own: 'sql' },
  ),
  rowsFor('dropdb dropuser mysqladmin', ['destructive', 'network'], 'deletes a database'),
  rowsFor('pg_dump pg_dumpall mysqldump mongodump createdb', ['network', 'write'], 'contacts a database'),
  rowsFor('pg_restore mongorestore', ['network', 'destructive'], 'replaces data in a database'),
  rowsFor('redis-server mysqld postgres mongod nginx httpd caddy', ['other', 'network'], 'is a server'),
  rowsFor('xdg-open open start mail sendmail mutt', ['other', 'network'], 'hands something on to another program'),
)
