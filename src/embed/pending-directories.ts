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
 * Directories that a host created without a file yet. Each is created when a file is written below it, so a refused call leaves
 * no directory behind. Until then reads do not see it either.
 */
export class PendingDirectories {
  readonly #paths = new Set<string>()

  /** Runs a call, or records the directory that it creates or removes. */
  run({ stem, args, paths, reads }: HostCall, directories: Directories, run: () => unknown): unknown {
    const [path] = paths
    // A caller that creates a lock directory uses it at once.
    if (stem === 'mkdir' && path !== undefined && !path.endsWith('.lock') && !directories.exists(path)) {
      this.#paths.add(path)
      return reportSuccess(args)
    }
    if (REMOVALS.has(stem) && path !== undefined && this.#paths.delete(path)) return reportSuccess(args)
    if (!reads) for (const each of paths) this.#create(directories, each)
    return run()
  }

  /** Creates the directories above a path before a write. */
  #create({ create }: Directories, path: string): void {
    const parents = [...this.#paths].filter((dir) => dir !== path && isWithin(path, dir))
    if (parents.length === 0) return
    for (const dir of parents) this.#paths.delete(dir)
    try {
      create(dirname(path))
    } catch {
      // The write itself reports the reason.
    }
  }
}

/** Reports success in the form of the call: by its callback, or by returning. */
function reportSuccess(args: readonly unknown[]): unknown {
  const callback = args.at(-1)
  return typeof callback === 'function' ? process.nextTick(callback, null) : undefined
}
