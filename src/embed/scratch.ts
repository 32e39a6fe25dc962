import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { makeTempDir, removeTree } from '../os/write.js'

/** Functions that create a file or a directory. */
const CREATING_CALLS = new Set(['open', 'writeFile', 'appendFile', 'createWriteStream', 'copyFile'])
const REMOVING_CALLS = new Set(['unlink', 'rm', 'rmdir', 'rename'])
/** A temporary file next to the file that it will replace: `.name_<time>_<random>.tmp`. */
const TEMPORARY = /^\..+_\d{10,}_[a-z0-9]+\.tmp$/
/** A directory of such files. */
const STAGING = /^\.file-safety-staging/

/**
 * Files that a host creates next to a file while writing it: the lock directory of `proper-lockfile`, a directory for temporary
 * files, a temporary file that is renamed onto its target. They are kept in a temporary directory of this process, need no scope
 * and are never staged. Policy judges only the rename onto the target, as a write of the target.
 */
export class HostScratch {
  /** Path in the workspace → path in the temporary directory. */
  readonly #places = new Map<string, string>()
  #dir: string | undefined
  #count = 0

  /**
   * Returns the place of the scratch file for a path; undefined for any other path.
   * @param stem the function without `Sync`
   * @param isTarget whether the function creates this path: the last one if it takes two
   */
  placeOf(stem: string, path: string, isTarget: boolean): string | undefined {
    for (const [root, place] of this.#places)
      if (isWithin(path, root)) return this.#scratchPath(stem, path, { root, place })
    return isTarget && isScratchName(stem, basename(path)) ? this.#add(path) : undefined
  }

  #scratchPath(stem: string, path: string, { root, place }: { root: string; place: string }): string {
    if (path === root && REMOVING_CALLS.has(stem)) this.#places.delete(root)
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

function isScratchName(stem: string, name: string): boolean {
  if (stem === 'mkdir') return name.endsWith('.lock') || STAGING.test(name)
  return CREATING_CALLS.has(stem) && TEMPORARY.test(name)
}

/** The functions `rename` and `copyFile` in the three forms of `node:fs`. */
export interface Forms {
  readonly rename: (...args: unknown[]) => void
  readonly renameSync: (...args: unknown[]) => void
  readonly copyFile: (...args: unknown[]) => void
  readonly copyFileSync: (...args: unknown[]) => void
  readonly promises: { readonly rename: () => Promise<void>; readonly copyFile: () => Promise<void> }
}

/** Forms of `rename` and `copyFile` that run `work` instead. */
export function formsOf(work: () => void): Forms {
  const withCallback = (...args: unknown[]) => {
    const callback = args.at(-1)
    let error: unknown = null
    try {
      work()
    } catch (caught) {
      error = caught
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

/** Returns the content and mode of a scratch file. */
export function scratchFile(place: string): { readonly data: Buffer; readonly mode: number } {
  return { data: fs.readFileSync(place), mode: fs.statSync(place).mode & 0o777 }
}
