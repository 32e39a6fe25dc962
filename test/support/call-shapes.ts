import fs from 'node:fs'
import { pathToFileURL } from 'node:url'
import type { SealedWorkspace } from './sealed.js'

/** Thousands of arguments for every function: valid ones, invalid ones, and ones that change between two reads. */

const { O_RDONLY, O_TRUNC, O_CREAT, O_WRONLY, O_RDWR, O_APPEND } = fs.constants
const O_TMPFILE = 0o20200000

/** A `file:` URL whose path changes on each read. */
class ChangingUrl extends URL {
  #asked = 0
  readonly #paths: readonly string[]
  constructor(...paths: [string, ...string[]]) {
    super(pathToFileURL(paths[0]))
    this.#paths = paths
  }
  override get pathname(): string {
    return this.#paths[this.#asked++ % this.#paths.length] ?? ''
  }
}

/** Options that have one value on the first read, and another one later. */
function changingOptions(first: Record<string, unknown>, later: Record<string, unknown>): object {
  const requested = new Map<PropertyKey, number>()
  return new Proxy(first, {
    get(target, key) {
      const times = requested.get(key) ?? 0
      requested.set(key, times + 1)
      return Reflect.get(times === 0 ? target : later, key)
    },
  })
}

/** Existing paths in the workspace and next to it, in every spelling. */
function existingPaths({ root, sibling, canary, opened }: SealedWorkspace): unknown[] {
  const file = `${root}/a/f`
  return [
    ...[file, Buffer.from(file), pathToFileURL(file), new Uint8Array(Buffer.from(file)), 'a/f', './a/../a/f'],
    ...[`${root}//a/./f`, `${root}/../root/a/f`, `/proc/self/root${file}`, `/proc/self/fd/${opened.hosts[0]}`, file],
    ...[`${root}/lf`, `${root}/ld/g`, `${root}/out`, `${root}/outd/s`, `${root}/staged`, `${root}/a/f/`],
    ...[`${root}/a`, `${root}/ld`, `${root}/empty`, `${root}/empty/`, `${root}/outd`, `${root}/outd/sub`, root],
    ...[`${root}/`, '.', sibling, `${sibling}/s`, '../sibling/s', `${root}/../sibling/s`, Buffer.from('../sibling/s')],
    ...[pathToFileURL(`${sibling}/s`), `${canary}/c`, Buffer.from(`${canary}/c`), canary, `${root}/gone`],
    ...[new ChangingUrl(file, `${sibling}/s`), new ChangingUrl(`${sibling}/s`, file), new ChangingUrl(`${canary}/c`)],
  ]
}

/** Paths that do not exist. */
function absentPaths({ root, sibling, canary }: SealedWorkspace): unknown[] {
  return [
    ...[
      `${root}/new`,
      'new',
      Buffer.from(`${root}/new`),
      pathToFileURL(`${root}/new`),
      `${root}/new/`,
      `${root}/a/new`,
    ],
    ...[
      `${root}/no/where/new`,
      `${root}/fresh`,
      `${root}/outd/new`,
      `${root}/loop`,
      `${root}/loop/new`,
      `${root}/top/x`,
    ],
    ...[`${sibling}/new`, '../sibling/new', `${root}/../sibling/new`, `${canary}/new`, `${root}/empty/..//new`, ''],
  ]
}

/** Values that are not valid paths. */
function invalidPaths({ root }: SealedWorkspace): unknown[] {
  const path = `${root}/a/f`
  return [
    ...[null, undefined, true, 42.5, Number.NaN, -1, 2 ** 31, 10n, Symbol('path'), {}, [], [path], () => path],
    ...[`${path}\0`, Buffer.from([0x61, 0xff]), 'x'.repeat(5000), new String(path), { toString: () => path }],
    ...[new URL('http://localhost/a/f'), new Proxy(new URL('file:///a'), {}), { href: `file://${path}` }],
    new Proxy(Buffer.from(path), {}),
  ]
}

function pathShapes(workspace: SealedWorkspace): unknown[] {
  return [...existingPaths(workspace), ...absentPaths(workspace), ...invalidPaths(workspace)]
}

function descriptorShapes({ opened }: SealedWorkspace): unknown[] {
  const { ours, hosts, handles, hostHandle } = opened
  const never = [1_000_000_999, -1, Number.NaN, 2 ** 31, 1.5, 7n, '1000000000', null, undefined, {}]
  return [...Object.values(ours), ...hosts, ...handles, hostHandle, ...never]
}

