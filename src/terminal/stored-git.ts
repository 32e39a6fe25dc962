import { lstatSync, readFileSync, type Stats } from 'node:fs'
import { asRelPath, codeOf, type RelPath } from '../../overlay/index.js'
import { chmodSync, createFile, makeDir, makeSymlink, removeTree, replaceDurable, setTimes } from '../os/write.js'
import { type Layer, layerStamp } from './layer.js'

/** The file with the changes that a session's commands made in the repository's `.git`. */

/** The repository's own directory, at the workspace's root; in the stored state also for a directory elsewhere. */
export const GIT = asRelPath('.git')

/** Largest total of its files (bytes). */
const MAX_GIT_LAYER = 256 * 2 ** 20
/** Largest number of its files and directories. */
const MAX_GIT_ENTRIES = 100_000

type Entry =
  | readonly [kind: 'dir', path: string, mode: number]
  | readonly [kind: 'file', path: string, mode: number, mtimeMs: number, size: number]
  | readonly [kind: 'link', path: string, target: string]
  | readonly [kind: 'gone', path: string]

interface Head {
  readonly version: 1
  /** The commit at HEAD on disk that the changes are based on. */
  readonly base: string | null
  /** It has commits or refs that the repository on disk lacks. */
  readonly own: boolean
  readonly entries: readonly Entry[]
}

export type GitLayerInfo = Pick<Head, 'base' | 'own'>

/** A stored state. The contents of its files follow each other in `bytes`, beginning at `from`. */
export interface StoredGit {
  readonly head: Head
  readonly bytes: Buffer
  readonly from: number
}

/** The entries of a stored state, parents first. */
export class GitEntries {
  readonly #entries: Entry[] = []
  readonly #contents: Buffer[] = []
  #bytes = 0
  isTooLarge = false

  /** @param name the repository's directory in the layer */
  constructor(
    readonly layer: Layer,
    private readonly name: RelPath,
  ) {}

  /** Adds a directory, a file or a link. Other types are left out. */
  add(path: RelPath, stats: Stats): void {
    const mode = stats.mode & 0o777
    if (stats.isDirectory()) this.#entries.push(['dir', this.#stored(path), mode])
    else if (stats.isSymbolicLink()) this.#entries.push(['link', this.#stored(path), this.layer.target(path)])
    else if (stats.isFile()) {
      this.#bytes += stats.size
      this.isTooLarge ||= this.#bytes > MAX_GIT_LAYER || this.#entries.length > MAX_GIT_ENTRIES
      if (this.isTooLarge) return
      const data = this.layer.read(path, stats)
      this.#contents.push(data)
      this.#entries.push(['file', this.#stored(path), mode, stats.mtimeMs, data.length])
    }
  }

  addGone(path: RelPath): void {
    this.#entries.push(['gone', this.#stored(path)])
  }

  /** @returns why they could not be stored; undefined if they were. */
  write(file: string, { base, own }: GitLayerInfo): string | undefined {
    if (this.isTooLarge) return `it is larger than ${MAX_GIT_LAYER / 2 ** 20} MiB or ${MAX_GIT_ENTRIES} files`
    const head: Head = { version: 1, base, own, entries: this.#entries }
    replaceDurable(file, Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...this.#contents]), 0o600)
    return undefined
  }

  #stored(path: RelPath): string {
    return `${GIT}${path.slice(this.name.length)}`
  }
}

/** Identifies the stored state; undefined if there is none. */
export function storedGitStamp(file: string): string | undefined {
  const stats = lstatSync(file, { throwIfNoEntry: false })
  return stats === undefined ? undefined : layerStamp(stats)
}

/**
 * Applies a stored state to a `.git` directory.
 * @param markGone marks a removed name, if a layer below has it
 */
export function applyStored(stored: StoredGit, git: string, markGone: (host: string) => void = () => undefined): void {
  let at = stored.from
  const dirs: [host: string, mode: number][] = []
  for (const entry of stored.head.entries) {
    const host = `${git}${entry[1].slice(GIT.length)}`
    const isKept = entry[0] === 'dir' && isDirectoryAt(host)
    if (!isKept) removeTree(host)
    if (entry[0] === 'dir') {
      if (isKept) chmodSync(host, 0o700)
      else makeDir(host, 0o700)
      dirs.push([host, entry[2]])
    } else if (entry[0] === 'file') {
      const [, , mode, mtimeMs, size] = entry
      createFile(host, stored.bytes.subarray(at, at + size), mode, false)
      chmodSync(host, mode)
      // Git compares the time of its index with those of the files.
      setTimes(host, mtimeMs / 1000, mtimeMs / 1000)
      at += size
    } else if (entry[0] === 'link') makeSymlink(entry[2], host)
    else markGone(host)
  }
  for (const [host, mode] of dirs.reverse()) chmodSync(host, mode)
}

/** Reads the stored state. Returns undefined if there is none, or if its format is unknown. */
export function readStoredGit(file: string): StoredGit | undefined {
  try {
    const bytes = readFileSync(file)
    const end = bytes.indexOf(10)
    const head: Head = JSON.parse(bytes.subarray(0, end).toString())
    return head.version === 1 ? { head, bytes, from: end + 1 } : undefined
  } catch (error) {
    if (error instanceof SyntaxError || codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

export function isDirectoryAt(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
