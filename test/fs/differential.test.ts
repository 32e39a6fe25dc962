import fs from 'node:fs'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bareFacade, tempDir, treeOf } from '../support/facade.js'

/**
 * The same random sequence of calls on a real directory by `node:fs` and on an untouched copy of it through the
 * facade: every result and every error must be equal, and at the end the trees; the copy's disk must not have moved.
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
      : how === 'url' && !/\/\.{0,2}$|\.\./.test(text)
        ? new URL(`file://${encodeURI(full)}`)
        : full
  })
const textArg = name.map((text) => (root: string) => `${root}/${text}`)
const data = fc.oneof(fc.string({ maxLength: 20 }), fc.uint8Array({ maxLength: 20 }))
const flag = fc.constantFrom('w', 'w', 'w', 'wx', 'a', 'ax', 'r+', 'w+', 'a+')
const mode = fc.constantFrom(undefined, 0o600, 0o644, 0o755, '700')

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
    // realpath in JavaScript names the directory it had got to; ours names the path as asked.
    // rm's steps differ between Node's releases (rimraf in JavaScript, later in C++), and with them the call named.
    // mkdir -p through a dangling link: Node's asynchronous forms name the link.
    const dashP = step.op === 'mkdir' && typeof args[1] === 'object'
    if (dashP || step.op === 'realpath' || step.op === 'rm') return JSON.stringify({ code })
    return rename(JSON.stringify({ code, syscall, path, dest, message }))
  }
}

function invoke(api: typeof fs, { op, form }: Call, args: unknown[]): unknown {
  const functions = api as unknown as Api
  if (form === 'sync') return functions[`${op}Sync`]?.(...args)
  if (form === 'promise' && op !== 'exists') return (api.promises as unknown as Api)[op]?.(...args)
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
  return JSON.stringify(value) ?? 'undefined'
}

function showStats(stats: fs.Stats): string {
  const kind = [stats.isFile(), stats.isDirectory(), stats.isSymbolicLink()].join()
  return `${stats.constructor.name} ${kind} ${stats.mode} ${stats.uid} ${stats.gid} ${stats.isDirectory() ? '' : `${stats.size} ${stats.nlink}`}`
}

function isDirectory(path: string): boolean {
  try {
    return fs.statSync(path).isDirectory()
  } catch {
    return false
  }
}

/** Node deletes an existing destination when the source turns out to be a directory; the facade keeps it. */
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
        // Well below the temporary directory: what climbs out of a root stays in what the test owns.
        const [real, lower] = [`${outer.path}/1/2/3/real`, `${outer.path}/1/2/3/copy`]
        try {
          seed(real)
          seed(lower)
          const before = treeOf(fs, lower)
          const facade = bareFacade(lower)
          for (const step of steps) {
            if (copiesDirectory(step, real)) continue
            const wanted = await run(fs, step, real)
            const got = await run(facade.fs, step, lower)
            expect(got, `${step.op} ${step.form} ${inspect(step.args(''))}`).toBe(wanted)
          }
          expect(
            treeOf(facade.fs, lower),
            inspect(
              steps.map((step) => [step.op, step.form, step.args('')]),
              { depth: 4 },
            ),
          ).toEqual(treeOf(fs, real))
          expect(treeOf(fs, lower)).toEqual(before)
        } finally {
          outer.dispose()
        }
      }),
      { numRuns: Number(process.env.ESCROWFS_FUZZ_RUNS ?? 400) },
    )
  })
})
