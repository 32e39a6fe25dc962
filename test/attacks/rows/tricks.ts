import { type Attack, type AttackClass, attempt, attemptAsync, type Run } from '../row.js'
import { MARK } from '../world.js'

/** Arguments that are one thing when they are judged and another when they are used. */

const trick = (name: string, deed: (run: Run) => unknown): Attack => ({ name, deed, once: true })

/** Answers the first value once, the second ever after. */
function turning<T>(first: T, then: T): () => T {
  let asked = 0
  return () => (asked++ === 0 ? first : then)
}

class TurningUrl extends URL {
  readonly #turn: () => string
  constructor(good: string, bad: string) {
    super(`file://${good}`)
    this.#turn = turning(new URL(`file://${good}`).pathname, new URL(`file://${bad}`).pathname)
  }
  override get pathname(): string {
    return this.#turn()
  }
  override get href(): string {
    return `file://${this.#turn()}`
  }
}

const call = (of: object, name: string, ...args: unknown[]): unknown => {
  const found: unknown = Reflect.get(of, name)
  return typeof found === 'function' ? Reflect.apply(found, of, args) : undefined
}

/** A thing that is no path, given to every form of a write. */
const everyForm = async ({ fs: api }: Run, path: () => unknown): Promise<void> => {
  attempt(() => call(api, 'writeFileSync', path(), MARK))
  await attemptAsync(() => call(api.promises, 'writeFile', path(), MARK))
  await attemptAsync(() => new Promise((done) => call(api, 'writeFile', path(), MARK, done)))
  attempt(() => call(api, 'renameSync', 'src/b.ts', path()))
  attempt(() => call(api, 'truncateSync', path(), 0))
}

const paths: readonly Attack[] = [
  trick('an object with toString', (run) => everyForm(run, () => ({ toString: turning('src/a.ts', 'lib/out.ts') }))),
  trick('an object with Symbol.toPrimitive', (run) =>
    everyForm(run, () => ({ [Symbol.toPrimitive]: turning('src/a.ts', 'lib/out.ts') })),
  ),
  trick('a String object', (run) => everyForm(run, () => Object('lib/out.ts'))),
  trick('an array', (run) => everyForm(run, () => ['lib/out.ts'])),
  trick('a URL that turns', (run) =>
    everyForm(run, () => new TurningUrl(`${run.world.root}/src/a.ts`, `${run.world.root}/lib/out.ts`)),
  ),
  trick('a plain object that looks like a URL', (run) =>
    everyForm(run, () => ({
      href: `file://${run.world.root}/src/a.ts`,
      protocol: 'file:',
      host: '',
      hostname: '',
      pathname: `${run.world.root}/lib/out.ts`,
    })),
  ),
  trick('a proxy of a Buffer', (run) => everyForm(run, () => new Proxy(Buffer.from('lib/out.ts'), {}))),
  trick('a Buffer changed once the call is made', async ({ fs: api }) => {
    const path = Buffer.from('src/aa/../a.ts')
    const pending = attemptAsync(() => api.promises.writeFile(path, MARK))
    path.write('lib/aa/../out')
    await pending
  }),
  trick('a Buffer changed while a stream opens', async ({ fs: api }) => {
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
  trick('a URL changed once the call is made', async ({ fs: api, world }) => {
    const path = new URL(`file://${world.root}/src/a.ts`)
    const pending = attemptAsync(() => api.promises.appendFile(path, MARK))
    path.pathname = `${world.root}/lib/out.ts`
    await pending
  }),
]

/** Writes to a stream, or reads it, to its end. */
function ended(stream: unknown): Promise<void> {
  return new Promise((resolve) => {
    if (typeof stream !== 'object' || stream === null) return resolve()
    call(stream, 'on', 'error', () => resolve())
    call(stream, 'on', 'close', () => resolve())
    call(stream, 'write' in stream ? 'end' : 'resume', MARK)
  })
}

const options: readonly Attack[] = [
  trick('a flag that turns', async ({ fs: api }) => {
    const given = () => ({
      get flag() {
        return this.turn()
      },
      turn: turning('r', 'w'),
    })
    attempt(() => call(api, 'writeFileSync', 'lib/out.ts', MARK, given()))
    attempt(() => call(api, 'readFileSync', 'lib/out.ts', given()))
    await attemptAsync(() => call(api.promises, 'readFile', 'lib/out.ts', given()))
  }),
  trick('a stream’s flags that turn', async ({ fs: api }) => {
    const turn = turning('r', 'w')
    const stream = attempt(() =>
      call(api, 'createReadStream', 'lib/out.ts', {
        get flags() {
          return turn()
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
  trick('a stream’s own fs', async ({ fs: api, world }) => {
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
  trick('a cp filter that swaps what is copied', ({ fs: api }) => {
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
  trick('a mode that turns', ({ fs: api }) => {
    attempt(() => call(api, 'chmodSync', 'src/a.ts', { valueOf: turning(0o600, 0o4777) }))
    attempt(() => call(api, 'mkdirSync', 'src/odd', { mode: '4777' }))
  }),
  trick('options from a polluted prototype', ({ fs: api }) => {
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
  trick('a facade whose functions are patched', ({ fs: api }) => {
    const patched = { ...api, openSync: () => 1, lstatSync: () => undefined, realpathSync: () => 'src/a.ts' }
    attempt(() => call(patched, 'writeFileSync', 'lib/out.ts', MARK))
    attempt(() => Reflect.apply(api.writeFileSync, { promises: undefined }, ['lib/out.ts', MARK]))
    attempt(() => Reflect.apply(api.rmSync, undefined, ['lib', { recursive: true }]))
  }),
  trick('internals reached by the facade’s own properties', ({ fs: api }) => {
    for (const name of Reflect.ownKeys(api)) {
      if (typeof name === 'symbol')
        attempt(() => call(Object(Reflect.get(api, name)), 'writeFileSync', 'lib/out.ts', MARK))
    }
    attempt(() => call(Object(Reflect.get(api, 'binding')), 'writeString', 3, MARK))
  }),
  trick('Stats and Dirent as a way to the host', ({ fs: api }) => {
    attempt(() => call(Object(Reflect.get(api, 'Dir')), 'call', {}, 0, 'lib'))
    const streams = [
      attempt(() => api.createWriteStream('lib/out.ts', { flags: 'w' })),
      attempt(() => Reflect.construct(api.WriteStream, ['lib/out.ts', { flags: 'w' }])),
      attempt(() => Reflect.construct(api.ReadStream, ['lib/out.ts', { flags: 'w' }])),
    ]
    return Promise.all(streams.map((stream) => ended(stream)))
  }),
  trick('a stream on a path that is reopened', async ({ fs: api }) => {
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
  { kind: 'paths that turn', rows: paths },
  { kind: 'options that turn', rows: options },
  { kind: 'the facade’s own object', rows: objects },
]
