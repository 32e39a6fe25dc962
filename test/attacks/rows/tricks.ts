import { type Attack, type AttackClass, attempt, attemptAsync, type Run } from '../row.js'
import { MARK } from '../world.js'

/** Arguments that change between the check and the use. */

const newTrick = (name: string, action: (run: Run) => unknown): Attack => ({ name, action, once: true })

/** Returns a function that yields the first value once, then always the second. */
function changeAfterFirst<T>(first: T, later: T): () => T {
  let calls = 0
  return () => (calls++ === 0 ? first : later)
}

class ChangingUrl extends URL {
  readonly #next: () => string
  constructor(good: string, bad: string) {
    super(`file://${good}`)
    this.#next = changeAfterFirst(new URL(`file://${good}`).pathname, new URL(`file://${bad}`).pathname)
  }
  override get pathname(): string {
    return this.#next()
  }
  override get href(): string {
    return `file://${this.#next()}`
  }
}

const call = (of: object, name: string, ...args: unknown[]): unknown => {
  const found: unknown = Reflect.get(of, name)
  return typeof found === 'function' ? Reflect.apply(found, of, args) : undefined
}

/** Passes a value that is not a plain path to every form of a write. */
const writeInEveryForm = async ({ fs: api }: Run, path: () => unknown): Promise<void> => {
  attempt(() => call(api, 'writeFileSync', path(), MARK))
  await attemptAsync(() => call(api.promises, 'writeFile', path(), MARK))
  await attemptAsync(() => new Promise((done) => call(api, 'writeFile', path(), MARK, done)))
  attempt(() => call(api, 'renameSync', 'src/b.ts', path()))
  attempt(() => call(api, 'truncateSync', path(), 0))
}

const paths: readonly Attack[] = [
  newTrick('an object with toString', (run) =>
    writeInEveryForm(run, () => ({ toString: changeAfterFirst('src/a.ts', 'lib/out.ts') })),
  ),
  newTrick('an object with Symbol.toPrimitive', (run) =>
    writeInEveryForm(run, () => ({ [Symbol.toPrimitive]: changeAfterFirst('src/a.ts', 'lib/out.ts') })),
  ),
  newTrick('a String object', (run) => writeInEveryForm(run, () => Object('lib/out.ts'))),
  newTrick('an array', (run) => writeInEveryForm(run, () => ['lib/out.ts'])),
  newTrick('a URL that changes when it is read', (run) =>
    writeInEveryForm(run, () => new ChangingUrl(`${run.world.root}/src/a.ts`, `${run.world.root}/lib/out.ts`)),
  ),
  newTrick('a plain object that looks like a URL', (run) =>
    writeInEveryForm(run, () => ({
      href: `file://${run.world.root}/src/a.ts`,
      protocol: 'file:',
      host: '',
      hostname: '',
      pathname: `${run.world.root}/lib/out.ts`,
    })),
  ),
  newTrick('a proxy of a Buffer', (run) => writeInEveryForm(run, () => new Proxy(Buffer.from('lib/out.ts'), {}))),
  newTrick('a Buffer changed during the call', async ({ fs: api }) => {
    const path = Buffer.from('src/aa/../a.ts')
    const pending = attemptAsync(() => api.promises.writeFile(path, MARK))
    path.write('lib/aa/../out')
    await pending
  }),
  newTrick('a Buffer changed while a stream opens', async ({ fs: api }) => {
    const path = Buffer.from('src/new.ts')
    const stream = attempt(() => api.createWriteStream(path))
    path.write('lib/out.ts')
    await new Promise<void>((resolve) =>
      stream
        ? stream
            .on('error', () => resolve())
            .on('close', () => resolve())
            .end(MARK)
        : resolve(),
    )
  }),
  newTrick('a URL changed during the call', async ({ fs: api, world }) => {
    const path = new URL(`file://${world.root}/src/a.ts`)
    const pending = attemptAsync(() => api.promises.appendFile(path, MARK))
    path.pathname = `${world.root}/lib/out.ts`
    await pending
  }),
]

/** Writes to a stream, or reads from it, until it closes. */
function runToEnd(stream: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (typeof stream !== 'object' || stream === null) return resolve()
    call(stream, 'on', 'error', () => resolve())
    call(stream, 'on', 'close', () => resolve())
    call(stream, 'write' in stream ? 'end' : 'resume', MARK)
  })
}

