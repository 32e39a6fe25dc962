import type fs from 'node:fs'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Errno, isWithin, pathText } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { denialError } from '../core/denials.js'
import { runInTool, type ToolContext } from '../core/tool-context.js'
import { type Name, type OtherWay, onlyReads, type RouteContext, routedFs, type View } from '../fs/index.js'
import { createFile, ensureDir, removeName } from '../host/write.js'
import { syncState } from '../session/index.js'
import { type HostCall, PendingDirectories } from './pending-directories.js'
import { formsOf, HostScratch, scratchFile } from './scratch.js'

/** What of a host's process is its own. */
export interface HostFsOptions {
  /**
   * Directories of the host's own outside of the workspace, absolute: its storage, its logs. What is there it may change
   * also while a tool runs.
   */
  readonly hostDirectories?: readonly string[]
  /**
   * Whether what the host reads outside of tool calls counts as shown to the model (true unless told). Say false where tool
   * calls come by hooks: then only what its read tools read does.
   */
  readonly readsAreShown?: boolean
  /**
   * Roo Code makes the directories of a new file before anybody has approved the file, and its dispatcher locks up when a mkdir
   * throws. There a directory is made with the first file in it, and a refused one is no error.
   */
  readonly host?: ToolContext['host']
  /** Decides what the host changes in the workspace outside of tool calls; all of it is staged unless told. */
  readonly outsideCalls?: (path: string) => OutsideCall
  /** Whether the call of `fs` under way is the host's own although a tool call is under way; none is unless told. */
  readonly isHostsOwn?: () => boolean
}

/**
 * What becomes of a host's own change of the workspace, outside of any tool call. `stage`: it is staged. `disk`: a person made it
 * in the host's own screens, so it reaches the disk. `refuse`: it fails with EACCES.
 */
export type OutsideCall = 'stage' | 'disk' | 'refuse'

/**
 * An fs for a host's whole process, which never asked for a session. What concerns the workspace is the session's, in a
 * tool call or out of it; places outside are the host's, and in a tool call they are judged by policy as well. Relative
 * names begin where the process is.
 * @param session asked anew by each call; where it throws, the call fails
 */
export function hostFs(session: Session | (() => Session), options: HostFsOptions = {}): typeof fs {
  const current = typeof session === 'function' ? session : () => session
  const roo = options.host === 'roo' ? new RooFiles() : undefined
  return routedFs(() => routeContextOf(current(), options, roo))
}

/** What Roo Code's code makes before, or beside, the file it is about to write. */
class RooFiles {
  /** Directories of files that may be staged, and of files that a person writes on the disk. */
  readonly pending = { staged: new PendingDirectories(), disk: new PendingDirectories() }
  readonly scratch = new HostScratch()
}

function routeContextOf(session: Session, options: HostFsOptions, roo: RooFiles | undefined): RouteContext {
  const own = (options.hostDirectories ?? []).map((dir) => resolve(dir))
  const { view, tool } = syncState(session)
  const { root } = view
  const outside = (stem: string, args: readonly unknown[], path: string): OutsideCall => {
    if (options.outsideCalls === undefined || onlyReads(stem, args)) return 'stage'
    const inCall = tool() !== undefined
    if (inCall && options.isHostsOwn?.() !== true) return 'stage'
    const place = placeOnDisk(path)
    // A link in the workspace could lead a person's change elsewhere: the session refuses it, and records why.
    const word = isWithin(place, root) ? options.outsideCalls(place) : 'stage'
    return inCall && word === 'refuse' ? 'stage' : word
  }
  const asHost = <T>(work: () => T): T =>
    tool() === undefined ? runInTool({ ...HOST, ...(options.host && { host: options.host }) }, work) : work()
  const context: RouteContext = {
    governed: session.fs,
    root,
    inCall: tool() !== undefined,
    runOnHost(stem, args, names, run) {
      const paths = pathsOf(names)
      if (paths.some((path) => outside(stem, args, path) === 'refuse')) return refuseCall(stem, args, paths)
      const reads = onlyReads(stem, args)
      const counted = options.readsAreShown === false && reads ? () => asHost(run) : run
      const create = (dir: string) => asHost(() => session.fs.mkdirSync(dir, { recursive: true }))
      const exists = (path: string) => session.fs.existsSync(path)
      return roo ? roo.pending.staged.around({ stem, args, paths, reads }, { exists, create }, counted) : counted()
    },
    other(stem, args, names) {
      const paths = pathsOf(names)
      if (paths.length !== names.length) return undefined
      const reads = onlyReads(stem, args)
      const isByPerson = !reads && paths.every((path) => outside(stem, args, path) === 'disk')
      if (isByPerson) {
        const onDisk = { exists: existsSync, create: ensureDir }
        const run = (call: () => unknown) =>
          roo ? roo.pending.disk.around({ stem, args, paths, reads }, onDisk, call) : call()
        return { to: 'host', given: args, run }
      }
      return roo && targetsOutside(roo.scratch, { stem, args, paths }, context)
    },
    leadsIn: (path, follow) => leadsIn(view, path, follow),
    holdsRoot(path) {
      const place = placeOf(view, textOf(path) ?? '/', true) ?? '/'
      return place === '/' || isWithin(root, place) || isOneOf(place, withAncestors(root))
    },
    isHosts(path, follow) {
      const text = textOf(path)
      const place = text === undefined ? undefined : placeOf(view, text, follow)
      return place !== undefined && own.some((dir) => isWithin(place, placeOf(view, dir, true) ?? dir))
    },
  }
  return context
}

