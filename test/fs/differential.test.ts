import fs from 'node:fs'
import { dirname, join } from 'node:path'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'
import { fuzzParameters } from '../support/fuzz.js'

/**
 * The same random sequence of calls on a real directory by `node:fs` and on an untouched copy of it through the facade:
 * every result and every error must be equal, and at the end the trees. The copy's disk must be unchanged.
 *
 * Differences between the facade and Node, with reasons:
 * - copyFile of a directory: Node deletes an existing destination before it fails; the facade keeps it.
 * - cp stops at the first entry that fails: in the disk's order with Node, by name in the facade. Its promise form
 *   reads both paths concurrently, so the reported failure is a race. Inner calls have their own names in the facade.
 *   In Node's sync form of 22 and later they do not, and that form ignores `dereference` below the top.
 * - cp of a directory to a name that a link leads below it is refused; Node makes copies within copies until names are
 *   too long if something on the way is absent.
 * - opendir lists the directory when it is opened, by name; Node's order is the disk's, and some releases omit the path
 *   in its errors. Read with a closed Dir rejects, as in Node 22; in Node 20 it throws.
 * - openAsBlob keeps the content of the call; Node's Blob cannot be read once the file has changed. Node returns a Blob
 *   for a directory, which cannot be read; here the call fails.
 * - rmdir of a tree by a link to it is ENOTDIR, as in rmdir(2); each of Node's forms does something else.
 * - realpath in JavaScript names the directory that it had reached in its errors; the facade names the requested path.
 * - rm names its own failing step, which changes with Node's releases; the facade names the same as rm(1).
 * - rm -r, and rmdir of a tree, in Node 24's sync form empties the target of a name ending in `/.`, or of a link
 *   followed by a slash, before it fails; the facade keeps it.
 * - mkdir -p through a dangling link: Node's asynchronous forms name the link.
 * - readdir with `recursive` of a Buffer path fails in Node, which joins names as text.
 * - A change outside the root is EXDEV, whatever exists there.
 * - Sizes and link counts of directories depend on the disk; access times change when the disk is read.
 */

type Form = 'sync' | 'callback' | 'promise'
interface Call {
  readonly op: string
  readonly args: (root: string) => unknown[]
  readonly form: Form
}

const SEGMENTS = ['a', 'b', 'c', 'd', 'e', 'lf', 'ld', 'lx', 'é']
const name = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.array(fc.constantFrom(...SEGMENTS), { minLength: 1, maxLength: 3 }).map((s) => s.join('/')),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom('a/', 'b/', 'new/', 'a/../b', 'ld/../c', './a', 'a//b', 'a/.', '.', 'b/.', 'lf/', 'ld/'),
  },
)
const pathArg = fc
  .tuple(name, fc.constantFrom('text', 'text', 'text', 'buffer', 'url'))
  .map(([text, how]) => (root: string) => {
    const full = `${root}/${text}`
    return how === 'buffer'
      ? Buffer.from(full)
      : how === 'url' && !/(^|\/)\.{0,2}$|\.\./.test(text)
        ? new URL(`file://${encodeURI(full)}`)
        : full
  })
const textArg = name.map((text) => (root: string) => `${root}/${text}`)
const data = fc.oneof(fc.string({ maxLength: 20 }), fc.uint8Array({ maxLength: 20 }))
const flag = fc.constantFrom('w', 'w', 'w', 'wx', 'a', 'ax', 'r+', 'w+', 'a+')
const mode = fc.constantFrom(undefined, 0o600, 0o644, 0o755, 0o2755, '700')

// Less than the seconds since 1970 of any clock, so a set time differs from one that a call set to now.
const time = fc.constantFrom(0, 1, 1.5, 1_000_000_000.123456, '7', '-5.25', new Date(86_400_123), new Date(-1500))
const id = fc.constantFrom(-1, process.getuid?.() ?? 0, 4711)
// Inside the root at any depth.
const target = fc
  .constantFrom('b', 'c', 'd', 'a/b', './d', 'lf', 'nowhere', '', 'a/')
  .chain((text) => fc.constantFrom(text, text, (root: string) => `${root}/${text}`))
const cpOptions = fc.oneof(
  fc.constant(undefined),
  fc.constant({ recursive: true }),
  fc.record({
    recursive: fc.constant(true),
    force: fc.boolean(),
    errorOnExist: fc.boolean(),
    preserveTimestamps: fc.boolean(),
    verbatimSymlinks: fc.boolean(),
    mode: fc.constantFrom(0, 1, 2),
  }),
  fc.record({ dereference: fc.boolean(), recursive: fc.boolean() }),
  fc.constant({ recursive: true, filter: (from: string) => !from.endsWith('b') }),
)

