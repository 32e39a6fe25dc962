import { readdirSync, type Stats } from 'node:fs'
import { codeOf, type RelPath, readRegular } from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import { listsSame } from './git-index.js'
import { type Layer, layerStamp } from './layer.js'

/** The index of a working tree, or of a linked one. */
const INDEX = /^(?:worktrees\/[^/]+\/)?index$/
/** Left over if git was killed. */
const INDEX_LOCK = /^(?:worktrees\/[^/]+\/)?index\.lock$/

/** The indexes of the repository on disk, to find out what a command has changed in the session's own. */
export class DiskIndexes {
  /** By the index's path below the repository's directory, as it was before the command. */
  #stamps: ReadonlyMap<string, string | undefined> = new Map()

  /** @param dir the repository's directory on disk */
  constructor(private readonly dir: string) {}

  /** A command starts. */
  begin(): void {
    this.#stamps = new Map(this.#names().map((name) => [name, stampAt(`${this.dir}/${name}`)]))
  }

  /**
   * Whether a file of the commands makes a difference: any file but the lock of an index, an index that lists the same as the one on disk,
   * and one where a person has changed that since the command started. Such an index may list the former commit's files, so that the
   * session's next commit would undo the person's change.
   * @param name the file's path below the repository's directory
   */
  isChanged(name: string, layer: Layer, path: RelPath): boolean {
    if (!INDEX.test(name)) return !INDEX_LOCK.test(name)
    const onDisk = `${this.dir}/${name}`
    if (stampAt(onDisk) !== this.#stamps.get(name)) return false
    const stats = layer.lstat(path)
    if (stats?.isFile() !== true || statsAt(onDisk)?.isFile() !== true) return true
    return !listsSame(layer.read(path, stats), readRegular(onDisk, false))
  }

  #names(): string[] {
    return ['index', ...namesIn(`${this.dir}/worktrees`).map((name) => `worktrees/${name}/index`)]
  }
}

/** None in a directory that is missing or cannot be read: the commands cannot read it either. */
function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

function stampAt(path: string): string | undefined {
  const stats = statsAt(path)
  return stats && layerStamp(stats)
}

/** Undefined for a missing or unreadable path. A person's `.git` can also be a file, or a link that leads nowhere. */
function statsAt(path: string): Stats | undefined {
  try {
    return lookAt(path)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
