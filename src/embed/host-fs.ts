import type fs from 'node:fs'
import { existsSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { Errno, isWithin, pathText } from '../../overlay/index.js'
import type { Session } from '../core/api.js'
import { denialError } from '../core/denials.js'
import { runInTool, type ToolContext } from '../core/tool-context.js'
import { type Name, type OtherWay, onlyReads, type RouteContext, routedFs, type View } from '../fs/index.js'
import { createFile, ensureDir, removeName } from '../os/write.js'
import { syncState } from '../session/index.js'
import { type HostCall, PendingDirectories } from './pending-directories.js'
import { formsOf, HostScratch, scratchFile } from './scratch.js'

/** Options of {@link hostFs}. */
export interface HostFsOptions {
  /**
   * Absolute paths of the host's own directories outside the workspace, such as its storage and logs. The host may also change them
   * during a tool call.
   */
  readonly hostDirectories?: readonly string[]
  /**
   * Whether reads outside tool calls count as shown to the model; true by default. Set it to false if hooks report the
   * tool calls: then only reads by the host's read tools count.
   */
  readonly readsAreShown?: boolean
  /**
   * Roo Code creates the directories of a new file before the file is approved, and its dispatcher locks up when a mkdir throws. With
   * `roo`, a directory is created together with its first file, and refusing one is not an error.
   */
  readonly host?: ToolContext['host']
  /** Decides on the host's changes in the workspace outside tool calls; all are staged by default. */
  readonly outsideCalls?: (path: string) => OutsideCall
  /** Whether the current `fs` call is the host's own although a tool call is running; never by default. */
  readonly isHostsOwn?: () => boolean
}

/**
 * The handling of a host's own change in the workspace, outside any tool call. `stage`: it is staged. `disk`: a person made it in the
 * host's own user interface, so it reaches the disk. `refuse`: it fails with EACCES.
 */
export type OutsideCall = 'stage' | 'disk' | 'refuse'

/**
 * Returns an `fs` for the whole process of a host that does not know about sessions. Calls on the workspace go to the session, also
 * outside tool calls. Calls on other paths go to the host's `fs`, and within a tool call policy judges them too. Relative paths start at
 * the process's working directory.
 * @param session the session, or a function that each call evaluates again; if it throws, the call fails
 */
export function hostFs(session: Session | (() => Session), options: HostFsOptions = {}): typeof fs {
  const current = typeof session === 'function' ? session : () => session
  const roo = options.host === 'roo' ? new RooFiles() : undefined
  return routedFs(() => routeContextOf(current(), options, roo))
}

/** Directories and scratch files that Roo Code creates before it writes a file. */
class RooFiles {
  /** Parent directories of files to stage, and of files that a person writes to the disk. */
  readonly pending = { staged: new PendingDirectories(), disk: new PendingDirectories() }
  readonly scratch = new HostScratch()
}

function routeContextOf(session: Session, options: HostFsOptions, roo: RooFiles | undefined): RouteContext {
  const directories = (options.hostDirectories ?? []).map((dir) => resolve(dir))
  const { view, tool } = syncState(session)
  const { root } = view
  const outside = (stem: string, args: readonly unknown[], path: string): OutsideCall => {
    if (options.outsideCalls === undefined || onlyReads(stem, args)) return 'stage'
    const inCall = tool() !== undefined
    if (inCall && options.isHostsOwn?.() !== true) return 'stage'
    const place = placeOnDisk(path)
    // A link in the workspace could redirect a person's change: the session refuses that, and records why.
    const handling = isWithin(place, root) ? options.outsideCalls(place) : 'stage'
    return inCall && handling === 'refuse' ? 'stage' : handling
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
      const runWithContext = options.readsAreShown === false && reads ? () => asHost(run) : run
      const create = (dir: string) => asHost(() => session.fs.mkdirSync(dir, { recursive: true }))
      const exists = (path: string) => session.fs.existsSync(path)
      return roo
        ? roo.pending.staged.run({ stem, args, paths, reads }, { exists, create }, runWithContext)
        : runWithContext()
    },
    other(stem, args, names) {
      const paths = pathsOf(names)
      if (paths.length !== names.length) return undefined
      const reads = onlyReads(stem, args)
      const isByPerson = !reads && paths.every((path) => outside(stem, args, path) === 'disk')
      if (isByPerson) {
        const onDisk = { exists: existsSync, create: ensureDir }
        const run = (call: () => unknown) =>
          roo ? roo.pending.disk.run({ stem, args, paths, reads }, onDisk, call) : call()
        return { to: 'host', given: args, run }
      }
      return roo && routeScratch(roo.scratch, { stem, args, paths }, context)
    },
    leadsIn: (path, follow) => leadsIn(view, path, follow),
    containsRoot(path) {
      const place = placeOf(view, textOf(path) ?? '/', true) ?? '/'
      return place === '/' || isWithin(root, place) || isOneOf(place, selfAndAncestors(root))
    },
    isHosts(path, follow) {
      const text = textOf(path)
      const place = text === undefined ? undefined : placeOf(view, text, follow)
      return place !== undefined && directories.some((dir) => isWithin(place, placeOf(view, dir, true) ?? dir))
    },
  }
  return context
}