function pathsOf(names: readonly Name[]): string[] {
  return names.flatMap((name) => textOf(name) ?? []).map((name) => resolve(name))
}

/** Functions whose first argument is no name, or that make a name of another file. */
const UNNAMED = new Set(['symlink', 'link', 'glob', 'cp'])

/** A call on files that lie beside a target until they are renamed onto it; undefined for any other. */
function targetsOutside(
  scratch: HostScratch,
  { stem, args, paths }: Pick<HostCall, 'stem' | 'args' | 'paths'>,
  { governed, root, runOnHost }: RouteContext,
): OtherWay | undefined {
  if (UNNAMED.has(stem)) return undefined
  const isFree = (path: string) => isWithin(path, root) && !governed.existsSync(path)
  const places = paths.map((path, at) => scratch.placeOf(stem, path, at === paths.length - 1 && isFree(path)))
  const [from, to = from] = places
  const [source = '', target = source] = paths
  if (places.every((place) => place !== undefined))
    return { to: 'host', given: [...places, ...args.slice(places.length)], run: (call) => call() }
  if (stem === 'rename' && from !== undefined) {
    const land = () => {
      const { data, mode } = scratchFile(from)
      governed.writeFileSync(target, data, { mode })
      removeName(from)
    }
    const run = (call: () => unknown) => runOnHost('writeFile', [target], [target], call)
    return { to: formsOf(land), given: args, run }
  }
  if (stem === 'copyFile' && to !== undefined && from === undefined) {
    const copy = () => createFile(to, governed.readFileSync(source), 0o600, false)
    return { to: formsOf(copy), given: args, run: (call) => runOnHost('readFile', [source], [source], call) }
  }
  return undefined
}

/** A path whose directories are followed as far as they are on the disk. */
function placeOnDisk(path: string): string {
  const dir = dirname(path)
  if (dir === path) return path
  const real = lookAt(dir, (each) => realpathSync(each))
  return join(real ?? placeOnDisk(dir), basename(path))
}

/** A change outside of any tool call that nobody can be asked about. Roo's dispatcher must not meet an error of mkdir. */
function refuseCall(stem: string, args: readonly unknown[], [path]: readonly string[]): unknown {
  const told = args.at(-1)
  const isMkdir = stem === 'mkdir'
  const message = `Access Denied: no tool call is under way, so nothing in the workspace is changed for one.`
  const error = isMkdir ? null : denialError({ reason: 'access_denied', message }, stem, path)
  if (typeof told === 'function') return process.nextTick(told, error)
  if (error) throw error
}

/** What a host does outside of tool calls, where it is not taken for its model's: no call, and no base of the content lock. */
const HOST = { tool: 'host', callId: '', kind: 'other' } as const

/** In doubt it does: then the session refuses what the name is wrong in. */
function leadsIn(view: View, path: Name, follow: boolean): boolean {
  const text = textOf(path)
  if (text === undefined) return true
  const plain = resolve(text)
  if (isWithin(plain, view.root)) return true
  return [text, plain].some((name) => {
    const place = placeOf(view, name, follow)
    return place === undefined || isOneOf(view.root, withAncestors(place))
  })
}

/** A path and the directories above it. */
function withAncestors(path: string): string[] {
  const ways = [path]
  for (let at = path; at !== dirname(at); at = dirname(at)) ways.push(dirname(at))
  return ways
}

/**
 * Whether a directory is one of some under another name: of other case, where the disk folds case, or of another mount. What is
 * mounted below a directory is not looked for.
 */
function isOneOf(dir: string, others: readonly string[]): boolean {
  const look = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
  const own = lookAt(dir, look)
  if (!own?.isDirectory()) return false
  return others.some((other) => {
    const found = lookAt(other, look)
    return found !== undefined && found.ino === own.ino && found.dev === own.dev
  })
}

/** What cannot be looked at is not known to be the same. */
function lookAt<T>(path: string, look: (path: string) => T): T | undefined {
  try {
    return look(path)
  } catch {
    return undefined
  }
}

function textOf(path: Name): string | undefined {
  try {
    return pathText(path)
  } catch {
    return undefined
  }
}

/** Where outside of the workspace a name leads, as far as it can be walked; undefined where it leads inside. */
function placeOf(view: View, name: string, follow: boolean): string | undefined {
  return view.within(() => {
    for (let text = name; ; text = dirname(text)) {
      try {
        const place = view.at(text, follow || text !== name ? 'follow' : 'exact')
        return place.inside ? undefined : place.path + name.slice(text.length)
      } catch (error) {
        if (!(error instanceof Errno) || text === '/') throw error
      }
    }
  })
}
