import { digest, type StagedChange } from '../../overlay/index.js'
import type { Contents } from './contents.js'
import { hasMarkers, mergeContents } from './merge.js'
import type { AmendRecord, ReviewRecord } from './record.js'

/** What an amendment makes of a file, and that it could not be made whole. */
export interface Amended {
  readonly content: Uint8Array
  readonly conflict: boolean
}

/**
 * What becomes of a file by an amendment. Where the agent has written to it since the reviewer saw it, both are merged:
 * no edit is lost, neither the reviewer's nor the agent's. Of what cannot be merged the reviewer's is taken.
 * @param now the staged content; undefined where no file is staged there any more
 * @returns undefined where the content stays as it is
 */
export function amendedContent(
  record: AmendRecord,
  now: Uint8Array | undefined,
  contents: Contents,
): Amended | undefined {
  const seen = record.entries[0]?.after
  if (record.content === undefined || !seen) return undefined
  const wanted = contents.read(record.content)
  if (now === undefined) return record.cause === 'edit' ? { content: wanted, conflict: false } : undefined
  if (digest(now) === seen.digest) return { content: wanted, conflict: false }
  const names = { ours: 'agent', theirs: labelOf(record) }
  const merged = mergeContents(now, contents.read(seen.digest), wanted, names)
  if (merged === undefined) return record.cause === 'edit' ? { content: wanted, conflict: false } : undefined
  // What was discarded is not there any more as it was seen: that is no part of what was thrown away.
  return merged.conflict && record.cause === 'discard' ? undefined : merged
}

function labelOf({ cause, by }: AmendRecord): string {
  return cause === 'merge' ? DISK : by.name.replace(/\s+/g, ' ')
}

/** What the other side of a merge is called beside its markers. */
export const DISK = 'disk'

/** What reviewers have made of the changes, as far as it is in the stage. */
export interface AmendmentState {
  /** In order; none before the last commit or discard of the whole change. */
  of(change: StagedChange): readonly AmendRecord[]
  /** `markers`: in the staged content. `beside`: the disk holds the other version, and nobody has decided since. */
  conflict(change: StagedChange): 'markers' | 'beside' | undefined
}

export function amendmentState(records: readonly ReviewRecord[]): AmendmentState {
  const found = new Map<string, AmendRecord[]>()
  const beside = new Set<string>()
  for (const record of records) {
    for (const { path, hunks } of record.entries) {
      if (record.kind === 'amend') {
        const known = found.get(path)
        if (known) known.push(record)
        else found.set(path, [record])
        if (record.conflict === true && record.content === undefined) beside.add(path)
        else beside.delete(path)
      } else if (hunks === undefined) {
        beside.delete(path)
        if (record.kind !== 'verdict') found.delete(path)
      }
    }
  }
  return {
    of: ({ path }) => found.get(path) ?? [],
    conflict(change) {
      const amendments = found.get(change.path)
      if (amendments === undefined) return undefined
      if (change.after?.type === 'file' && hasMarkers(change.content())) return 'markers'
      return beside.has(change.path) ? 'beside' : undefined
    },
  }
}
