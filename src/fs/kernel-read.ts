import { type BigIntStats, constants, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import {
  codeOf,
  digestInParts,
  Errno,
  type Follow,
  type Inside,
  PART,
  pathText,
  type RelPath,
} from '../../overlay/index.js'
import {
  checkSignal,
  encodeName,
  isFd,
  isWriting,
  readContentEncoding,
  readEncoding,
  readFlags,
  readInteger,
  readOptions,
  readSignal,
} from './args.js'
import { afterTurn } from './fairness.js'
import { READ_OF_DIRECTORY_NAMES_PATH, STAT_SYNC_ANSWERS_NOTHING, statAnswersNothing } from './host-traits.js'
import { readRest } from './kernel-fd.js'
import type { Args, Form } from './op-types.js'
import { refuseWritingFlag } from './open-rules.js'
import { fillTarget, type ReadTarget, readBufferOption, readStatOptions } from './read-options.js'
import type { ResolvedPath } from './resolved-path-cache.js'
import type { ReadView } from './view.js'

/** The bodies of the reading ops. Each reads its arguments once and works on the merged view. */

export function access(view: ReadView, [path, mode]: Args): void {
  const wanted = mode === undefined || mode === null ? constants.F_OK : readInteger('mode', mode, 0, 7)
  const place = view.at(path, 'follow')
  if (!place.inside) {
    view.host(place).accessSync(place.path, wanted)
    return
  }
  const stats = view.layer.lstat(place.path)
  if (!stats) throw new Errno('ENOENT')
  if (!permits(stats, wanted)) throw new Errno('EACCES')
}

/**
 * The result of access(2) for this process: root has every right, but may not execute a file that nobody may execute.
 */
function permits(stats: Stats, wanted: number): boolean {
  const { mode } = stats
  if (process.getuid?.() === 0) return (wanted & constants.X_OK) === 0 || stats.isDirectory() || (mode & 0o111) !== 0
  const shift = stats.uid === process.getuid?.() ? 6 : process.getgroups?.().includes(stats.gid) ? 3 : 0
  return ((mode >> shift) & wanted) === wanted
}

/** Never throws: a path that cannot be checked does not exist. */
export function exists(view: ReadView, [path]: Args): boolean {
  try {
    const direct = view.cached(path)?.exists()
    if (direct !== undefined) return direct
    const place = view.at(path, 'follow')
    if (!place.inside) return view.host(place).existsSync(place.path)
    return view.layer.typeOf(place.path) !== undefined
  } catch {
    return false
  }
}

type Seen = Stats | BigIntStats | undefined

export function stat(view: ReadView, args: Args, form: 'sync'): Seen
export function stat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen>
export function stat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen> {
  return statName(view, args, form, 'follow')
}

export function lstat(view: ReadView, args: Args, form: 'sync'): Seen
export function lstat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen>
export function lstat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen> {
  return statName(view, args, form, 'nofollow')
}

function statName(view: ReadView, [path, given]: Args, form: Form, follow: Follow): Seen | Promise<Seen> {
  const options = readStatOptions(given, form)
  const bigint = options.bigint === true
  try {
    const cached = view.cached(path)
    const direct = bigint ? cached?.lstatBig() : cached?.lstat()
    if (direct && (follow === 'nofollow' || !direct.isSymbolicLink())) return direct
    const place = view.at(path, follow)
    const stats = place.inside
      ? statInside(view, place, bigint)
      : view.host(place)[follow === 'follow' ? 'statSync' : 'lstatSync'](place.path, { bigint })
    if (stats) return stats
    throw new Errno('ENOENT')
  } catch (error) {
    if (options.throwIfNoEntry === false) return nothingOr(error, form, follow)
    throw error
  }
}

/** The result of an error under `throwIfNoEntry: false`: undefined, or the error. */
function nothingOr(error: unknown, form: Form, follow: Follow): undefined | Promise<undefined> {
  const code = codeOf(error) ?? ''
  const unless = (codes: readonly string[]): undefined => {
    if (!codes.includes(code)) throw error
  }
  if (form === 'sync') return unless(follow === 'nofollow' ? ['ENOENT'] : STAT_SYNC_ANSWERS_NOTHING)
  return follow === 'nofollow' ? unless([]) : statAnswersNothing().then(unless)
}

function statInside(view: ReadView, place: Inside, bigint: boolean): Seen {
  return bigint ? view.layer.lstatBig(place.path) : view.layer.lstat(place.path)
}

export function readFile(view: ReadView, [path, given]: Args, form: Form): Buffer | string | Promise<Buffer | string> {
  const options = readOptions(given)
  const encoding = readContentEncoding(options)
  const target = readBufferOption(options)
  if (target) return readInto(view, { path, options, target, encoding }, form)
  const signal = readSignal(options)
  const flag = form === 'promise' ? options.flag || undefined : options.flag
  if (isExclusive(flag) && isName(view, path)) throw new Errno('EEXIST')
  refuseWritingFlag(flag)
  // Node's sync form ignores the signal; the others check it again when the content is there.
  if (form === 'sync') return readAll(view, path, encoding, flag)
  checkSignal(signal)
  const later = isFd(path) ? undefined : readLater(view, path, signal)
  if (later) return later.then((content) => (encoding === undefined ? content : content.toString(encoding)))
  const began = performance.now()
  const content = withDirectoryPath(path, () => readAll(view, path, encoding, flag))
  view.recordReadTime(performance.now() - began)
  if (!signal) return content
  return afterTurn(() => {
    checkSignal(signal)
    return content
  })
}

interface ReadInto {
  readonly path: unknown
  readonly options: Readonly<Record<string, unknown>>
  readonly target: ReadTarget
  readonly encoding: BufferEncoding | undefined
}

function readInto(
  view: ReadView,
  { path, options, target, encoding }: ReadInto,
  form: Form,
): Buffer | string | Promise<Buffer | string> {
  const content = readFile(view, [path, { ...options, buffer: undefined, encoding: undefined }], form)
  const fill = (read: Buffer | string) => {
    const filled = fillTarget(target, Buffer.from(read))
    return encoding === undefined ? filled : filled.toString(encoding)
  }
  return content instanceof Promise ? content.then(fill) : fill(content)
}

/** Adds the path to the error of a directory, as some releases of Node do in the asynchronous forms. */
function withDirectoryPath<T>(path: unknown, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const isOfDirectory =
      codeOf(error) === 'EISDIR' && error instanceof Error && Reflect.get(error, 'syscall') === 'read'
    if (READ_OF_DIRECTORY_NAMES_PATH && isOfDirectory && !isFd(path)) throw new Errno('EISDIR', 'read')
    throw error
  }
}

