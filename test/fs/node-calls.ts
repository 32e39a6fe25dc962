/** Calls of `node:fs` with right and wrong arguments, as a table: each function's arguments by their kinds. */

export interface Seeded {
  readonly root: string
  /** Open descriptors: of a file, for reading; of one for reading and writing; of a directory. */
  readonly read: number
  readonly both: number
  readonly dir: number
}

/** An argument that depends on the directory. */
export type Value = (seeded: Seeded) => unknown

interface Kind {
  /** A valid one. */
  readonly good: Value
  readonly others: readonly Value[]
}

const always =
  (value: unknown): Value =>
  () =>
    value
const all = (...values: unknown[]): Value[] => values.map(always)
const at =
  (name: string): Value =>
  ({ root }) =>
    `${root}/${name}`
const bytesAt =
  (name: string): Value =>
  ({ root }) =>
    Buffer.from(`${root}/${name}`)
const urlAt =
  (name: string): Value =>
  ({ root }) =>
    new URL(`file://${root}/${name}`)

const WRONG_TYPES = [true, {}, [], Number.NaN]
const WRONG_PATHS: Value[] = [
  ...all(undefined, null, ...WRONG_TYPES, 1.5),
  ...all('', 'a\0b', Buffer.from('a\0b'), Buffer.alloc(0), new DataView(new ArrayBuffer(2))),
  ...all(new URL('http://localhost/x'), new URL('file:///a%00b'), new URL('file:///a%2fb'), new URL('file://host/a')),
]
const NAMES = [
  'file',
  'dir',
  'absent',
  'absent/below',
  'file/',
  'file/below',
  'dir/',
  'link',
  'dangling',
  'dangling/',
  'dangling/.',
  'loop',
  'loop/',
  'loop/x',
  'dirlink',
  'dirlink/',
  'dirlink/.',
]

function path(good: string): Kind {
  return { good: at(good), others: [...WRONG_PATHS, ...NAMES.map(at), bytesAt('file'), urlAt('file'), urlAt('absent')] }
}

const PREFIXES = ['temp-', 'absent/temp-', 'file/temp-', 'dangling/temp-', 'loop/temp-', 'dir/temp-', 'dirlink/temp-']
const prefix = (): Kind => ({
  good: at('temp-'),
  others: [...all(undefined, null, ...WRONG_TYPES, 'a\0b'), ...PREFIXES.map(at), bytesAt('temp-'), urlAt('temp-')],
})

function fd(good: 'read' | 'both' | 'dir'): Kind {
  const wrong = all(undefined, null, ...WRONG_TYPES, 'x', -1, 1.5, Number.POSITIVE_INFINITY, 2 ** 31, 2 ** 40, 999_999)
  return {
    good: (seeded) => seeded[good],
    others: [...wrong, ({ read }) => read, ({ both }) => both, ({ dir }) => dir],
  }
}

function options(...values: unknown[]): Kind {
  const encodings = ['utf8', 'latin1', 'buffer', 'bogus', null, undefined, 1, true, {}].map((encoding) => ({
    encoding,
  }))
  const wrong = [undefined, null, true, 1, 5n, Symbol('s'), 'utf8', 'buffer', 'bogus', '', {}, []]
  return { good: always(undefined), others: all(...wrong, ...encodings, ...values) }
}

const inheritFrom = (value: object): unknown => Object.create(value)