const options: readonly Attack[] = [
  newTrick('a flag that changes when it is read', async ({ fs: api }) => {
    const options = () => ({
      get flag() {
        return this.next()
      },
      next: changeAfterFirst('r', 'w'),
    })
    attempt(() => call(api, 'writeFileSync', 'lib/out.ts', MARK, options()))
    attempt(() => call(api, 'readFileSync', 'lib/out.ts', options()))
    await attemptAsync(() => call(api.promises, 'readFile', 'lib/out.ts', options()))
  }),
  newTrick('stream flags that change when they are read', async ({ fs: api }) => {
    const next = changeAfterFirst('r', 'w')
    const stream = attempt(() =>
      call(api, 'createReadStream', 'lib/out.ts', {
        get flags() {
          return next()
        },
      }),
    )
    await new Promise<void>((resolve) => {
      if (typeof stream !== 'object' || stream === null) return resolve()
      call(stream, 'on', 'error', () => resolve())
      call(stream, 'on', 'close', () => resolve())
      call(stream, 'resume')
    })
  }),
  newTrick('a stream with its own fs', async ({ fs: api, world }) => {
    const real = await import('node:fs')
    const open = (_path: unknown, flags: string, mode: number, done: (error: unknown, fd?: number) => void) =>
      real.open(`${world.root}/lib/out.ts`, flags, mode, done)
    const stream = attempt(() => api.createWriteStream('src/new.ts', { fs: { ...real, open } } as object))
    await new Promise<void>((resolve) =>
      stream
        ? stream
            .on('error', () => resolve())
            .on('close', () => resolve())
            .end(MARK)
        : resolve(),
    )
  }),
  newTrick('a cp filter that swaps what is copied', ({ fs: api }) => {
    attempt(() => api.mkdirSync('src/tree/sub', { recursive: true }))
    attempt(() => api.writeFileSync('src/tree/sub/out.ts', MARK))
    const filter = (from: string) => {
      if (from.endsWith('tree')) attempt(() => api.symlinkSync('../../lib', 'src/target/sub'))
      return true
    }
    attempt(() => api.mkdirSync('src/target'))
    attempt(() => api.cpSync('src/tree', 'src/target', { recursive: true, force: true, filter }))
    attempt(() => api.cpSync('src/tree/sub', 'src/target/sub', { recursive: true, force: true, filter }))
  }),
  newTrick('a mode that changes when it is read', ({ fs: api }) => {
    attempt(() => call(api, 'chmodSync', 'src/a.ts', { valueOf: changeAfterFirst(0o600, 0o4777) }))
    attempt(() => call(api, 'mkdirSync', 'src/odd', { mode: '4777' }))
  }),
  newTrick('options from a polluted prototype', ({ fs: api }) => {
    Object.defineProperty(Object.prototype, 'flag', { value: 'w', configurable: true, writable: true })
    Object.defineProperty(Object.prototype, 'recursive', { value: true, configurable: true, writable: true })
    try {
      attempt(() => api.readFileSync('lib/out.ts', {}))
      attempt(() => api.rmSync('lib', {}))
      attempt(() => api.mkdirSync('lib/a/b', {}))
      attempt(() => api.writeFileSync('lib/out.ts', MARK, {}))
    } finally {
      Reflect.deleteProperty(Object.prototype, 'flag')
      Reflect.deleteProperty(Object.prototype, 'recursive')
    }
  }),
]

const objects: readonly Attack[] = [
  newTrick('a facade whose functions are patched', ({ fs: api }) => {
    const patched = { ...api, openSync: () => 1, lstatSync: () => undefined, realpathSync: () => 'src/a.ts' }
    attempt(() => call(patched, 'writeFileSync', 'lib/out.ts', MARK))
    attempt(() => Reflect.apply(api.writeFileSync, { promises: undefined }, ['lib/out.ts', MARK]))
    attempt(() => Reflect.apply(api.rmSync, undefined, ['lib', { recursive: true }]))
  }),
  newTrick('internals reached through the facade’s properties', ({ fs: api }) => {
    for (const name of Reflect.ownKeys(api)) {
      if (typeof name === 'symbol')
        attempt(() => call(Object(Reflect.get(api, name)), 'writeFileSync', 'lib/out.ts', MARK))
    }
    attempt(() => call(Object(Reflect.get(api, 'binding')), 'writeString', 3, MARK))
  }),
  newTrick('Stats and Dirent as a way to the host', ({ fs: api }) => {
    attempt(() => call(Object(Reflect.get(api, 'Dir')), 'call', {}, 0, 'lib'))
    const streams = [
      attempt(() => api.createWriteStream('lib/out.ts', { flags: 'w' })),
      attempt(() => Reflect.construct(api.WriteStream, ['lib/out.ts', { flags: 'w' }])),
      attempt(() => Reflect.construct(api.ReadStream, ['lib/out.ts', { flags: 'w' }])),
    ]
    return Promise.all(streams.map((stream) => runToEnd(stream)))
  }),
  newTrick('a stream on a path that is reopened', async ({ fs: api }) => {
    const stream = attempt(() => api.createWriteStream('src/new.ts'))
    await new Promise<void>((resolve) => {
      if (!stream) return resolve()
      stream.on('error', () => resolve()).on('close', () => resolve())
      Reflect.set(stream, 'path', 'lib/out.ts')
      attempt(() => call(stream, 'open'))
      stream.end(MARK)
    })
  }),
]

export const tricks: readonly AttackClass[] = [
  { kind: 'paths that change', rows: paths },
  { kind: 'options that change', rows: options },
  { kind: 'the facade object', rows: objects },
]
