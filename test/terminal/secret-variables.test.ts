import { describe, expect, it, onTestFinished } from 'vitest'
import { holdsSecret } from '../../src/terminal/secret-variables.js'
import { site } from './site.js'

const SECRET = [
  ...[
    'OPENAI_KEY',
    'OPENAI_API_KEY',
    'OPENAI_APIKEY',
    'openai.key',
    'KEY',
    'SIGNING_KEYS',
    'KEY2',
    'AWS_ACCESS_KEY_ID',
  ],
  ...['AZURE_DEVOPS_EXT_PAT', 'GITHUB_PAT', 'PAT', 'GH_TOKEN', 'TOKEN_2', 'CI_JOB_TOKEN', 'githubToken', 'accesstoken'],
  ...[
    'DB_PASS',
    'PASS',
    'SMTP_PASSWD',
    'PGPASSWORD',
    'REDISCLI_AUTH',
    'KEY_PASSPHRASE',
    'rootPassword',
    'VAULT_PASSWORDS',
  ],
  ...[
    'DB_PWD',
    'MYSQL_PWD',
    'dbPwd',
    'npm_config__authToken',
    'npm_config_//registry.test/:_authToken',
    'NPM_AUTHTOKEN',
  ],
  ...['GOOGLE_CREDENTIALS', 'AWS_CREDENTIAL', 'DB_CREDS', 'SENTRY_DSN', 'CLIENT_SECRET', 'clientSecret', 'SECRETS'],
  ...['JWT', 'SESSION_COOKIE', 'SLACK_WEBHOOK_URL', 'STORAGE_CONNECTION_STRING', 'DATABASE_URL', 'SSH_AUTH_SOCK'],
  ...[
    'GIT_ASKPASS',
    'SSH_ASKPASS',
    'VSCODE_GIT_IPC_HANDLE',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'ESCROW_SESSION',
    'XAUTHORITY',
  ],
]

const ORDINARY = [
  ...[
    'PATH',
    'HOME',
    'PWD',
    'OLDPWD',
    'INIT_CWD',
    'USER',
    'LANG',
    'LC_ALL',
    'TERM',
    'COLORTERM',
    'TZ',
    'EDITOR',
    'SHELL',
  ],
  ...['NODE_ENV', 'CI', 'GIT_AUTHOR_NAME', 'GIT_AUTHOR_EMAIL', 'AUTHOR', 'KEYBOARD', 'KEYMAP', 'XKB_KEYMAP', 'MONKEY'],
  ...['TOKENIZERS_PARALLELISM', 'COMPASS', 'COMPASS_DIR', 'PASSENGER_ENV', 'BYPASS', 'PATCH', 'PATTERN', 'SECRETARY'],
  ...[
    'npm_package_name',
    'npm_lifecycle_event',
    'npm_config_registry',
    'XDG_RUNTIME_DIR',
    'SSH_TTY',
    'PYTHONPATH',
    'GOPATH',
  ],
]

describe('a variable', () => {
  it.each(SECRET)('%s is secret', (name) => {
    expect(holdsSecret(name, 'x')).toBe(true)
  })

  it.each(ORDINARY)('%s is ordinary', (name) => {
    expect(holdsSecret(name, 'x')).toBe(false)
  })

  it.each([
    'postgres://ada:word@db.test/shop',
    'redis://:word@cache.test:6379',
    'http://ada:word@proxy.test:8080',
    'a=1 mongodb+srv://ada:word@x.test/?y=1',
    `https://${'a1'.repeat(20)}@git.test/x.git`,
    'Server=x.test;User=ada;Password=word;',
    'host=x user=ada password=word',
    `ghp_${'a'.repeat(36)}`,
    `sk-proj-${'a'.repeat(40)}`,
    `AKIA${'A'.repeat(16)}`,
    'eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.',
    '-----BEGIN OPENSSH PRIVATE KEY-----\nx',
  ])('of any name with the value %j is secret', (value) => {
    expect(holdsSecret('SHOP', value)).toBe(true)
  })

  it.each([
    'https://x.test:8080/a@b',
    'http://localhost:3000',
    'ssh://git@git.test/x.git',
    'git@git.test:x.git',
    '/usr/bin:/bin',
    'a:b@c',
    'skip-this-one',
    'eyJ',
    '',
  ])('with the value %j is ordinary', (value) => {
    expect(holdsSecret('SHOP', value)).toBe(false)
  })

  it('that is secret is not passed to a command, unless its caller passes it', async () => {
    for (const [name, value] of [
      ['SHOP_KEY', 'word'],
      ['SHOP_URL', 'postgres://ada:word@x.test'],
      ['SHOP_NAME', 'name'],
    ] as const) {
      process.env[name] = value
      onTestFinished(() => {
        delete process.env[name]
      })
    }
    const { session } = await site()
    const output = await session.exec('echo "$SHOP_KEY,$SHOP_URL,$SHOP_NAME,$PWD"')
    expect(output.stdout).toMatch(/^,,name,\/.+\n$/)
    expect((await session.exec('echo "$SHOP_KEY"', { env: { SHOP_KEY: 'given' } })).stdout).toBe('given\n')
  })
})
