import type { Run } from '../row.js'

/** Ordinary work that must succeed and leave the same tree as Node. The steps run in order. */
export interface Legitimate {
  readonly name: string
  /** Why Roo Code's tools cannot do it. */
  readonly rooSkipReason?: string
  readonly steps: readonly (readonly [op: string, ...args: unknown[]])[]
}

const row = (name: string, ...steps: Legitimate['steps']): Legitimate => ({ name, steps })
const put = (path: unknown, text = 'new\n') => ['writeFile', path, text] as const

/** Roo Code's patches only move single files, to unused names. */
const withoutRoo = (work: Legitimate): Legitimate => ({
  ...work,
  rooSkipReason: 'its patches move a file to an unused name',
})

const names = [
  'src/new.ts',
  'src/.hidden.ts',
  'src/.env.example',
  'src/...',
  'src/..a',
  'src/a..b',
  'src/~',
  'src/-rf',
  'src/a b.ts',
  'src/ä.ts',
  'src/a\u0308.ts',
  'src/日本.ts',
  'src/👩‍💻.ts',
  'src/(group)/page.tsx',
  'src/[id].tsx',
  'src/[...all].tsx',
  'src/{a,b}.ts',
  'src/*.ts',
  'src/!x.ts',
  'src/%2e%2e',
  'src/C:',
  'src/file:x',
  'src/github',
  'src/.gitkeep',
  'src/.gitattributes',
  'src/gitignore',
  'src/legit/.git-notes',
  'src/orchestration.ts',
  'src/vscode/settings.json',
  'src/AGENTS.ts',
  'src/__proto__',
  'src/constructor',
  'src/toString',
  'src/hidden.ts',
  'src/hiddenx/a.ts',
  'src/legacy.ts',
  'src/lockedx',
  'src/private.ts',
  'src/frozen.ts',
  'src/package.json',
  'src/Makefile',
  `src/${'n'.repeat(255)}`,
  `src/${'d/'.repeat(60)}deep.ts`,
]

const spellings: readonly (readonly [string, string])[] = [
  ['./src/a.ts', 'a leading ./'],
  ['src//a.ts', 'two slashes'],
  ['src/./a.ts', 'a dot'],
  ['src/deep/../a.ts', '.. within the scope'],
  ['lib/../src/a.ts', '.. into the scope'],
  ['ROOT/src/a.ts', 'an absolute path'],
  ['src/to-deep/w.ts', 'a link within the scope'],
  ['src/to-a', 'a link to a file within the scope'],
  ['src/to-absent', 'a dangling link within the scope'],
  ['src/to-deep/er/../w.ts', '.. after a link'],
]

/** Creates the parent directories first, as a tool does. */
const parents = (path: string): Legitimate['steps'] =>
  path.split('/').length > 2 ? [['mkdir', path.slice(0, path.lastIndexOf('/')), { recursive: true }]] : []

const work: readonly Legitimate[] = [
  row('edits a file', put('src/a.ts')),
  row('appends', ['appendFile', 'src/a.ts', 'more\n']),
  row('truncates', ['truncate', 'src/a.ts', 1]),
  row('extends', ['truncate', 'src/a.ts', 10]),
  row('removes a file', ['unlink', 'src/a.ts']),
  row('removes a tree', ['rm', 'src/deep', { recursive: true }]),
  row('removes an empty directory', ['rmdir', 'src/empty']),
  row('renames a file', ['rename', 'src/a.ts', 'src/c.ts']),
  withoutRoo(row('renames over another', ['rename', 'src/a.ts', 'src/b.ts'])),
  withoutRoo(row('renames a tree', ['rename', 'src/deep', 'src/shallow'], put('src/shallow/w.ts'))),
  withoutRoo(row('renames a tree and back', ['rename', 'src/deep', 'src/x'], ['rename', 'src/x', 'src/deep'])),
  row('copies a file', ['copyFile', 'src/a.ts', 'src/c.ts']),
  row('copies from out of scope', ['copyFile', 'lib/out.ts', 'src/out.ts']),
  row('copies a tree', ['cp', 'src/deep', 'src/copy', { recursive: true }]),
  row('copies a tree from out of scope', ['cp', 'lib', 'src/lib', { recursive: true }]),
  row('creates directories and a file', ['mkdir', 'src/x/y/z', { recursive: true }], put('src/x/y/z/f')),
  row('makes a file executable', ['chmod', 'src/a.ts', 0o755]),
  row('a symlink within the scope', ['symlink', 'a.ts', 'src/l']),
  row('a symlink to a directory, written through', ['symlink', 'deep', 'src/l'], put('src/l/made.ts')),
  withoutRoo(row('removes a link, not its target', ['unlink', 'src/to-lib'])),
  row('removes a link that leads outside', ['rm', 'src/to-sibling']),
  row('a hard link', ['link', 'src/a.ts', 'src/c.ts']),
  row('writes and removes', put('src/tmp'), ['unlink', 'src/tmp']),
  row('removes and writes again', ['unlink', 'src/a.ts'], put('src/a.ts')),
  row('a file becomes a directory', ['unlink', 'src/a.ts'], ['mkdir', 'src/a.ts'], put('src/a.ts/x')),
  row('a directory becomes a file', ['rm', 'src/deep', { recursive: true }], put('src/deep')),
  withoutRoo(row('saves as an editor does', put('src/a.ts.tmp'), ['rename', 'src/a.ts.tmp', 'src/a.ts'])),
  row('reads outside its scope', ['readFile', 'lib/out.ts'], ['stat', 'package.json'], ['readdir', 'lib']),
  row('an empty file', put('src/void', '')),
  row('a big file', put('src/big', 'x'.repeat(300_000))),
]

export const legitimate: readonly Legitimate[] = [
  ...work,
  ...names.map((path) => row(`the name ${path.slice(0, 40)}`, ...parents(path), put(path))),
  ...spellings.map(([path, name]) => row(name, put(path))),
]

/** Runs the steps. Returns how many the call style supports, and the errors of those that failed. */
export async function runSteps(
  { act, world, style }: Run,
  { steps }: Legitimate,
  isMissing: (result: unknown) => boolean,
) {
  const refused: unknown[] = []
  let acted = 0
  for (const [op, ...args] of steps) {
    const expanded = args.map((arg) => (typeof arg === 'string' ? arg.replace('ROOT', world.root) : arg))
    const result = await act(op, ...expanded)
    if (isMissing(result)) {
      if (style === 'sync') throw new Error(`${op}Sync is missing`)
    } else acted++
    if (result instanceof Error && !isMissing(result)) refused.push(result)
  }
  return { acted, refused }
}
