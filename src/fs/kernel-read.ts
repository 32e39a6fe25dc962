import fs, { type BigIntStats, constants, type Dirent, type Stats } from 'node:fs'
import { join, resolve } from 'node:path'
import { codeOf, Errno } from '../../overlay/errno.js'
import type { Entry } from '../../overlay/layer.js'
import { pathText, type RelPath } from '../../overlay/path.js'
import type { Follow, Inside } from '../../overlay/resolve.js'
import { checkSignal, encodeName, readBoolean, readEncoding, readInteger, readOptions } from './args.js'
import { STAT_SYNC_ANSWERS_NOTHING, statAnswersNothing, TYPED_READDIR_FOLLOWS_LINKS } from './host-traits.js'
import { readRest } from './kernel-fd.js'
import { refuseWritingFlag } from './open-rules.js'
import type { Args, Form } from './ops.js'
import type { Spot } from './spots.js'
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

/** What access(2) answers for this process: root may do all but execute what nobody may. */
function permits(stats: Stats, wanted: number): boolean {
  const { mode } = stats
  if (process.getuid?.() === 0) return (wanted & constants.X_OK) === 0 || stats.isDirectory() || (mode & 0o111) !== 0
  const shift = stats.uid === process.getuid?.() ? 6 : process.getgroups?.().includes(stats.gid) ? 3 : 0
  return ((mode >> shift) & wanted) === wanted
}