type Maker = (op: string, ...args: fc.Arbitrary<unknown>[]) => fc.Arbitrary<Omit<Call, 'form'>>
const call: Maker = (op, ...args) =>
  fc.tuple(...args).map((values) => ({
    op,
    args: (root) => values.map((value) => (typeof value === 'function' ? value(root) : value)),
  }))

const calls: fc.Arbitrary<Omit<Call, 'form'>> = fc.oneof(
  call('access', pathArg, fc.constantFrom(undefined, 0, 1, 4)),
  call('exists', pathArg),
  call('stat', pathArg),
  call('stat', pathArg, fc.constant({ throwIfNoEntry: false })),
  call('lstat', pathArg, fc.constantFrom(undefined, { bigint: true })),
  { weight: 2, arbitrary: call('readFile', pathArg, fc.constantFrom(undefined, 'utf8', { encoding: 'hex' })) },
  call('readdir', pathArg, fc.constantFrom(undefined, { withFileTypes: true }, 'buffer')),
  // Node joins names as text here: a Buffer path fails in it, and does not in the facade.
  call('readdir', textArg, fc.constantFrom({ recursive: true }, { recursive: true, withFileTypes: true })),
  call('realpath', pathArg),
  call('readlink', pathArg),
  { weight: 4, arbitrary: call('writeFile', pathArg, data, fc.record({ flag, mode })) },
  { weight: 2, arbitrary: call('appendFile', pathArg, data) },
  call('truncate', pathArg, fc.constantFrom(undefined, 0, 3, 30)),
  {
    weight: 2,
    arbitrary: call(
      'mkdir',
      pathArg,
      fc.constantFrom(undefined, 0o700, { recursive: true }, { recursive: true, mode: 0o755 }),
    ),
  },
  { weight: 2, arbitrary: call('unlink', pathArg) },
  call(
    'rm',
    pathArg,
    fc.constantFrom(undefined, { force: true }, { recursive: true }, { recursive: true, force: true }),
  ),
  call('rmdir', pathArg),
  { weight: 4, arbitrary: call('rename', pathArg, pathArg) },
  { weight: 2, arbitrary: call('copyFile', pathArg, pathArg, fc.constantFrom(undefined, 1, 2)) },
  call('chmod', pathArg, fc.constantFrom(0o600, 0o755, '640', 0o5777, 0o2775, 0o7777, 0o100644)),
  call('chown', pathArg, id, id),
  call('lchown', pathArg, id, id),
  call('utimes', pathArg, time, time),
  call('lutimes', pathArg, time, time),
  { weight: 2, arbitrary: call('link', pathArg, pathArg) },
  { weight: 2, arbitrary: call('symlink', target, pathArg) },
  { weight: 3, arbitrary: call('cp', textArg, textArg, cpOptions) },
  call('opendir', textArg, fc.constantFrom(undefined, { recursive: true }, { encoding: 'buffer' }, { bufferSize: 1 })),
  call('statfs', pathArg, fc.constantFrom(undefined, { bigint: true })),
  call('openAsBlob', textArg),
  call('rmdir', pathArg, fc.constant({ recursive: true })),
)
const sequence = fc.array(
  fc.tuple(calls, fc.constantFrom<Form>('sync', 'callback', 'promise')).map(([made, form]) => ({ ...made, form })),
  { minLength: 1, maxLength: 25 },
)

type Api = Record<string, (...args: unknown[]) => unknown>