const SIGNALS = [{ signal: 'x' }, { signal: null }, { signal: {} }, { signal: AbortSignal.abort('why') }]
const numbers = (good: unknown, ...more: unknown[]): Kind => ({
  good: always(good),
  others: all(...[undefined, null, true, '1', 'x', '', {}, [], -1, -2, 0, 1, 1.5, 3, 4, 20, 2 ** 53], ...more),
})
const INFINITE = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
const mode = (): Kind => numbers(0o644, 0o600, '600', '0600', '0o600', '9', 'abc', 2 ** 32, 5n, ...INFINITE)
const FLAGS = ['r', 'rs', 'r+', 'rs+', 'w', 'wx', 'w+', 'wx+', 'a', 'ax', 'a+', 'ax+', 'as', 'xw', 'sr', 'rw', 'R', '']
const flags = (): Kind => ({ good: always('r'), others: all(...FLAGS, undefined, null, true, {}, 1.5, 5n) })
const time = (): Kind => ({
  good: always(1),
  others: all(undefined, null, true, {}, '7', 'x', '', -1, 1.5, new Date(5), new Date('x'), 5n, ...INFINITE),
})
const id = (): Kind => numbers(-1, -2, 2 ** 32 - 2, 2 ** 32, 5n, ...INFINITE)
const data = (): Kind => ({
  good: always('data'),
  others: all(undefined, null, true, 1, {}, [], Symbol('s'), 5n, '', 'x', Buffer.from('x'), new Uint16Array(2)),
})
const buffer = (): Kind => ({
  good: () => Buffer.alloc(8),
  others: [
    ...all(undefined, null, true, 1, 'text', {}, [], 5n),
    ...[0, 1, 4].map((size) => () => Buffer.alloc(size)),
    () => new Uint16Array(4),
    () => new DataView(new ArrayBuffer(3)),
  ],
})
const buffers = (): Kind => ({
  good: () => [Buffer.from('ab'), Buffer.from('cd')],
  others: all(undefined, null, true, {}, 'x', [], [1], ['x'], [new Uint8Array(1)], Buffer.alloc(1)),
})
const anything = (good: unknown, ...others: unknown[]): Kind => ({ good: always(good), others: all(...others) })

const BOOLEANS = (name: string, ...more: unknown[]) =>
  [true, false, undefined, null, 0, 1, 'x', {}, ...more].map((value) => ({ [name]: value }))
const MODES = [0o600, '600', 'x', -1, 1.5, 2 ** 32, {}, null].map((value) => ({ mode: value }))
const FLAG_OPTIONS = [...FLAGS, null, undefined, {}, 0, 2, 1.5].map((flag) => ({ flag }))
const READ_FLAGS = ['r', 'rs', 'r+', 'rs+', 'sr', 'x', '', null, undefined, {}, 0, 2, 1.5].map((flag) => ({ flag }))
const whole = [
  ...SIGNALS,
  ...MODES,
  ...FLAG_OPTIONS,
  ...BOOLEANS('flush'),
  inheritFrom({ flag: 'a' }),
  inheritFrom({ mode: 0o600 }),
]
const stat = [...BOOLEANS('bigint'), ...BOOLEANS('throwIfNoEntry'), inheritFrom({ bigint: true })]
const rm = [
  ...[...BOOLEANS('force'), ...BOOLEANS('recursive')],
  ...[1, -1, 1.5, '1', null, 2 ** 32].flatMap((n) => [{ maxRetries: n }, { retryDelay: n }]),
  ...[inheritFrom({ recursive: true }), inheritFrom({ force: true }), { recursive: true, force: true }],
]
const CP = ['dereference', 'errorOnExist', 'force', 'preserveTimestamps', 'recursive', 'verbatimSymlinks']
const cp = [
  ...CP.flatMap((name) => BOOLEANS(name)),
  ...[0, 1, 2, 8, -1, 'x', null, undefined].map((value) => ({ mode: value })),
  ...[1, 'x', null, undefined, () => true, () => false].map((filter) => ({ filter })),
  ...[inheritFrom({ recursive: true }), { dereference: true, verbatimSymlinks: true }],
]

