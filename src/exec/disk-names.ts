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

/** A directory that was read. */
interface Listing {
  /** Equal stamps mean equal names; undefined if the directory changed just before it was read. */
  readonly stamp: string | undefined
  /** Undefined if it cannot be read. */
  readonly names: ReadonlySet<string> | undefined
  /** The directories among them that git does not ignore. */
  readonly dirs: readonly string[]
}

const UNREADABLE: Listing = { stamp: undefined, names: undefined, dirs: [] }

/** Directories that are read before the command starts, and in each later turn. */
const FIRST = 256
const TURN = 64
/** Milliseconds for which a command runs before the rest is read: most commands end earlier. */
const DELAY = 1_000

type IsIgnored = (path: RelPath, isDirectory: boolean) => boolean
type Disk = Pick<Lower, 'lstatBig' | 'readdir'>

/**
 * The names in a workspace when a command started. Overlayfs shows a command the disk as it is now, so a file that somebody deletes
 * meanwhile leaves no other sign of itself. The first directories are read before the command starts. The rest of a large workspace
 * is read once the command has run for a second, so a name that was removed by then is not noticed. Directories that git ignores are
 * left out, because new files in them are never staged.
 */
export class DiskNames {
  #listings = new Map<RelPath, Listing>()
  #isWhole = true
  #stop = () => {}

  /** @param maxNames directories beyond this number of names are not recorded: the deepest ones */
  constructor(
    private readonly maxNames = MAX_NAMES,
    private readonly first = FIRST,
  ) {}

  /** Begins to record the names on disk, right before the command starts. Only directories that have changed since the last time are read. */
  begin(disk: Disk, isIgnored: IsIgnored): void {
    this.stop()
    const known = this.#listings
    this.#listings = new Map()
    this.#isWhole = false
    const rest = this.#record((dir) => listOf(disk, dir, isIgnored, known.get(dir)))
    if (takeTurn(rest, this.first)) return
    const timer = setTimeout(() => {
      const immediate = () => {
        if (takeTurn(rest, TURN)) return
        const next = setImmediate(immediate)
        this.#stop = () => clearImmediate(next)
      }
      immediate()
    }, DELAY).unref()
    this.#stop = () => clearTimeout(timer)
  }

  /** Ends the reading. What is not read by then stays unknown. */
  stop(): void {
    this.#stop()
    this.#stop = () => {}
  }

  /** Whether a name was there; undefined if that is not known. */
  has(path: RelPath): boolean | undefined {
    const listing = this.#listings.get(parentOf(path))
    if (listing !== undefined) return listing.names?.has(nameOf(path))
    return this.#isWhole ? false : undefined
  }

  /** Records one directory in each step. A directory comes after all directories of fewer segments. */
  *#record(list: (dir: RelPath) => Listing): Generator<void> {
    const dirs: RelPath[] = [ROOT]
    let count = 0
    // The list grows.
    for (const dir of dirs) {
      if (count >= this.maxNames) return
      const listing = list(dir)
      this.#listings.set(dir, listing)
      count += listing.names?.size ?? 0
      for (const name of listing.dirs) dirs.push(childOf(dir, name))
      yield
    }
    this.#isWhole = true
  }
}

/** Whether the work is done after at most so many steps. */
function takeTurn(steps: Generator<void>, most: number): boolean {
  for (let taken = 0; taken < most; taken += 1) if (steps.next().done === true) return true
  return false
}

/** @param known the directory at an earlier time */
function listOf(disk: Disk, dir: RelPath, isIgnored: IsIgnored, known: Listing | undefined): Listing {
  try {
    const stats = disk.lstatBig(dir)
    if (!stats?.isDirectory()) return UNREADABLE
    const stamp = isSettled(Number(stats.ctimeNs) / 1e6) ? fileStamp(stats) : undefined
    if (known !== undefined && stamp !== undefined && known.stamp === stamp) return known
    const entries = disk.readdir(dir)
    const isListed = ({ name, type }: Entry) =>
      type === 'dir' && name !== '.git' && !isIgnored(childOf(dir, name), true)
    const dirs = entries.filter(isListed).map(({ name }) => name)
    return { stamp, names: new Set(entries.map(({ name }) => name)), dirs }
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return UNREADABLE
  }
}