async function run(api: typeof fs, step: Call, root: string): Promise<string> {
  const args = step.args(root)
  const rename = (text: string) => text.replaceAll(root, '<root>')
  try {
    return rename(show(await invoke(api, step, args)))
  } catch (error) {
    const { code, syscall, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
    if (step.op === 'openAsBlob') return 'no blob'
    const dashP = step.op === 'mkdir' && typeof args[1] === 'object'
    if (step.op === 'cp') return code?.startsWith('ERR_') ? code : 'an errno'
    if (dashP || ['realpath', 'rm', 'opendir', 'rmdir'].includes(step.op)) return JSON.stringify({ code })
    return rename(JSON.stringify({ code, syscall, path, dest, message }))
  }
}

function invoke(api: typeof fs, { op, form }: Call, args: unknown[]): unknown {
  const functions = api as unknown as Api
  if (op === 'openAsBlob') return textOf(functions[op]?.(...args))
  if (op === 'opendir') return entriesOf(callIn(functions, op, form, args))
  return callIn(functions, op, form, args)
}

async function textOf(opened: unknown): Promise<string> {
  return ((await opened) as Blob).text()
}

/** The disk's order is undefined. */
async function entriesOf(opened: unknown): Promise<string[]> {
  const found: string[] = []
  for await (const entry of (await opened) as fs.Dir) found.push(show(entry))
  return found.sort()
}

function callIn(functions: Api, op: string, form: Form, args: unknown[]): unknown {
  if (form === 'sync') return functions[`${op}Sync`]?.(...args)
  if (form === 'promise' && op !== 'exists') return (functions.promises as unknown as Api)[op]?.(...args)
  return new Promise((resolve, reject) => {
    const done = (error: unknown, value: unknown) =>
      op === 'exists' ? resolve(error) : error ? reject(error) : resolve(value)
    functions[op]?.(...args.filter((arg, i) => i < 2 || arg !== undefined).filter((arg) => arg !== undefined), done)
  })
}

function show(value: unknown): string {
  if (value instanceof fs.Dirent)
    return `Dirent ${value.name} ${value.parentPath} ${value.isDirectory()} ${value.isFile()} ${value.isSymbolicLink()}`
  if (Buffer.isBuffer(value)) return `Buffer ${value.toString('hex')}`
  if (Array.isArray(value)) return value.map(show).join('|')
  if (typeof value === 'object' && value !== null && 'mode' in value) return showStats(value as fs.Stats)
  if (typeof value === 'object' && value !== null && 'bavail' in value) return `StatFs ${typeof value.bavail}`
  return JSON.stringify(value) ?? 'undefined'
}

function showStats(stats: fs.Stats): string {
  const kind = [stats.isFile(), stats.isDirectory(), stats.isSymbolicLink()].join()
  return `${stats.constructor.name} ${kind} ${stats.mode} ${stats.uid} ${stats.gid} ${stats.isDirectory() ? '' : `${stats.size} ${stats.nlink}`} ${timeSet(stats)}`
}

/** A modification time that was set; that of a clock differs between runs. */
function timeSet(stats: fs.Stats | fs.BigIntStats): string {
  if (Number(stats.mtimeMs) > 1e12) return 'now'
  return 'mtimeNs' in stats ? String(stats.mtimeNs) : String(stats.mtimeMs)
}

function isDirectory(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Names, types, modes and contents, and every time that was set. */
function stateOf(api: typeof fs, root: string): string[] {
  const timesIn = (dir: string): string[] =>
    api.readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
      const path = `${dir}/${entry.name}`
      const row = `${path} ${timeSet(api.lstatSync(path, { bigint: true }))}`
      return entry.isDirectory() ? [row, ...timesIn(path)] : [row]
    })
  return [...treeOf(api, root), ...timesIn(root)].map((row) => row.replaceAll(root, '<root>'))
}

function removesLinkedTree({ op, args }: Call, root: string): boolean {
  const [path, options] = args(root)
  if (op !== 'rmdir' || options === undefined) return false
  const text = path instanceof URL ? path.pathname : String(path)
  return isLink(text.replace(/\/+$/, ''))
}

/** Node's own recursion through links that lead back up does not end. */
const MANY = 500

function goesRound({ op, args }: Call, root: string): boolean {
  const [path, options] = args(root) as [string, fs.ObjectEncodingOptions & { recursive?: boolean }]
  if (op !== 'readdir' || typeof options !== 'object' || options.recursive !== true) return false
  const dirs = [path]
  for (let found = 0; dirs.length > 0; ) {
    const dir = dirs.pop() ?? path
    if (!isDirectory(dir)) continue
    const names = fs.readdirSync(dir)
    found += names.length
    if (found > MANY) return true
    dirs.push(...names.map((each) => `${dir}/${each}`))
  }
  return false
}

const READS = new Set(
  'access exists stat lstat readFile readdir realpath readlink opendir statfs openAsBlob'.split(' '),
)
const ON_THE_LINK = new Set('unlink rm rmdir rename lchown lutimes link symlink mkdir'.split(' '))

function changesOutside({ op, args }: Call, root: string): boolean {
  if (READS.has(op)) return false
  const paths = args(root).map((arg) => (arg instanceof URL ? arg.pathname : Buffer.isBuffer(arg) ? `${arg}` : arg))
  return paths.some(
    (path) => typeof path === 'string' && path.startsWith(root) && leadsOutside(path, root, !ON_THE_LINK.has(op)),
  )
}

