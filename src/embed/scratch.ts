import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { makeTempDir, removeTree } from '../os/write.js'

/** Functions that make a file or a directory under a name. */
const CREATES = new Set(['open', 'writeFile', 'appendFile', 'createWriteStream', 'copyFile'])
const REMOVES = new Set(['unlink', 'rm', 'rmdir', 'rename'])
/** A temporary file beside the one it is going to replace: `.name_<time>_<random>.tmp`. */
const TEMPORARY = /^\..+_\d{10,}_[a-z0-9]+\.tmp$/
/** A directory of such files. */
const STAGING = /^\.file-safety-staging/

/**
 * Files a host makes beside a file while it writes it: the lock directory of `proper-lockfile`, a directory for temporary files, a
 * temporary file that is renamed onto its target. They lie in a temporary directory of this process: no scope has to name them, and
 * they are never staged. Only what is renamed onto a target is judged, as a write of the target.
 */
export class HostScratch {
  /** Path in the workspace → place of it. */
  readonly #places = new Map<string, string>()
  #dir: string | undefined
  #count = 0

  /**
   * Where a path of the workspace lies, if it is a file of this kind; undefined otherwise.
   * @param stem the function without `Sync`
   * @param isTarget whether the function makes this path: the last one of those that take two
   */
  placeOf(stem: string, path: string, isTarget: boolean): string | undefined {
    for (const [root, place] of this.#places)
      if (isWithin(path, root)) return this.#scratchPath(stem, path, { root, place })
    return isTarget && isHelper(stem, basename(path)) ? this.#add(path) : undefined
  }

  #scratchPath(stem: string, path: string, { root, place }: { root: string; place: string }): string {
    if (path === root && REMOVES.has(stem)) this.#places.delete(root)
    return place + path.slice(root.length)
  }

  #add(path: string): string {
    if (this.#dir === undefined) {
      const dir = makeTempDir(join(tmpdir(), 'escrowfs-host-'))
      process.once('exit', () => removeTree(dir))
      this.#dir = dir
    }
    const place = join(this.#dir, String(this.#count++))
    this.#places.set(path, place)
    return place
  }
}

function isHelper(stem: string, name: string): boolean {
  if (stem === 'mkdir') return name.endsWith('.lock') || STAGING.test(name)
  return CREATES.has(stem) && TEMPORARY.test(name)
}

/** Two functions in the three forms `node:fs` has them in. */
export interface Forms {
  readonly rename: (...args: unknown[]) => void
  readonly renameSync: (...args: unknown[]) => void
  readonly copyFile: (...args: unknown[]) => void
  readonly copyFileSync: (...args: unknown[]) => void
  readonly promises: { readonly rename: () => Promise<void>; readonly copyFile: () => Promise<void> }
}

/** `rename` and `copyFile` between the workspace and the scratch directory: both are this work. */
export function formsOf(work: () => void): Forms {
  const withCallback = (...args: unknown[]) => {
    const callback = args.at(-1)
    let error: unknown = null
    try {
      work()
    } catch (thrown) {
      error = thrown
    }
    if (typeof callback === 'function') process.nextTick(callback, error)
  }
  const promiseForm = async () => work()
  return {
    rename: withCallback,
    renameSync: () => work(),
    copyFile: withCallback,
    copyFileSync: () => work(),
    promises: { rename: promiseForm, copyFile: promiseForm },
  }
}

/** The content and mode of a scratch file. */
export function scratchFile(place: string): { readonly data: Buffer; readonly mode: number } {
  return { data: fs.readFileSync(place), mode: fs.statSync(place).mode & 0o777 }
}
