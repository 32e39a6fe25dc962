import { type Attack, type AttackClass, plantMark, type Spelling, writeMark } from '../row.js'

const row = (name: string, path: Spelling, from?: string): Attack => ({
  name,
  action: writeMark(path),
  ...(from && { from }),
})

const dots: readonly string[] = [
  '../sibling/s.txt',
  'src/../lib/out.ts',
  'src/../../sibling/s.txt',
  'src/deep/../../lib/out.ts',
  './src/.././lib/out.ts',
  'src//..//lib//out.ts',
  'src/to-lib/../billing/invoice.ts',
  'src/to-sibling/../home/.bashrc',
  'src/deep/er/../../../lib/./out.ts',
  'src/empty/../../AGENTS.md',
  `${'src/../'.repeat(500)}lib/out.ts`,
  `${'../'.repeat(200)}tmp/../OUTER/sibling/s.txt`,
  'src/a.ts/../../lib/out.ts',
  'src/none/../../lib/out.ts',
]

/** A kernel link to the root directory. */
const PROC_ROOT = '/proc/self/root'

const absolute: readonly (readonly [string, string?])[] = [
  ['OUTER/sibling/s.txt'],
  ['OUTER/home/.bashrc'],
  ['ROOT-evil/e.txt', 'MCP filesystem CVE-2025-53110'],
  ['ROOT/../ws-evil/e.txt', 'Claude Code CVE-2025-54794'],
  ['ROOT/src/../lib/out.ts'],
  ['//OUTER/sibling/s.txt'],
  ['src2/near.ts', 'MCP filesystem CVE-2025-53110'],
  ['/proc/self/cwd/lib/out.ts'],
  ['/proc/self/cwd/src/../lib/out.ts'],
  ['/proc/self/rootOUTER/sibling/s.txt'],
  [`${PROC_ROOT}/ROOT/lib/out.ts`],
  ['/proc/self/fd/../cwd/lib/out.ts'],
  ['/proc/thread-self/cwd/lib/out.ts'],
  [`/proc/${process.pid}/cwd/lib/out.ts`],
  [`/proc/${process.pid}/rootOUTER/sibling/s.txt`],
  ['/dev/fd/../cwd/lib/out.ts'],
]

const unusual: readonly (readonly [string, Spelling])[] = [
  ['a file URL outside', ({ outer }) => new URL(`file://${outer}/sibling/s.txt`)],
  ['a file URL with ..', ({ root }) => new URL(`file://${root}/src/../lib/out.ts`)],
  ['a file URL with %2e%2e', ({ root }) => new URL(`file://${root}/src/%2e%2e/lib/out.ts`)],
  ['a file URL with %2f', ({ root }) => new URL(`file://${root}/src/..%2flib/out.ts`)],
  ['a file URL with %5c', ({ root }) => new URL(`file://${root}/src/..%5c..%5clib/out.ts`)],
  ['a file URL with %00', ({ root }) => new URL(`file://${root}/lib/out.ts%00.png`)],
  ['a file URL with a host', ({ root }) => new URL(`file://evil${root}/lib/out.ts`)],
  ['a file URL through a link', ({ root }) => new URL(`file://${root}/src/to%2Dlib/out.ts`)],
  ['a string that looks like a URL', ({ outer }) => `file://${outer}/sibling/s.txt`],
  ['a Buffer with ..', () => Buffer.from('../sibling/s.txt')],
  ['a Buffer outside', ({ outer }) => Buffer.from(`${outer}/sibling/s.txt`)],
  ['a Uint8Array', () => new Uint8Array(Buffer.from('src/../lib/out.ts'))],
  ['a Buffer with bytes that are not UTF-8', () => Buffer.concat([Buffer.from('src/../lib/'), Buffer.of(0xff, 0xfe)])],
  [
    'a Buffer of overlong UTF-8',
    () => Buffer.concat([Buffer.from('src/'), Buffer.of(0xc0, 0xae, 0xc0, 0xae), Buffer.from('/x')]),
  ],
  ['a Buffer with NUL', () => Buffer.from('lib/out.ts\0src/a.ts')],
  ['NUL at the end', () => 'lib/out.ts\0'],
  ['NUL before an allowed path', () => '../sibling/s.txt\0/../src/a.ts'],
  ['percent-encoding in a string', () => 'src/%2e%2e/%2e%2e/sibling/../../../lib/out.ts'],
  ['a lone surrogate', () => 'lib/\ud800'],
  ['a name of 300 bytes outside', () => `lib/${'a'.repeat(300)}`],
  ['a path of 5,000 bytes', () => `${'x/'.repeat(2500)}../lib/out.ts`],
  ['a tilde', () => '~/.bashrc'],
  ['backslashes', () => '..\\sibling\\s.txt'],
  ['a drive', () => 'C:\\lib\\out.ts'],
  ['a UNC path', () => '\\\\?\\C:\\lib\\out.ts'],
]

const GIT = 'git CVE-2014-9390'
const CASE = 'Cursor CVE-2025-59944'
const FOLD = 'jj CVE-2024-51990'

