import type fs from 'node:fs'
import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { codeOf, Errno, isWithin, pathText } from '../overlay/index.js'
import type { Session } from './core/api.js'
import { denialOf } from './core/denials.js'
import { runInTool, type ToolContext } from './core/tool-context.js'
import { routedFs } from './fs/routed.js'
import type { View } from './fs/view.js'
import { type Ground, type Name, onlyReads } from './fs/way.js'
import { behind } from './session-fs.js'

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
  /** Roo Code's dispatcher locks up when a mkdir throws: there one that is refused is not made, and is no error. */
  readonly host?: ToolContext['host']
}

/**
 * An fs for a host's whole process, which never asked for a session. What concerns the workspace is the session's, in a
 * tool call or out of it; places outside are the host's, and in a tool call they are judged by policy as well. Relative
 * names begin where the process is.
 * @param session asked anew by each call; where it throws, the call fails
 */
export function hostFs(session: Session | (() => Session), options: HostFsOptions = {}): typeof fs {
  const current = typeof session === 'function' ? session : () => session
  return routedFs(() => groundOf(current(), options))
}

function groundOf(session: Session, options: HostFsOptions): Ground {
  const own = (options.hostDirectories ?? []).map((dir) => resolve(dir))
  const { view, tool } = behind(session)
  const { root } = view
  return {
    governed: session.fs,
    root,
    inCall: tool() !== undefined,
    aside: (stem, args, run) => {
      const quiet = options.readsAreShown === false && onlyReads(stem, args)
      const forgiven = options.host === 'roo' && stem === 'mkdir' ? () => unlessDenied(run) : run
      if (tool() !== undefined || (!quiet && forgiven === run)) return forgiven()
      return runInTool({ ...HOST, ...(options.host && { host: options.host }) }, forgiven)
    },
    leadsIn: (path, follow) => leadsIn(view, path, follow),
    holdsRoot(path) {
      const place = placeOf(view, textOf(path) ?? '/', true) ?? '/'
      return place === '/' || isWithin(root, place) || isOneOf(place, waysUp(root))
    },
    isHosts(path, follow) {
      const text = textOf(path)
      const place = text === undefined ? undefined : placeOf(view, text, follow)
      return place !== undefined && own.some((dir) => isWithin(place, placeOf(view, dir, true) ?? dir))
    },
  }
}

/** What was to be written into the directory is refused in its turn. */
function unlessDenied(run: () => unknown): unknown {
  const forgive = (error: unknown): undefined => {
    // What is hidden is refused as if it were not there.
    if (denialOf(error) === undefined && codeOf(error) !== 'ENOENT') throw error
  }
  try {
    const made = run()
    return made instanceof Promise ? made.catch(forgive) : made
  } catch (error) {
    return forgive(error)
  }
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
    return place === undefined || isOneOf(view.root, waysUp(place))
  })
}

/** A path and the directories above it. */
function waysUp(path: string): string[] {
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