function readAll(view: ReadView, path: unknown, encoding: BufferEncoding | undefined, flag: unknown): Buffer | string {
  if (isFd(path)) {
    const rest = readRest(view.descriptors.get(path))
    return encoding === undefined ? rest : rest.toString(encoding)
  }
  if (flag !== undefined && isWriting(readFlags(flag, 'r')) && isDirectory(view, path)) throw new Errno('EISDIR')
  return readNow(view, path, encoding)
}

function isExclusive(flag: unknown): boolean {
  const wanted = constants.O_CREAT | constants.O_EXCL
  return flag !== undefined && (readFlags(flag, 'r') & wanted) === wanted
}

/** As `exists`, and true for a dangling link. */
function isName(view: ReadView, path: unknown): boolean {
  try {
    return lstat(view, [path], 'sync') !== undefined
  } catch {
    return false
  }
}

function isDirectory(view: ReadView, path: unknown): boolean {
  const place = view.at(path, 'follow')
  return place.inside && place.type === 'dir'
}

/** The async lane: reads that would block the event loop use the host's own asynchronous calls. */
function readLater(view: ReadView, path: unknown, signal: AbortSignal | undefined): Promise<Buffer> | undefined {
  const cached = view.cached(path)
  if (cached?.staged) return undefined
  const place = cached && view.layer.typeOf(cached.path) === 'file' ? cached.path : fileAt(view, path)
  if (place === undefined || !view.isSlow(place)) return undefined
  return view.readLater(place).then(async (content) => {
    checkSignal(signal)
    view.onRead(place, content, content.length > PART ? await digestInParts(content) : undefined)
    return content
  })
}

function fileAt(view: ReadView, path: unknown): RelPath | undefined {
  const place = view.at(path, 'follow')
  return place.inside && place.type === 'file' ? place.path : undefined
}

function readNow(view: ReadView, path: unknown, encoding: BufferEncoding | undefined): Buffer | string {
  const cached = view.cached(path)
  const isText = encoding === 'utf8' || encoding === 'utf-8'
  const direct = cached && readCached(view, cached, isText)
  if (typeof direct === 'string') return direct
  const content = direct ?? readSlowly(view, path)
  return encoding === undefined ? content : content.toString(encoding)
}

/** Reads a plain name at once. The disk itself refuses a link (ELOOP), which is then resolved in full. */
function readCached(view: ReadView, cached: ResolvedPath, isText: boolean): Buffer | string | undefined {
  try {
    const text = isText ? cached.readText() : undefined
    // Text loses bytes that are not UTF-8, and the content lock compares bytes.
    const content = text === undefined || text.includes('\ufffd') ? cached.read() : text
    if (content !== undefined && cached.staged) view.seenStaged(cached.path)
    else if (content !== undefined) view.onRead(cached.path, content)
    return content
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') view.onRead(cached.path, undefined)
    if (code === 'ELOOP' || code === 'EMLINK') return undefined
    throw error
  }
}

function readSlowly(view: ReadView, path: unknown): Buffer {
  const place = view.at(path, 'follow')
  return place.inside ? readInside(view, place) : view.host(place).readFileSync(place.path)
}

function readInside(view: ReadView, place: Inside): Buffer {
  if (place.type === undefined) {
    view.onRead(place.path, undefined)
    throw new Errno('ENOENT')
  }
  const content = view.layer.read(place.path)
  view.onRead(place.path, content)
  return content
}

export function readlink(view: ReadView, [path, given]: Args): string | Buffer {
  const options = readOptions(given)
  readEncoding(options)
  const place = view.at(path, 'nofollow')
  if (!place.inside) return encodeName(view.host(place).readlinkSync(place.path), options)
  const type = view.layer.typeOf(place.path)
  if (type === undefined) throw new Errno('ENOENT')
  if (type !== 'symlink') throw new Errno('EINVAL')
  return encodeName(view.layer.readlink(place.path), options)
}

/** Node's JavaScript realpath reports `lstat` of the absolute path; realpath.native reports `realpath` of the name. */
export function realpath(view: ReadView, [path, given]: Args, form: Form): string | Buffer {
  const options = readOptions(given)
  readEncoding(options)
  // The JavaScript forms (sync and callback) normalise the name first: `..` before links, no slash at the end.
  const place = view.at(form === 'promise' ? path : resolve(view.root, pathText(path)), 'follow')
  if (!place.inside) return encodeName(view.host(place).realpathSync(place.path), options)
  if (view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  return encodeName(place.path === '' ? view.root : `${view.root}/${place.path}`, options)
}