/** Names that some filesystem treats as files an agent may never write, in and out of the scope. */
const never: readonly (readonly [string, string?])[] = [
  ['.git/config'],
  ['.git/hooks/pre-commit'],
  ['.git/new-file', 'Claude Code CVE-2026-25725'],
  ['src/.git', 'Claude Code CVE-2026-25725'],
  ['src/.git/hooks/post-checkout', 'sandbox-runtime: only the root .git is kept'],
  ['src/new/.git/config', 'sandbox-runtime: depth > 3'],
  ['src/nested/.git/config'],
  ['src/.GIT/config', GIT],
  ['src/.Git/hooks/x', GIT],
  ['src/.g\u200cit/config', GIT],
  ['src/.gi\u200dt/config', GIT],
  ['src/\ufeff.git/config', GIT],
  ['src/.git./config', FOLD],
  ['src/.git /config', FOLD],
  ['src/.git. . /config', FOLD],
  ['src/.git::$INDEX_ALLOCATION/config', GIT],
  ['src/.git:x', GIT],
  ['src/GIT~1/config', GIT],
  ['src/git~2/config', GIT],
  ['src/.ｇｉｔ/config', FOLD],
  ['src/.g\u2071t/config', FOLD],
  ['src/.g\u0131t/config', 'node-tar CVE-2026-23950'],
  ['src/.git\\config', 'Cursor CVE-2025-64107'],
  ['.git\\hooks\\pre-commit', 'Cursor CVE-2025-64108'],
  ['src/x\\.git\\config', 'Cursor CVE-2025-64107'],
  ['.orchestration/policy.yaml'],
  ['.orchestration/active_intents.yaml'],
  ['.orchestration/new', 'Claude Code CVE-2026-25725'],
  ['src/.orchestration/policy.yaml'],
  ['src/.ORCHESTRATION/policy.yaml', CASE],
  ['src/.orche\u017ftration/policy.yaml', 'node-tar CVE-2026-23950'],
  ['src/ORCHES~1/policy.yaml', GIT],
  ['src/.orchestration./policy.yaml', FOLD],
  ['src/.intentignore'],
  ['src/INTENT~1', GIT],
  ['.intentignore'],
  ['src/deep/.IntentIgnore', CASE],
]

/** Files that programs run or obey. A scope must name them literally. */
const literal: readonly (readonly [string, string?])[] = [
  ['src/.vscode/settings.json', 'Copilot CVE-2025-53773'],
  ['.vscode/settings.json', 'Roo Code CVE-2025-53536'],
  ['src/.VSCode/tasks.json', CASE],
  ['src/VSCODE~1/tasks.json', GIT],
  ['src/CLAUDE~1/settings.json', GIT],
  ['src/MCP~1.JSO', GIT],
  ['src/GITHUB~1/WORKFL~1/x.yml', GIT],
  ['src/HUSKY~2/pre-commit', GIT],
  ['src/BASHRC~1', GIT],
  ['src/nested/.vscode/tasks.json', 'Roo Code CVE-2025-58372'],
  ['src/x.code-workspace', 'Roo Code CVE-2025-58372'],
  ['src/.cursor/mcp.json', 'Cursor CVE-2025-54135'],
  ['src/.Cursor/mcp.json', CASE],
  ['src/.mcp.json', 'Cursor CVE-2025-54130'],
  ['src/.claude/settings.json', 'Claude Code CVE-2026-25725'],
  ['src/.roo/mcp.json', 'Roo Code CVE-2025-53536'],
  ['src/.cline/x', 'Cline'],
  ['src/AGENTS.md'],
  ['AGENTS.md'],
  ['src/claude.MD', CASE],
  ['src/.clinerules-x', 'Cline'],
  ['src/.roorules', 'Roo Code'],
  ['src/.cursorrules', 'Cursor'],
  ['src/.husky/pre-commit'],
  ['src/.devcontainer/devcontainer.json'],
  ['src/.github/workflows/ci.yml'],
  ['src/.envrc'],
  ['src/.npmrc'],
  ['src/.bashrc'],
  ['src/.zprofile'],
  ['src/.profile.', FOLD],
  ['src/.gitmodules', GIT],
  ['src/.gitconfig'],
  ['src/.ripgreprc', 'sandbox-runtime'],
  ['src/.idea/workspace.xml'],
]

const plantAttack = ([path, from]: readonly [string, string?]): Attack => ({
  name: JSON.stringify(path),
  action: plantMark(path),
  ...(from && { from }),
})

export const spelling: readonly AttackClass[] = [
  { kind: '..', rows: dots.map((path) => row(path.slice(0, 60), path)) },
  { kind: 'absolute', rows: absolute.map(([path, from]) => row(path, path, from)) },
  { kind: 'spelling', rows: unusual.map(([name, path]) => row(name, path)) },
  { kind: 'never writable by an agent', rows: never.map(plantAttack) },
  { kind: 'settings that programs run', rows: literal.map(plantAttack) },
]
