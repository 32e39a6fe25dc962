import { mergedState, type Overlay, parentOf, type RelPath } from '../../overlay/index.js'
import { type Clocks, type Place, readClocks, setBackBy } from '../terminal/index.js'
import { changedSince } from './changed-since.js'
import { DiskNames } from './disk-names.js'
import { type IngestLedger, withAncestors } from './ingest-ledger.js'

/** The changes that others have made on disk since the mount. */
export interface DiskChanges {
  /** Whether a path or an ancestor of it is a file or link that the command did not see, or was removed. */
  isStale(path: RelPath): boolean
  /** Whether names in a directory were added or removed. */
  isChangedDir(dir: RelPath): boolean
  /** A time (milliseconds) that is earlier than all changes since the command started. */
  readonly startedAt: number
}

/** Tells the changes that others make on disk while a command runs from commits of effects that the command had. */
export class DiskWatch {
  readonly #names = new DiskNames()
  #started: Clocks
  /** Milliseconds by which the clock was set back since the command started. */
  #setBack = 0

  constructor(
    private readonly ledger: IngestLedger,
    private readonly clocks = readClocks,
  ) {
    this.#started = clocks()
  }

  /** A command is about to start. */
  begin({ lower }: Overlay, isIgnored: (path: RelPath, isDirectory: boolean) => boolean): void {
    this.#started = this.clocks()
    this.#setBack = 0
    this.#names.begin(lower, isIgnored)
  }

  /** The command has ended. */
  end(): void {
    this.#names.stop()
  }

  /**
   * After the clock was set back, files that changed shortly before the mount count as changed, too: their times do not
   * tell them from later changes.
   */
  changesSince(overlay: Overlay, place: Pick<Place, 'mountedAt' | 'seededState'>): DiskChanges {
    // The clock may have been set forward again.
    this.#setBack = Math.max(this.#setBack, setBackBy(this.#started, this.clocks()))
    const time = place.mountedAt() - BigInt(Math.ceil(this.#setBack)) * 1_000_000n
    const isChangedDir = (dir: RelPath) => changedSince(overlay, dir, time)
    // The stage may have hidden a name, also if the removal has been committed since.
    const wasShown = (each: RelPath) =>
      place.seededState(each) !== 'gone' && (this.#wasOnDisk(overlay, each) ?? isChangedDir(parentOf(each)))
    return {
      // A directory that became a file or a link changes all paths in it.
      isStale: (path) =>
        withAncestors(path).some(
          (each) => this.#isChanged(overlay, each, time) || (this.#isMissing(overlay, each) && wasShown(each)),
        ),
      isChangedDir,
      startedAt: this.#started.wall - this.#setBack,
    }
  }

  #isChanged(overlay: Overlay, path: RelPath, time: bigint): boolean {
    if (overlay.stage.bases.has(path) || overlay.typeOf(path) === 'dir') return false
    if (!changedSince(overlay, path, time)) return false
    const state = mergedState(overlay, path)
    return state === null || !this.ledger.hasContent(path, state.digest)
  }

  /** For a path in the stage, the comparison with its base shows a removal. */
  #isMissing(overlay: Overlay, path: RelPath): boolean {
    const { node, lower } = overlay.placeOf(path)
    if (lower === undefined || node?.inode !== undefined || overlay.stage.bases.has(path)) return false
    return overlay.lower.typeOf(lower) === undefined && !this.ledger.hasRemoved(path)
  }

  #wasOnDisk(overlay: Overlay, path: RelPath): boolean | undefined {
    const { lower } = overlay.placeOf(path)
    return lower === undefined ? false : this.#names.has(lower)
  }
}
