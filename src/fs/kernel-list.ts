import fs, { type Dirent } from 'node:fs'
import { join } from 'node:path'
import { type Entry, Errno, type Inside, pathText, type RelPath } from '../../overlay/index.js'
import { encodeName, readBoolean, readEncoding, readOptions } from './args.js'
import { nextTurn } from './fairness.js'
import { READDIR_PROMISE_WALKS_ALIKE, TYPED_READDIR_FOLLOWS_LINKS } from './host-traits.js'
import type { Args, Form } from './op-types.js'
import type { ReadView } from './view.js'

/** The body of `readdir`, and the listing functions of other ops. */

export function readdir(view: ReadView, [path, given]: Args, form: Form): unknown {
  const options = readOptions(given)
  readEncoding(options)
  const recursive = isRecursive(options, form)
  if (!recursive && !options.withFileTypes) {
    const place = view.at(path, 'follow')
    if (place.inside) return namesIn(view, dirOf(view, place), options)
  }
  const walksDifferently = form === 'promise' && !READDIR_PROMISE_WALKS_ALIKE
  const followsLinks = !options.withFileTypes || (!walksDifferently && TYPED_READDIR_FOLLOWS_LINKS)
  const listing: Listing = { view, options, shown: pathText(path), followsLinks, found: [], dirs: [] }
  list(listing, '')
  // Node's own order: in some releases the promise form lists the directory that it found last first.
  const next = () => (walksDifferently ? listing.dirs.pop() : listing.dirs.shift())
  if (recursive && form !== 'sync') return listInTurns(listing, next)
  if (recursive) for (let below = next(); below !== undefined; below = next()) list(listing, below)
  return listing.found
}

/** The promise form takes any truthy value. */
function isRecursive({ recursive }: Readonly<Record<string, unknown>>, form: Form): boolean {
  return form === 'promise' ? Boolean(recursive) : readBoolean('options.recursive', recursive ?? undefined, false)
}

function dirOf(view: ReadView, place: Inside): RelPath {
  if (place.type !== 'dir') throw new Errno(view.layer.typeOf(place.path) === undefined ? 'ENOENT' : 'ENOTDIR')
  return place.path
}

function namesIn(view: ReadView, dir: RelPath, options: Readonly<Record<string, unknown>>): (string | Buffer)[] {
  const names = view.layer.names(dir)
  return options.encoding === undefined ? names : names.map((name) => encodeName(name, options))
}

async function listInTurns(listing: Listing, next: () => string | undefined): Promise<unknown[]> {
  for (let below = next(); below !== undefined; below = next()) {
    const dir = below
    listing.view.within(() => list(listing, dir))
    const turn = nextTurn()
    if (turn) await turn
  }
  return listing.found
}

interface Listing {
  readonly view: ReadView
  readonly options: Readonly<Record<string, unknown>>
  /** The directory as the caller gave it: the start of Dirent.parentPath. */
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

/** A directory's entries by one of its names, inside or outside. */
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

// libuv's uv_dirent_type_t. `fs.constants` has them too, but its types do not.
const DIRENT_TYPES = { other: 0, file: 1, dir: 2, symlink: 3 }

export function direntOf(entry: Entry, parent: string, options: Readonly<Record<string, unknown>>): Dirent {
  const name = encodeName(entry.name, options)
  // The class is exported and every host has its constructor. Only the types leave it out.
  return Reflect.construct(fs.Dirent, [name, DIRENT_TYPES[entry.type], parent]) as Dirent
}
