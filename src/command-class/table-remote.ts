import { alike, on, table, word } from './rule.js'

/** Programs that speak with other machines, clouds and databases. */

const SPEAKS = 'speaks with another machine'

export const REMOTE = table(
  alike('curl', 'network', SPEAKS, {
    more: [
      on('-o -O --output --remote-name --remote-name-all -J -D --dump-header -c --cookie-jar', 'write', 'writes files'),
      on('-K --config', 'other', 'takes options from a file'),
      word(/^(?:DELETE)$/, 'destructive', 'deletes what is elsewhere'),
    ],
  }),
  alike('wget aria2c axel', ['network', 'write'], 'takes files from another machine', {
    more: [on('--use-askpass -e --execute --config', 'other', 'starts another program')],
  }),
  alike('ssh mosh telnet rsh rlogin', ['network', 'other'], 'runs commands on another machine'),
  alike('scp sftp ftp lftp rclone s3cmd tftp', ['network', 'write'], 'moves files between machines', {
    more: [word(/^(?:delete|purge|rm|del|sync)$/, 'destructive', 'deletes what is elsewhere')],
  }),
  alike('rsync', ['network', 'write'], 'copies files, perhaps between machines', {
    more: [
      on(
        '--delete --del --delete-before --delete-during --delete-after --delete-excluded --remove-source-files',
        'destructive',
        'deletes files',
      ),
      on('-e --rsh', 'other', 'starts another program'),
    ],
  }),
  alike(
    'nc ncat netcat socat ping ping6 traceroute tracepath mtr dig host nslookup whois nmap arp ip ifconfig route ss netstat iwconfig tcpdump http https httpie xh grpcurl websocat openssl ngrok cloudflared',
    'network',
    SPEAKS,
    {
      more: [
        on('-e -c --exec --sh-exec', 'other', 'starts another program'),
        word(/exec:|system:/i, 'other', 'starts another program'),
      ],
    },
  ),
  alike('gh glab hub', 'network', SPEAKS, {
    more: [
      word(
        /^(?:delete|remove|close|merge|publish|archive|rename|cancel|disable|release|api|secret|alias|extension)$/,
        'destructive',
        'changes what is elsewhere',
      ),
      word(/^(?:alias|extension|codespace)$/, 'other', 'starts another program'),
    ],
  }),
  alike(
    'kubectl helm oc aws gcloud az doctl heroku vercel netlify fly flyctl firebase wrangler serverless sls sam cdk pulumi terraform tofu terragrunt ansible ansible-playbook packer vagrant eksctl supabase railway',
    ['network', 'other'],
    SPEAKS,
    {
      more: [
        word(
          /^(?:delete|destroy|remove|rm|rb|terminate.*|delete-.*|apply|deploy|uninstall|rollback|drain|reset|prune|purge|publish|up|scale|replace|patch)$/,
          'destructive',
          'changes what runs elsewhere',
        ),
        on('--prod --delete --force', 'destructive', 'changes what runs elsewhere'),
      ],
    },
  ),
  alike(
    'psql mysql mariadb sqlite3 mongosh mongo redis-cli cqlsh clickhouse-client duckdb sqlcmd',
    ['other', 'network'],
    'speaks with a database',
    { own: 'sql' },
  ),
  alike('dropdb dropuser mysqladmin', ['destructive', 'network'], 'deletes a database'),
  alike('pg_dump pg_dumpall mysqldump mongodump createdb', ['network', 'write'], 'speaks with a database'),
  alike('pg_restore mongorestore', ['network', 'destructive'], 'replaces what a database holds'),
  alike('redis-server mysqld postgres mongod nginx httpd caddy', ['other', 'network'], 'is a server'),
  alike('xdg-open open start mail sendmail mutt', ['other', 'network'], 'hands something on to another program'),
)