/** Whether a link on the way of a path leads out of the root. An absent name on the way counts as a directory. */
function leadsOutside(path: string, root: string, follow: boolean): boolean {
  const todo = path.split('/').reverse()
  let at = ''
  for (let links = 0; links < 40; ) {
    const segment = todo.pop()
    if (segment === undefined) break
    const next = join('/', at, segment)
    const target = isLink(next) && (follow || todo.length > 0) ? fs.readlinkSync(next) : undefined
    if (target === undefined) at = next
    else {
      links += 1
      if (target.startsWith('/')) at = '/'
      todo.push(...target.split('/').reverse())
    }
  }
  return `${at}/` !== `${root}/` && !at.startsWith(`${root}/`)
}

/** Through a link Node copies a directory into itself until the names are too long. */
function copiesIntoItself({ op, args }: Call, root: string): boolean {
  const [from, to] = args(root)
  if (op !== 'cp' || !isDirectory(String(from))) return false
  const source = `${fs.realpathSync(String(from))}/`
  return `${realParent(String(to))}/`.startsWith(source)
}

/** The real path of the nearest existing directory above a name. */
function realParent(path: string): string {
  const above = dirname(path)
  return isDirectory(above) ? fs.realpathSync(above) : realParent(above)
}

const [NODE = 0] = process.versions.node.split('.').map(Number)
const SYNC_CP_IS_APART = NODE >= 22
const SYNC_RM_IS_APART = NODE >= 24

/** By a name that ends in `.`, `..` or a slash. */
function removesByDot({ op, form, args }: Call, root: string): boolean {
  const [path, options] = args(root) as [string | Buffer | URL, fs.RmOptions | undefined]
  if (!SYNC_RM_IS_APART || !op.startsWith('rm') || form !== 'sync' || !options?.recursive) return false
  const text = path instanceof URL ? path.pathname : String(path)
  return text.endsWith('/.') || (text.endsWith('/') && isLink(text.replace(/\/+$/, '')))
}

function isLink(path: string): boolean {
  try {
    return fs.lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

function dependsOnOrder(step: Call, root: string): boolean {
  if (step.op !== 'cp') return false
  if (step.form === 'sync' && SYNC_CP_IS_APART) return true
  const [from, to, options] = step.args(root) as [string, string, fs.CopySyncOptions | undefined]
  return isDirectory(from) && (fs.existsSync(to) || options?.dereference === true)
}

const SKIPPED = [
  changesOutside,
  copiesIntoItself,
  copiesDirectory,
  dependsOnOrder,
  goesRound,
  removesByDot,
  removesLinkedTree,
]

function copiesDirectory(step: Call, root: string): boolean {
  const source = step.op === 'copyFile' ? (step.args(root)[0] as string) : undefined
  return source !== undefined && isDirectory(source)
}

function seed(root: string): void {
  fs.mkdirSync(`${root}/a/b`, { recursive: true })
  fs.mkdirSync(`${root}/d/e`, { recursive: true, mode: 0o755 })
  fs.writeFileSync(`${root}/a/c`, 'lower a/c')
  fs.writeFileSync(`${root}/a/b/d`, 'lower a/b/d', { mode: 0o600 })
  fs.writeFileSync(`${root}/b`, 'lower b')
  fs.writeFileSync(`${root}/é`, 'lower é')
  fs.symlinkSync('b', `${root}/lf`)
  fs.symlinkSync('a', `${root}/ld`)
  fs.symlinkSync('nowhere', `${root}/lx`)
  fs.symlinkSync('b/../../d', `${root}/a/ld`)
}

describe('the facade against node:fs', () => {
  it('gives the same results, errors and trees for random sequences in three forms', async () => {
    await fc.assert(
      fc.asyncProperty(sequence, async (steps) => {
        const outer = tempDir()
        // Well below the temporary directory: a path that leaves a root stays in the test's directory.
        const [real, lower] = [`${outer.path}/1/2/3/real`, `${outer.path}/1/2/3/copy`]
        try {
          seed(real)
          seed(lower)
          const before = treeOf(fs, lower)
          const facade = createBareFacade(lower)
          for (const step of steps) {
            if (SKIPPED.some((skips) => skips(step, real))) continue
            const wanted = await run(fs, step, real)
            const got = await run(facade.fs, step, lower)
            expect(got, `${step.op} ${step.form} ${inspect(step.args(''))}`).toBe(wanted)
          }
          expect(
            stateOf(facade.fs, lower),
            inspect(
              steps.map((step) => [step.op, step.form, step.args('')]),
              { depth: 4 },
            ),
          ).toEqual(stateOf(fs, real))
          expect(treeOf(fs, lower)).toEqual(before)
        } finally {
          outer.dispose()
        }
      }),
      fuzzParameters(400),
    )
  })
})
