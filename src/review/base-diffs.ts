import { digest, type StagedChange, sameState } from '../../overlay/index.js'
import { diffFile, type FileDiff } from './diff.js'
import type { DiffMemory } from './diff-memory.js'

/** The source of the contents that changes are based on. */
export interface BaseSource {
  /** The base's bytes (a link's target), read from the disk now; null if there are none. */
  before(change: StagedChange): Uint8Array | null
  /** True only if the disk certainly has the same content as when the changes were listed. Without it every base is read. */
  isUnchanged?(change: StagedChange): boolean
}

/** Compares staged changes with their bases, split hunks in pieces. */
export class BaseDiffs {
  /** @param splits the ids of split hunks */
  constructor(
    private readonly source: BaseSource,
    private readonly splits: () => ReadonlySet<string> = () => NONE,
    private readonly memory?: DiffMemory,
  ) {}

  /** Returns the same comparisons with a fixed set of split hunks. */
  withSplits(splits: ReadonlySet<string>): BaseDiffs {
    return new BaseDiffs(this.source, () => splits, this.memory)
  }

  /** The comparison with the exact base; undefined if its content is gone or is not text. */
  of(change: StagedChange): FileDiff | undefined {
    const { diff, exact } = this.compare(change)
    return exact ? diff : undefined
  }

  /** The ids of the hunks that {@link of} finds. */
  hunkIds(change: StagedChange): Set<string> {
    return new Set(this.of(change)?.hunks.map(({ id }) => id))
  }

  /** Compares two contents of a path in the same way. */
  between(before: Uint8Array, after: Uint8Array, path: string): FileDiff {
    return diffFile(before, after, path, this.splits())
  }

  /** @returns `exact` is false if the compared content is not the base: the change has drifted. */
  compare(change: StagedChange): { diff?: FileDiff; exact: boolean } {
    const { path, from, before, after, drifted } = change
    if (before?.type === 'dir' || after?.type === 'dir') return { exact: true }
    if (sameState(before, after) && from === undefined) return { exact: true }
    const splits = this.splits()
    const key = JSON.stringify([path, before?.digest ?? null, after?.digest ?? null, ...splits])
    // While the disk holds the base, the digests identify both contents and nothing has to be read.
    const known = drifted ? undefined : this.memory?.find(key)
    if (known !== undefined && (before === null || this.source.isUnchanged?.(change) === true))
      return { diff: known, exact: true }
    const base = before === null ? null : this.source.before(change)
    const exact = before === null || (base !== null && digest(base) === before.digest)
    // Without its base a change would look like a creation.
    if (before !== null && base === null) return { exact }
    let read: Uint8Array | null | undefined
    const now = () => {
      if (read === undefined) read = after === null ? null : change.content()
      return read
    }
    const make = () => diffFile(base, now(), path, splits)
    // The key names the base: a comparison with another content must not be kept under it.
    if (!exact || this.memory === undefined) return { diff: make(), exact }
    const size = () => (base?.length ?? 0) + (now()?.length ?? 0)
    return { diff: this.memory.of(key, size, make), exact }
  }
}

const NONE: ReadonlySet<string> = new Set()
