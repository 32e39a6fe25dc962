import fs, { type BigIntStats, constants, type Dirent, type Stats } from 'node:fs'
import { Errno } from '../../overlay/errno.js'
import type { Entry } from '../../overlay/layer.js'
import type { RelPath } from '../../overlay/path.js'
import type { Inside } from '../../overlay/resolve.js'
import {
  checkSignal,
  encodeName,
  isWriting,
  readBoolean,
  readEncoding,
  readFlags,
  readInteger,
  readOptions,
} from './args.js'
import type { ReadView } from './view.js'

/** The bodies of the reading ops. Each reads its arguments once and works on the merged view. */

type Args = readonly unknown[]

export function access(view: ReadView, [path, mode]: Args): void {
  const wanted = mode === undefined || mode === null ? constants.F_OK : readInteger('mode', mode, 0, 7)
  const place = view.at(path, true)
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
    const place = view.at(path, true)
    if (!place.inside) return view.host(place).existsSync(place.path)
    return view.layer.typeOf(place.path) !== undefined
  } catch {
    return false
  }
}

export function stat(view: ReadView, args: Args): Stats | BigIntStats | undefined {
  return look(view, args, true)
}

export function lstat(view: ReadView, args: Args): Stats | BigIntStats | undefined {
  return look(view, args, false)
}

function look(view: ReadView, [path, given]: Args, follow: boolean): Stats | BigIntStats | undefined {
  const options = readOptions(given)
  const bigint = options.bigint === true
  try {
    const place = view.at(path, follow)
    const stats = place.inside
      ? statInside(view, place, bigint)
      : view.host(place)[follow ? 'statSync' : 'lstatSync'](place.path, { bigint })
    if (stats) return stats
    throw new Errno('ENOENT')
  } catch (error) {
    if (options.throwIfNoEntry === false && (error as { code?: string }).code === 'ENOENT') return undefined
    throw error
  }
}

function statInside(view: ReadView, place: Inside, bigint: boolean): Stats | BigIntStats | undefined {
  return bigint ? view.layer.lstatBig(place.path) : view.layer.lstat(place.path)
}

export function readFile(view: ReadView, [path, given]: Args): Buffer | string {
  const options = readOptions(given)
  const encoding = readEncoding(options)
  checkSignal(options)
  if (isWriting(readFlags(options.flag, 'r') & ~constants.O_RDWR)) throw new Errno('ENOSYS')
  const place = view.at(path, true)
  const content = place.inside ? readInside(view, place) : view.host(place).readFileSync(place.path)
  return encoding === undefined ? content : content.toString(encoding)
}

function readInside(view: ReadView, place: Inside): Buffer {
  if (place.type === undefined) {
    view.seen(place, undefined)
    throw new Errno('ENOENT')
  }
  const content = view.layer.read(place.path)
  view.seen(place, content)
  return content
}

export function readlink(view: ReadView, [path, given]: Args): string | Buffer {
  const options = readOptions(given)
  const place = view.at(path, false)
  if (!place.inside) return encodeName(view.host(place).readlinkSync(place.path), options)
  const type = view.layer.typeOf(place.path)
  if (type === undefined) throw new Errno('ENOENT')
  if (type !== 'symlink') throw new Errno('EINVAL')
  return encodeName(view.layer.readlink(place.path), options)
}

/** Node's JavaScript realpath reports `lstat` of the absolute path; realpath.native reports `realpath` of the name. */
export function realpath(view: ReadView, [path, given]: Args): string | Buffer {
  const options = readOptions(given)
  const place = view.at(path, true)
  if (!place.inside) return encodeName(view.host(place).realpathSync(place.path), options)
  if (view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  return encodeName(place.path === '' ? view.root : `${view.root}/${place.path}`, options)
}

export function readdir(view: ReadView, [path, given]: Args): unknown {
  const options = readOptions(given)
  readEncoding(options)
  const recursive = readBoolean('options.recursive', options.recursive, false)
  const place = view.at(path, true)
  if (!place.inside) return view.host(place).readdirSync(place.path, given as { withFileTypes: true })
  if (place.type === undefined || view.layer.typeOf(place.path) === undefined) throw new Errno('ENOENT')
  const listing: Listing = { view, options, shown: shownName(path), found: [] }
  list(listing, place.path, '')
  if (recursive) walkDirs(listing, place.path)
  return listing.found
}

interface Listing {
  readonly view: ReadView
  readonly options: Readonly<Record<string, unknown>>
  /** The directory as the caller spelt it: what Dirent.parentPath begins with. */
  readonly shown: string
  readonly found: unknown[]
  dirs?: string[]
}

function shownName(path: unknown): string {
  if (path instanceof URL) return decodeURIComponent(path.pathname)
  return typeof path === 'string' ? path : Buffer.from(path as Uint8Array).toString()
}

/** Node lists breadth first: each directory's names, then those of the directories found, in the order found. */
function walkDirs(listing: Listing, root: RelPath): void {
  for (const below of listing.dirs ?? []) list(listing, (root === '' ? below : `${root}/${below}`) as RelPath, below)
}

function list(listing: Listing, dir: RelPath, below: string): void {
  listing.dirs ??= []
  for (const entry of listing.view.layer.readdir(dir)) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    listing.found.push(shape(listing, entry, below, name))
    if (entry.type === 'dir') listing.dirs.push(name)
  }
}

function shape(listing: Listing, entry: Entry, below: string, name: string): unknown {
  if (!listing.options.withFileTypes) return encodeName(name, listing.options)
  const parent = below === '' ? listing.shown : joinShown(listing.shown, below)
  return makeDirent(encodeName(entry.name, listing.options), entry, parent)
}

/** path.join as Node applies it to a Dirent's parent: `./` and doubled slashes go. */
function joinShown(shown: string, below: string): string {
  if (shown === '.' || shown === './') return below
  return shown.endsWith('/') ? shown + below : `${shown}/${below}`
}

// libuv's uv_dirent_type_t; `fs.constants` has them too, its types do not.
const DIRENT_TYPES = { other: 0, file: 1, dir: 2, symlink: 3 }

function makeDirent(name: string | Buffer, entry: Entry, parent: string): Dirent {
  // The class is exported, its constructor is in every host; only the types leave it out.
  return Reflect.construct(fs.Dirent, [name, DIRENT_TYPES[entry.type], parent]) as Dirent
}