const WRITE_OPTIONS: unknown[] = [
  ...[undefined, 'utf8', { flag: 'a' }, { flag: 'r+' }, { flag: 'wx' }, { flag: O_RDONLY | O_TRUNC, mode: 0o777 }],
  ...[{ flag: O_WRONLY }, { flag: O_RDWR | O_CREAT, flush: true }, { flag: O_WRONLY | O_APPEND }, { flag: 99.5 }],
]
const contents = (): unknown[] => [
  ...['changed', Buffer.from('changed'), new Float64Array(2), new DataView(new ArrayBuffer(3))],
  ...[['chunk', Buffer.from('chunk')], changingOptions({ length: 3 }, { length: 99 }), 42, null],
]
const OPEN_FLAGS: unknown[] = [
  ...['r', 'r+', 'rs+', 'w', 'w+', 'wx', 'a', 'ax', 'a+', 'as', 'xw', O_RDONLY, O_RDONLY | O_TRUNC, O_WRONLY, O_RDWR],
  ...[O_RDONLY | O_CREAT, O_CREAT | O_TRUNC, O_TMPFILE | O_RDWR, 2 ** 31 - 1, undefined, 'no', {}],
]

/** The arguments after the path, by op. The first few are combined with every path, all of them with the first paths. */
function tailsAfterPath(workspace: SealedWorkspace): Readonly<Record<string, unknown[][]>> {
  const { root, sibling, canary, opened } = workspace
  const places = [
    'new',
    `${root}/a/g`,
    `${root}/empty/x`,
    `${sibling}/new`,
    `${sibling}/s`,
    `${canary}/new`,
    'outd/new',
  ]
  const seconds = [
    ...places,
    'fresh',
    Buffer.from('new'),
    new ChangingUrl(`${root}/new`, `${sibling}/s`),
    root,
    5,
    null,
  ]
  const written: unknown[][] = contents().flatMap((data) =>
    data === 'changed' ? WRITE_OPTIONS.map((o) => [data, o]) : [[data]],
  )
  const shiftyFlag = changingOptions({ flag: 'r' }, { flag: 'w' })
  const streams = (flags: string[]) => flags.map((each) => [{ flags: each }])
  const handles = [...Object.values(opened.ours), ...opened.hosts, ...opened.handles, opened.hostHandle]
  const shiftyFd = changingOptions({ fd: opened.handles[0] }, { fd: opened.hostHandle })
  return {
    writeFile: [...written, ['changed', shiftyFlag]],
    appendFile: [...written, ['changed', shiftyFlag]],
    readFile: [[], ['utf8'], ...['w', 'w+', 'a+', O_RDONLY | O_TRUNC].map((flag) => [{ flag }]), [shiftyFlag]],
    open: [...OPEN_FLAGS.map((flags) => [flags]), ['w', 0o777], [O_CREAT, '777']],
    truncate: [[], [3], [-1], ['3'], [2 ** 40]],
    mkdir: [[], [{ recursive: true }], [0o700], ['700'], [changingOptions({ recursive: true }, { recursive: false })]],
    rm: [
      [{ recursive: true, force: true }],
      [],
      [{ force: true }],
      [changingOptions({}, { recursive: true, force: true })],
    ],
    rmdir: [[], [{ recursive: true }]],
    rename: seconds.map((to) => [to]),
    link: seconds.map((to) => [to]),
    symlink: [...seconds.map((to) => [to]), ['new', 'file'], ['new', 'junction']],
    copyFile: [...seconds.map((to) => [to]), ['new', 1], ['a/g', 2], ['new', 4]],
    cp: [...seconds.map((to) => [to, { recursive: true, force: true }]), ['new'], ['new', { recursive: true }]],
    chmod: [[0o755], ['700'], [-1], [{}]],
    lchmod: [[0o755]],
    chown: [
      [1, 1],
      [process.getuid?.() ?? 0, process.getgid?.() ?? 0],
      [-1, 1],
      ['1', 1],
    ],
    lchown: [
      [1, 1],
      [-1, 1],
    ],
    utimes: [
      [1, 1],
      ['1', new Date(5)],
      [Number.NaN, 1],
    ],
    lutimes: [[1, 1]],
    watch: [
      [{ persistent: false }],
      [{ persistent: false, recursive: true }],
      [{ persistent: false }, () => undefined],
    ],
    watchFile: [[{ persistent: false, interval: 10_000 }, () => undefined]],
    createReadStream: [[], ...streams(['r+', 'w', 'w+', 'a+']), ...handles.map((fd) => [{ fd }]), [{ fs }], [shiftyFd]],
    createWriteStream: [
      ...[[], ...streams(['a', 'r+', 'wx', 'w']), [{ flags: 'r+', start: 1 }], [{ flags: 'r', fs }], [{ fs }]],
      ...[...handles.map((fd) => [{ fd }]), ...handles.map((fd) => [{ fd, fs, autoClose: false }]), [shiftyFd]],
    ],
    access: [[], [fs.constants.W_OK], ['2']],
    realpath: [[], ['buffer']],
  }
}

