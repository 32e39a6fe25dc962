import fs from 'node:fs'
import { isAbsolute } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import { FIRST_DESCRIPTOR } from './descriptors.js'
import { GovernedFileHandle } from './file-handle.js'
import { CP_SYNC_FOLLOWS_LINKS } from './host-traits.js'
import { type NameUse, rowOf } from './ops.js'

/** The context of a routed call at its time. Names passed to it are absolute. */
export interface RouteContext {
  readonly governed: typeof fs
  /** The workspace's root, which is the base of relative names in the governed functions. */
  readonly root: string
  /** Whether this call belongs to a running tool call. */
  readonly inCall: boolean
  /** Whether a name leads into the workspace, physically or lexically. */
  leadsIn(path: Name, follow: boolean): boolean
  /** Whether a name's target contains the workspace. */
  containsRoot(path: Name): boolean
  /** Whether a name leads to one of the host's own places, which stay its own within a tool call. */
  isHosts(path: Name, follow: boolean): boolean
  /** A replacement for the governed function in a call on names in the workspace; undefined if there is none. */
  other(stem: string, args: readonly unknown[], names: readonly Name[]): OtherWay | undefined
  /** Runs a governed call on its names, as one of the host's own kinds of work. */
  runOnHost(stem: string, args: readonly unknown[], names: readonly Name[], run: () => unknown): unknown
}

/** A path argument as text or bytes. */
export type Name = string | Buffer

export interface Route {
  readonly to: object
  readonly given: readonly unknown[]
  run(call: () => unknown): unknown
}

/** A replacement for the governed function. `host` is the host's own `fs`. */
export interface OtherWay extends Omit<Route, 'to'> {
  readonly to: object | 'host'
}

type Args = readonly unknown[]

/**
 * Chooses the functions for a call, and its arguments. Uncertain calls go to the governed functions, which refuse them.
 * @param isSync whether it is the sync form of a function
 */
export function routeCall(stem: string, args: Args, context: RouteContext, isSync = false): Route {
  const governedRoute = (callArgs = args, names: readonly Name[] = []): Route => {
    return { to: context.governed, given: callArgs, run: (call) => context.runOnHost(stem, callArgs, names, call) }
  }
  const hosts: Route = { to: fs, given: args, run: (call) => call() }
  if (rowOf(stem).kind === 'refused' || goesThroughLinks(stem, args, isSync)) return governedRoute()
  const opened = ownerOf(args[0]) ?? ownerOf(fdOption(stem, args))
  if (opened !== undefined) return opened === 'host' ? hosts : governedRoute()
  const places = placesOf(stem, args)
  const names = places.map((at) => nameIn(stem, args, at))
  const absolute = names.flatMap((name) => (name === undefined ? [] : [absoluteName(name)]))
  const areNames = names.length > 0 && absolute.length === names.length
  if (areNames && absolute.every((name) => isTheHosts(stem, name, context))) return hosts
  const other = areNames ? context.other(stem, args, absolute) : undefined
  if (other) return { ...other, to: other.to === 'host' ? fs : other.to }
  return governedRoute(fromRoot(stem, args, places, context.root), absolute)
}

function isTheHosts(stem: string, name: Name, context: RouteContext): boolean {
  const { follow, tree } = nameUseOf(stem)
  if (context.inCall && !context.isHosts(name, follow)) return false
  return !context.leadsIn(name, follow) && !(tree && context.containsRoot(name))
}

/** A stream is opened by a name, and follows links. */
function nameUseOf(stem: string): Pick<NameUse, 'follow' | 'tree'> {
  const row = rowOf(stem)
  return 'follow' in row ? row : { follow: true, tree: false }
}

/** The owner of a descriptor or handle: ours have numbers of their own. Undefined for any other value. */
function ownerOf(value: unknown): 'governed' | 'host' | undefined {
  if (typeof value === 'number') return value >= FIRST_DESCRIPTOR ? 'governed' : 'host'
  if (value instanceof GovernedFileHandle) return 'governed'
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array || value instanceof URL) return
  return 'fd' in value && typeof value.fd === 'number' ? ownerOf(value.fd) : undefined
}