function pathsOf(names: readonly Name[]): string[] {
  return names.flatMap((name) => textOf(name) ?? []).map((name) => resolve(name))
}

/** Functions whose first argument is not a path, or that create a second name for a file. */
const UNROUTED = new Set(['symlink', 'link', 'glob', 'cp'])

/** The route of a call on temporary files that are later renamed onto their target; undefined for other calls. */
function routeScratch(
  scratch: HostScratch,
  { stem, args, paths }: Pick<HostCall, 'stem' | 'args' | 'paths'>,
  { governed, root, runOnHost }: RouteContext,
): OtherWay | undefined {
  if (UNROUTED.has(stem)) return undefined
  const isFree = (path: string) => isWithin(path, root) && !governed.existsSync(path)
  const places = paths.map((path, at) => scratch.placeOf(stem, path, at === paths.length - 1 && isFree(path)))
  const [from, to = from] = places
  const [source = '', target = source] = paths
  if (places.every((place) => place !== undefined))
    return { to: 'host', given: [...places, ...args.slice(places.length)], run: (call) => call() }
  if (stem === 'rename' && from !== undefined) {
    const write = () => {
      const { data, mode } = scratchFile(from)
      governed.writeFileSync(target, data, { mode })
      removeName(from)
    }
    const run = (call: () => unknown) => runOnHost('writeFile', [target], [target], call)
    return { to: formsOf(write), given: args, run }
  }
  if (stem === 'copyFile' && to !== undefined && from === undefined) {
    const copy = () => createFile(to, governed.readFileSync(source), 0o600, false)
    return { to: formsOf(copy), given: args, run: (call) => runOnHost('readFile', [source], [source], call) }
  }
  return undefined
}

/** A path with the links of its existing directories resolved. */
function placeOnDisk(path: string): string {
  const dir = dirname(path)
  if (dir === path) return path
  const real = attempt(dir, (each) => realpathSync(each))
  return join(real ?? placeOnDisk(dir), basename(path))
}

/** Refuses a change outside any tool call. A mkdir reports success, because Roo's dispatcher locks up on its error. */
function refuseCall(stem: string, args: readonly unknown[], [path]: readonly string[]): unknown {
  const callback = args.at(-1)
  const isMkdir = stem === 'mkdir'
  const message = `Access Denied: the host may change the workspace only while a tool call is running.`
  const error = isMkdir ? null : denialError({ reason: 'access_denied', message }, stem, path)
  if (typeof callback === 'function') return process.nextTick(callback, error)
  if (error) throw error
}

/** The tool context of the host's own reads: they belong to no call and give the content lock no base. */
const HOST = { tool: 'host', callId: '', kind: 'other' } as const

/** Whether a name leads into the workspace. Answers true in doubt: the session then refuses an invalid name. */
function leadsIn(view: View, path: Name, follow: boolean): boolean {
  const text = textOf(path)
  if (text === undefined) return true
  const plain = resolve(text)
  if (isWithin(plain, view.root)) return true
  return [text, plain].some((name) => {
    const place = placeOf(view, name, follow)
    return place === undefined || isOneOf(view.root, selfAndAncestors(place))
  })
}

/** A path and the directories above it. */
function selfAndAncestors(path: string): string[] {
  const paths = [path]
  for (let at = path; at !== dirname(at); at = dirname(at)) paths.push(dirname(at))
  return paths
}

/**
 * Whether a directory is one of `others` under another name: in other case on a case-insensitive disk, or by another mount. Mounts
 * below a directory are not searched.
 */
function isOneOf(dir: string, others: readonly string[]): boolean {
  const statBig = (path: string) => statSync(path, { bigint: true, throwIfNoEntry: false })
  const dirStats = attempt(dir, statBig)
  if (!dirStats?.isDirectory()) return false
  return others.some((other) => {
    const found = attempt(other, statBig)
    return found !== undefined && found.ino === dirStats.ino && found.dev === dirStats.dev
  })
}

/** The result of `read`; undefined if it fails. */
function attempt<T>(path: string, read: (path: string) => T): T | undefined {
  try {
    return read(path)
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

/** The path outside the workspace that a name leads to, as far as it resolves; undefined if it leads inside. */
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