const ON_DESCRIPTORS: Readonly<Record<string, unknown[][]>> = {
  close: [[]],
  fchmod: [[0o755], ['700'], [{}]],
  fchown: [[1, 1], [-1, 1], ['1']],
  futimes: [
    [1, 1],
    ['1', new Date(5)],
  ],
  fstat: [[], [{ bigint: true }]],
  fsync: [[]],
  fdatasync: [[]],
  ftruncate: [[], [2], [-2], ['2']],
  read: [[Buffer.alloc(9)], [Buffer.alloc(9), 0, 9, 0], [{ buffer: Buffer.alloc(9), position: 0 }], ['9'], []],
  readv: [[[Buffer.alloc(4), Buffer.alloc(4)]], [[Buffer.alloc(4)], 0], ['9']],
  write: [
    ...[['changed'], ['changed', 0], [Buffer.from('changed'), 0, 7, 0], [Buffer.from('changed'), { position: 1 }]],
    ...[[new Float64Array(1)], ['6368', 0, 'hex'], [changingOptions({ length: 1 }, { length: 9 })], [42], []],
  ],
  writev: [[[Buffer.from('chan'), Buffer.from('ged')]], [[Buffer.from('changed')], 0], [['changed']], ['changed']],
}

/** Ops that accept a descriptor, or a handle in the promise form, in place of a path. */
const ON_EITHER = ['writeFile', 'appendFile', 'readFile', 'truncate']

export function takesDescriptor(stem: string): boolean {
  return Object.hasOwn(ON_DESCRIPTORS, stem) || ON_EITHER.includes(stem)
}

const ANY_TAIL: unknown[][] = [[], ['changed'], [{ recursive: true }], [0o777, 1], [changingOptions({}, { flag: 'w' })]]
const FULL = 8
const FEW = 2

/** Argument lists for an op, without a callback: every first argument with some tails, the first ones with all tails. */
export function callShapes(stem: string, workspace: SealedWorkspace): unknown[][] {
  const onDescriptor = ON_DESCRIPTORS[stem]
  if (onDescriptor) return crossProduct(descriptorShapes(workspace), onDescriptor, onDescriptor.length)
  const specificTails = tailsAfterPath(workspace)[stem] ?? []
  const tails = [...specificTails, ...ANY_TAIL]
  const paths = pathShapes(workspace)
  const either = ON_EITHER.includes(stem) ? crossProduct(descriptorShapes(workspace), tails, FEW) : []
  return [
    [],
    ...crossProduct(paths.slice(0, FULL), tails, tails.length),
    ...crossProduct(paths.slice(FULL), tails, FEW),
    ...either,
  ]
}

/** Argument lists for a method of FileHandle. */
export function methodShapes(method: string, workspace: SealedWorkspace): unknown[][] {
  const aliases: Readonly<Record<string, string>> = { truncate: 'ftruncate', chmod: 'fchmod', chown: 'fchown' }
  const more: Readonly<Record<string, string>> = {
    utimes: 'futimes',
    stat: 'fstat',
    sync: 'fsync',
    datasync: 'fdatasync',
  }
  const stem = aliases[method] ?? more[method] ?? method
  return [...(ON_DESCRIPTORS[stem] ?? tailsAfterPath(workspace)[stem] ?? []), ...ANY_TAIL]
}

function crossProduct(firsts: readonly unknown[], tails: readonly unknown[][], count: number): unknown[][] {
  return firsts.flatMap((first) => tails.slice(0, count).map((tail) => [first, ...tail]))
}