function fdOption(stem: string, [, options]: Args): unknown {
  if (!stem.startsWith('create') || typeof options !== 'object' || options === null) return undefined
  return 'fd' in options ? options.fd : undefined
}

/** Whether a copy writes through links in its destination, wherever they lead. */
function goesThroughLinks(stem: string, [, dest, options]: Args, isSync: boolean): boolean {
  if (stem !== 'cp' || typeof options !== 'object' || options === null) return false
  if ('dereference' in options && options.dereference === true) return true
  if (!isSync || !CP_SYNC_FOLLOWS_LINKS || !('recursive' in options) || options.recursive !== true) return false
  const name = nameIn(stem, [dest], 0)
  return name === undefined || hasLinks(String(name))
}

/** Whether a directory has a symlink at any depth. True if it cannot be listed, but not if it is absent. */
function hasLinks(dir: string): boolean {
  try {
    const entries = fs.readdirSync(dir, { withFileTypes: true })
    return entries.some((each) => each.isSymbolicLink() || (each.isDirectory() && hasLinks(`${dir}/${each.name}`)))
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes(String(codeOf(error)))
  }
}

/** Whether a call changes nothing, with any arguments. */
export function onlyReads(stem: string, [, flags]: Args): boolean {
  if (stem === 'open') return flags === undefined || flags === 'r' || flags === 0 || typeof flags === 'function'
  return stem === 'createReadStream' || rowOf(stem).kind === 'read'
}

/** The positions of the arguments that are names. */
function placesOf(stem: string, args: Args): number[] {
  if (stem === 'symlink') return [1]
  if (stem === 'glob') return [1]
  const row = rowOf(stem)
  if (row.kind === 'derived') return [0]
  const paths = row.kind === 'refused' ? 0 : row.paths
  return [0, 1].slice(0, Math.min(paths, args.length))
}

/** A name argument; undefined for another value. The base of `glob` comes from its options. */
function nameIn(stem: string, args: Args, at: number): Name | undefined {
  const value = stem === 'glob' ? cwdOf(args[at]) : args[at]
  if (value instanceof URL) return value.protocol === 'file:' ? decodedName(value) : undefined
  if (value instanceof Uint8Array) return Buffer.from(value)
  return typeof value === 'string' && value !== '' && !value.includes('\0') ? value : undefined
}

function decodedName(url: URL): string | undefined {
  try {
    return decodeURIComponent(url.pathname)
  } catch {
    return undefined
  }
}

function cwdOf(options: unknown): unknown {
  if (typeof options !== 'object' || options === null || !('cwd' in options)) return process.cwd()
  return options.cwd ?? process.cwd()
}

function absoluteName(name: Name): Name {
  if (typeof name === 'string') return isAbsolute(name) ? name : `${process.cwd()}/${name}`
  return name[0] === SLASH ? name : Buffer.concat([Buffer.from(`${process.cwd()}/`), name])
}

const SLASH = 0x2f

/** Relative names of a process begin at its current directory; those of the governed functions begin at the root. */
function fromRoot(stem: string, args: Args, places: readonly number[], root: string): Args {
  if (process.cwd() === root) return args
  return args.map((arg, at) => {
    if (!places.includes(at)) return arg
    if (stem === 'glob') return typeof arg === 'object' && arg !== null ? { ...arg, cwd: absoluteCwd(arg) } : arg
    return typeof arg === 'string' && arg !== '' ? absoluteName(arg) : arg instanceof Uint8Array ? toAbsolute(arg) : arg
  })
}

function toAbsolute(name: Uint8Array): Name {
  return name.length === 0 ? Buffer.from(name) : absoluteName(Buffer.from(name))
}

function absoluteCwd(options: object): unknown {
  const cwd = cwdOf(options)
  return typeof cwd === 'string' ? absoluteName(cwd) : cwd
}