/** Never throws: what cannot be looked at does not exist. */
export function exists(view: ReadView, [path]: Args): boolean {
  try {
    const direct = view.spot(path)?.exists()
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
  return look(view, args, form, 'follow')
}

export function lstat(view: ReadView, args: Args, form: 'sync'): Seen
export function lstat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen>
export function lstat(view: ReadView, args: Args, form: Form): Seen | Promise<Seen> {
  return look(view, args, form, 'nofollow')
}

function look(view: ReadView, [path, given]: Args, form: Form, follow: Follow): Seen | Promise<Seen> {
  const options = readOptions(given)
  const bigint = options.bigint === true
  try {
    const spot = view.spot(path)
    const direct = bigint ? spot?.lstatBig() : spot?.lstat()
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

/** What `throwIfNoEntry: false` makes of an error: nothing, or the error. */
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
  const encoding = readEncoding(options)
  checkSignal(options)
  refuseWritingFlag(options.flag)
  if (typeof path === 'number') {
    const rest = readRest(view.descriptors.get(path))
    return encoding === undefined ? rest : rest.toString(encoding)
  }
  const later = form === 'sync' ? undefined : readLater(view, path, options)
  if (later) return later.then((content) => (encoding === undefined ? content : content.toString(encoding)))
  if (form === 'sync') return readNow(view, path, encoding)
  const began = performance.now()
  const content = readNow(view, path, encoding)
  view.took(performance.now() - began)
  return content
}

/** The async lane: what would hold up the event loop is read by the host's own asynchronous calls. */
function readLater(
  view: ReadView,
  path: unknown,
  options: ReturnType<typeof readOptions>,
): Promise<Buffer> | undefined {
  const spot = view.spot(path)
  if (spot?.staged) return undefined
  const place = spot && view.layer.typeOf(spot.path) === 'file' ? spot.path : fileAt(view, path)
  if (place === undefined || !view.isSlow(place)) return undefined
  return view.readLater(place).then((content) => {
    checkSignal(options)
    view.seen(place, content)
    return content
  })
}

function fileAt(view: ReadView, path: unknown): RelPath | undefined {
  const place = view.at(path, 'follow')
  return place.inside && place.type === 'file' ? place.path : undefined
}

function readNow(view: ReadView, path: unknown, encoding: BufferEncoding | undefined): Buffer | string {
  const spot = view.spot(path)
  const isText = encoding === 'utf8' || encoding === 'utf-8'
  const direct = spot && readSpot(view, spot, isText)
  if (typeof direct === 'string') return direct
  const content = direct ?? readSlowly(view, path)
  return encoding === undefined ? content : content.toString(encoding)
}

/** Reads a plain name at once: the disk itself refuses a link (ELOOP), which then takes the long way. */
function readSpot(view: ReadView, spot: Spot, isText: boolean): Buffer | string | undefined {
  try {
    const text = isText ? spot.readText() : undefined
    // Bytes that are no UTF-8 are lost in a text: the content lock goes by the bytes.
    const content = text === undefined || text.includes('\ufffd') ? spot.read() : text
    if (content !== undefined && spot.staged) view.seenStaged(spot.path)
    else if (content !== undefined) view.seen(spot.path, content)
    return content
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT') view.seen(spot.path, undefined)
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
    view.seen(place.path, undefined)
    throw new Errno('ENOENT')
  }
  const content = view.layer.read(place.path)
  view.seen(place.path, content)
  return content
}

export function readlink(view: ReadView, [path, given]: Args): string | Buffer {
  const options = readOptions(given)
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
  // In JavaScript (sync and callback) Node normalises the name first: `..` before links, no slash at the end.
  const place = view.at(form === 'promise' ? path : resolve(view.root, pathText(path)), 'follow')
  if (!place.inside) return encodeName(view.host(place).realpathSync(place.path), options)
  if (view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  return encodeName(place.path === '' ? view.root : `${view.root}/${place.path}`, options)
}

export function readdir(view: ReadView, [path, given]: Args, form: Form): unknown {
  const options = readOptions(given)
  readEncoding(options)
  const recursive = readBoolean('options.recursive', options.recursive, false)
  if (!recursive && !options.withFileTypes) {
    const place = view.at(path, 'follow')
    if (place.inside) return namesIn(view, place, options)
  }
  const followsLinks = !options.withFileTypes || (form !== 'promise' && TYPED_READDIR_FOLLOWS_LINKS)
  const listing: Listing = { view, options, shown: pathText(path), followsLinks, found: [], dirs: [] }
  list(listing, '')
  // Node's own order: first found first, but in the promise form last found first.
  const next = () => (form === 'promise' ? listing.dirs.pop() : listing.dirs.shift())
  if (recursive && form !== 'sync') return listInTurns(listing, next)
  if (recursive) for (let below = next(); below !== undefined; below = next()) list(listing, below)
  return listing.found
}

function namesIn(view: ReadView, place: Inside, options: Readonly<Record<string, unknown>>): (string | Buffer)[] {
  if (place.type !== 'dir') throw new Errno(view.layer.typeOf(place.path) === undefined ? 'ENOENT' : 'ENOTDIR')
  const names = view.layer.names(place.path)
  return options.encoding === undefined ? names : names.map((name) => encodeName(name, options))
}

/** How long (milliseconds) a walk may hold the event loop before it lets others have a turn. */
const TURN_MS = 5

async function listInTurns(listing: Listing, next: () => string | undefined): Promise<unknown[]> {
  let began = performance.now()
  for (let below = next(); below !== undefined; below = next()) {
    const dir = below
    listing.view.within(() => list(listing, dir))
    if (performance.now() - began < TURN_MS) continue
    await new Promise((turn) => setImmediate(turn))
    began = performance.now()
  }
  return listing.found
}

interface Listing {
  readonly view: ReadView
  readonly options: Readonly<Record<string, unknown>>
  /** The directory as the caller spelt it: what Dirent.parentPath begins with. */
  readonly shown: string
  readonly followsLinks: boolean
  readonly found: unknown[]
  /** Directories found, relative to the first. */
  readonly dirs: string[]
}

function list(listing: Listing, below: string): void {
  const { view, shown, followsLinks } = listing
  for (const entry of entriesOf(view, below === '' ? shown : `${shown}/${below}`)) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    listing.found.push(shape(listing, entry, below, name))
    const isDir = entry.type === 'dir' || (followsLinks && leadsToDir(view, entry, `${shown}/${name}`))
    if (isDir) listing.dirs.push(name)
  }
}

/** A directory's entries by a name of it, wherever it is. */
export function entriesOf(view: ReadView, text: string): Entry[] {
  const place = view.at(text, 'follow')
  if (!place.inside) return view.entries(place)
  if (view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  return view.layer.readdir(place.path)
}

export function leadsToDir(view: ReadView, entry: Entry, text: string): boolean {
  if (entry.type !== 'symlink') return false
  try {
    const place = view.at(text, 'follow')
    return place.inside ? place.type === 'dir' : view.host(place).statSync(place.path).isDirectory()
  } catch {
    return false
  }
}

function shape(listing: Listing, entry: Entry, below: string, name: string): unknown {
  if (!listing.options.withFileTypes) return encodeName(name, listing.options)
  const parent = below === '' ? listing.shown : join(listing.shown, below)
  return direntOf(entry, parent, listing.options)
}

// libuv's uv_dirent_type_t; `fs.constants` has them too, its types do not.
const DIRENT_TYPES = { other: 0, file: 1, dir: 2, symlink: 3 }

export function direntOf(entry: Entry, parent: string, options: Readonly<Record<string, unknown>>): Dirent {
  const name = encodeName(entry.name, options)
  // The class is exported, its constructor is in every host; only the types leave it out.
  return Reflect.construct(fs.Dirent, [name, DIRENT_TYPES[entry.type], parent]) as Dirent
}