/** Each function by its stem; those without a sync or a promise form are tested in the others. */
export const CALLS: Readonly<Record<string, readonly Kind[]>> = {
  access: [path('file'), numbers(0, 2, 4, 7, 8, 5n, ...INFINITE)],
  appendFile: [path('file'), data(), options(...whole)],
  chmod: [path('file'), mode()],
  chown: [path('file'), id(), id()],
  copyFile: [path('file'), path('new'), numbers(0, 2, 7, 8, 5n, ...INFINITE)],
  cp: [path('file'), path('new'), options(...cp)],
  exists: [path('file')],
  lchown: [path('file'), id(), id()],
  link: [path('file'), path('new')],
  lstat: [path('file'), options(...stat)],
  lutimes: [path('file'), time(), time()],
  mkdir: [
    path('new'),
    options(...BOOLEANS('recursive'), ...MODES, inheritFrom({ recursive: true }), 0o700, '700', '9'),
  ],
  mkdtemp: [prefix(), options()],
  open: [path('file'), flags(), mode()],
  opendir: [
    path('dir'),
    options(...BOOLEANS('recursive'), ...[0, 1, -1, 1.5, 'x', null, {}].map((bufferSize) => ({ bufferSize }))),
  ],
  readFile: [path('file'), options(...READ_FLAGS, ...SIGNALS, inheritFrom({ encoding: 'utf8' }))],
  readdir: [
    path('dir'),
    options(...BOOLEANS('recursive'), ...BOOLEANS('withFileTypes'), inheritFrom({ withFileTypes: true })),
  ],
  readlink: [path('link'), options(inheritFrom({ encoding: 'buffer' }))],
  realpath: [path('link'), options(inheritFrom({ encoding: 'buffer' }))],
  rename: [path('file'), path('new')],
  rm: [path('dir'), options(...rm)],
  rmdir: [path('empty'), options(...rm)],
  stat: [path('file'), options(...stat)],
  statfs: [path('file'), options(...BOOLEANS('bigint'))],
  symlink: [path('file'), path('new'), anything('file', undefined, null, 'dir', 'junction', 'x', 1, true, {})],
  truncate: [path('file'), numbers(2, 5n, ...INFINITE)],
  unlink: [path('file')],
  utimes: [path('file'), time(), time()],
  writeFile: [path('file'), data(), options(...whole)],

  close: [fd('read')],
  fchmod: [fd('both'), mode()],
  fchown: [fd('both'), id(), id()],
  fdatasync: [fd('both')],
  fstat: [fd('read'), options(...stat)],
  fsync: [fd('both')],
  ftruncate: [fd('both'), numbers(2, 5n, ...INFINITE)],
  futimes: [fd('both'), time(), time()],
  read: [
    fd('read'),
    buffer(),
    numbers(0, 8, 5n, ...INFINITE),
    numbers(2, 8, 9, 5n, ...INFINITE),
    numbers(null, 5n, -1n, -2n, 2n ** 63n, ...INFINITE),
  ],
  readv: [fd('read'), buffers(), numbers(0, 5n, ...INFINITE)],
  write: [
    fd('both'),
    buffer(),
    numbers(0, 8, 5n, ...INFINITE),
    numbers(2, 8, 9, 5n, ...INFINITE),
    numbers(null, 5n, ...INFINITE),
  ],
  writev: [fd('both'), buffers(), numbers(0, 5n, ...INFINITE)],
}

/** Each path name once more, followed by other arguments than the usual ones. */
export const NAMED: readonly (readonly [op: string, ...more: unknown[]])[] = [
  ['rm', { recursive: true }],
  ['rm', { force: true }],
  ['rmdir', { recursive: true }],
  ['mkdir', { recursive: true }],
  ['readdir', { withFileTypes: true }],
  ...['r+', 'w', 'wx', 'a', 'ax', 'a+'].map((flag) => ['open', flag] as const),
  ...['wx', 'a', 'r+', 'ax'].map((flag) => ['writeFile', 'data', { flag }] as const),
  ['readFile', { flag: 'r+' }],
  ['stat', { throwIfNoEntry: false }],
  ['lstat', { throwIfNoEntry: false }],
  ['access', 2],
]

export function callsFromTuple([op, ...more]: readonly [string, ...unknown[]]): TriedCall[] {
  return ['', ...NAMES].map((name) => ({ op, args: [name === '' ? always('') : at(name), ...more.map(always)] }))
}

export interface TriedCall {
  readonly op: string
  readonly args: readonly Value[]
}

/** Every call with one unusual argument, and with fewer arguments than it has. */
export function callsOf(op: string, kinds: readonly Kind[]): TriedCall[] {
  const good = kinds.map((kind) => kind.good)
  const fewer = good.map((_, count) => good.slice(0, count))
  const other = kinds.flatMap((kind, place) => kind.others.map((value) => good.toSpliced(place, 1, value)))
  return [...fewer, good, ...other].map((args) => ({ op, args }))
}
