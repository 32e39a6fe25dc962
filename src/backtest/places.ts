import { homedir } from 'node:os'
import { isAbsolute, posix } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import type { HostCall } from '../agents/history/index.js'
import { REPLAY_ROOT } from '../judge/index.js'
import type { Fields } from './recorded.js'

/** A directory for histories that name none, or only a relative one. */
const UNKNOWN_PLACE = '/\u{f8ff}recorded'

/** Arguments that name one path, which a client may have written in the form of another system. */
const PATH_ARGUMENTS = ['file_path', 'notebook_path', 'absolute_path', 'dir_path', 'filePath', 'path'] as const

/**
 * A recorded path in the form of this machine: `C:\a` becomes `/C:/a`. A session whose paths were shortened names its directory by a
 * relative path; then its other paths of that form begin at the same place.
 */
function plainPath(path: string): string {
  const slashes = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(path) ? `/${path.replaceAll('\\', '/').replace(/^\/+/, '')}` : path
  return posix.normalize(isAbsolute(slashes) ? slashes : `${UNKNOWN_PLACE}/${slashes}`)
}

export function plainDirectory(cwd: string | undefined): string {
  const path = plainPath(cwd ?? '.')
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** The arguments of a call, with paths in the form of this machine. */
export function plainInput(input: Fields, cwd: string | undefined): Fields {
  const isShortened = cwd !== undefined && !isAbsolute(cwd)
  const changed = PATH_ARGUMENTS.flatMap((name) => {
    const value = input[name]
    if (typeof value !== 'string') return []
    const isForeign = /^(?:[A-Za-z]:[\\/]|\\\\)/.test(value) || (isShortened && value.startsWith('./'))
    return isForeign ? [[name, plainPath(value)] as const] : []
  })
  return changed.length === 0 ? input : { ...input, ...Object.fromEntries(changed) }
}

/** The home directory that contains a recorded path. */
function homeIn(path: string): string | undefined {
  return /^\/(?:[A-Za-z]:\/)?(?:home|Users)\/[^/]+(?=\/|$)|^\/root(?=\/|$)/.exec(path)?.[0]
}

/** Maps the paths of one session to the workspace of the replay: everything below the session's directory is inside. */
export class Places {
  readonly #home: string | undefined

  constructor(readonly root: string) {
    this.#home = homeIn(root)
  }

  /** A recorded path for the judge. The home directory of its person becomes the one of this process, which rules name with `~`. */
  toReplay(path: string): string {
    const plain = posix.normalize(path)
    if (isWithin(plain, this.root)) return REPLAY_ROOT + plain.slice(this.root.length)
    const home = this.#home ?? homeIn(plain)
    return home !== undefined && isWithin(plain, home) ? homedir() + plain.slice(home.length) : plain
  }

  /** The call with mapped paths. */
  map(call: HostCall): HostCall {
    const { writes, reads, searches } = call
    const all = (paths: readonly string[]) => [...new Set(paths.map((path) => this.toReplay(path)))]
    return {
      ...call,
      ...(writes && { writes: writes.map((write) => ({ ...write, path: this.toReplay(write.path) })) }),
      ...(reads && { reads: all(reads) }),
      ...(searches && { searches: all(searches) }),
    }
  }
}

/** A path of the replay for people: relative in the workspace, with `~` in the home directory. */
export function shownPath(path: string): string {
  if (isWithin(path, REPLAY_ROOT)) return path.slice(REPLAY_ROOT.length + 1) || '.'
  if (isWithin(path, UNKNOWN_PLACE)) return `…${path.slice(UNKNOWN_PLACE.length)}`
  const home = homedir()
  return isWithin(path, home) ? `~${path.slice(home.length)}` : path
}

/** An absolute path's directories, the nearest first. */
export function ancestors(path: string): string[] {
  const all: string[] = []
  for (let at = posix.dirname(path); at !== '/' && at !== '.'; at = posix.dirname(at)) all.push(at)
  return all
}
