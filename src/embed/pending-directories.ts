import { dirname } from 'node:path'
import { isWithin } from '../../overlay/index.js'

/** A call of `fs` by a host: its function without `Sync`, its arguments, and the absolute paths among them. */
export interface HostCall {
  readonly stem: string
  readonly args: readonly unknown[]
  readonly paths: readonly string[]
  readonly reads: boolean
}

/** The session's directories. */
export interface Directories {
  exists(path: string): boolean
  create(path: string): unknown
}

const REMOVALS = new Set(['rmdir', 'rm'])

/**
 * Directories a host asked for that have no file yet. Each is made when a file is written below it: a call that is refused leaves
 * no directory behind. Until then it is not there for reads either.
 */
export class PendingDirectories {
  readonly #paths = new Set<string>()

  /** Runs a call, or notes what it wants of a directory. */
  around({ stem, args, paths, reads }: HostCall, directories: Directories, run: () => unknown): unknown {
    const [path] = paths
    // Who makes a lock goes by it at once.
    if (stem === 'mkdir' && path !== undefined && !path.endsWith('.lock') && !directories.exists(path)) {
      this.#paths.add(path)
      return succeed(args)
    }
    if (REMOVALS.has(stem) && path !== undefined && this.#paths.delete(path)) return succeed(args)
    if (!reads) for (const each of paths) this.#create(directories, each)
    return run()
  }

  /** Makes the directories above a path that is about to be written. */
  #create({ create }: Directories, path: string): void {
    const above = [...this.#paths].filter((dir) => dir !== path && isWithin(path, dir))
    if (above.length === 0) return
    for (const dir of above) this.#paths.delete(dir)
    try {
      create(dirname(path))
    } catch {
      // The write itself says why it may not be there.
    }
  }
}

/** A call that had nothing to do answers in the form it was made in: by its callback, or by what it returns. */
function succeed(args: readonly unknown[]): unknown {
  const callback = args.at(-1)
  return typeof callback === 'function' ? process.nextTick(callback, null) : undefined
}
