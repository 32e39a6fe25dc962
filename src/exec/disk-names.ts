import {
  childOf,
  codeOf,
  type Entry,
  fileStamp,
  isSettled,
  type Lower,
  nameOf,
  parentOf,
  type RelPath,
  ROOT,
} from '../../overlay/index.js'

/** Largest number of names that are recorded. */
const MAX_NAMES = 500_000

/** The names in a directory. */
interface Listing {
  /** Equal stamps mean equal names; undefined if the directory changed just before it was read. */
  readonly stamp: string | undefined
  readonly names: ReadonlySet<string>
  /** The directories among them that git does not ignore. */
  readonly dirs: readonly string[]
}

/**
 * The names in a workspace at one time. Overlayfs shows a command the disk as it is now, so that a file that somebody deletes
 * meanwhile leaves no other sign of itself. Directories that git ignores are left out: new files in them are never staged.
 */
export class DiskNames {
  #listings: ReadonlyMap<RelPath, Listing> = new Map()
  #isWhole = true

  /** @param maxNames directories beyond this number of names are not recorded: the deepest ones */
  constructor(private readonly maxNames = MAX_NAMES) {}

  /** Records the names on disk now. Only directories that have changed since the last time are read. */
  record(
    lower: Pick<Lower, 'lstatBig' | 'readdir'>,
    isIgnored: (path: RelPath, isDirectory: boolean) => boolean,
  ): void {
    const listings = new Map<RelPath, Listing>()
    const dirs: RelPath[] = [ROOT]
    let count = 0
    this.#isWhole = true
    // The list grows: a directory comes after all directories of fewer segments.
    for (const dir of dirs) {
      if (count >= this.maxNames) {
        this.#isWhole = false
        break
      }
      const listing = this.#list(lower, dir, isIgnored)
      if (listing === undefined) continue
      listings.set(dir, listing)
      count += listing.names.size
      for (const name of listing.dirs) dirs.push(childOf(dir, name))
    }
    this.#listings = listings
  }

  /** Whether a name was there; undefined if that was not recorded. */
  has(path: RelPath): boolean | undefined {
    const listing = this.#listings.get(parentOf(path))
    if (listing === undefined) return this.#isWhole ? false : undefined
    return listing.names.has(nameOf(path))
  }

  /** Undefined for a directory that cannot be read, or that is not there any more. */
  #list(
    lower: Pick<Lower, 'lstatBig' | 'readdir'>,
    dir: RelPath,
    isIgnored: (path: RelPath, isDirectory: boolean) => boolean,
  ): Listing | undefined {
    try {
      const stats = lower.lstatBig(dir)
      if (!stats?.isDirectory()) return undefined
      const stamp = isSettled(Number(stats.ctimeNs) / 1e6) ? fileStamp(stats) : undefined
      const known = this.#listings.get(dir)
      if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known
      const entries = lower.readdir(dir)
      const isListed = ({ name, type }: Entry) =>
        type === 'dir' && name !== '.git' && !isIgnored(childOf(dir, name), true)
      const dirs = entries.filter(isListed).map(({ name }) => name)
      return { stamp, names: new Set(entries.map(({ name }) => name)), dirs }
    } catch (error) {
      if (codeOf(error) === undefined) throw error
      return undefined
    }
  }
}
