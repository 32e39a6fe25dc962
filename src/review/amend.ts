import { digest, type StagedChange } from '../../overlay/index.js'
import type { Contents } from './contents.js'
import { hasMarkers, mergeContents } from './merge.js'
import type { AmendRecord, ReviewRecord } from './record-schema.js'

/** A file after an amendment. */
export interface Amended {
  readonly content: Uint8Array
  /** It has conflict markers. */
  readonly conflict: boolean
}

/**
 * Applies an amendment to a staged file. If the agent has written to the file since the reviewer saw it, both edits are
 * merged. If they cannot be merged, the reviewer's edit wins.
 * @param now the staged content; undefined if no file is staged any more
 * @returns undefined if the content stays as it is
 */
export function amendedContent(
  record: AmendRecord,
  now: Uint8Array | undefined,
  contents: Contents,
): Amended | undefined {
  const displayed = record.entries[0]?.after
  if (record.content === undefined || !displayed) return undefined
  const wanted = contents.read(record.content)
  if (now === undefined) return record.cause === 'edit' ? { content: wanted, conflict: false } : undefined
  if (digest(now) === displayed.digest) return { content: wanted, conflict: false }
  const names = { ours: 'agent', theirs: labelOf(record) }
  const merged = mergeContents(now, contents.read(displayed.digest), wanted, names)
  if (merged === undefined) return record.cause === 'edit' ? { content: wanted, conflict: false } : undefined
  // The agent has rewritten the discarded lines. Nobody discarded its new lines.
  return merged.conflict && record.cause === 'discard' ? undefined : merged
}

function labelOf({ cause, by }: AmendRecord): string {
  return cause === 'merge' ? DISK : by.name.replace(/\s+/g, ' ')
}

/** The label of the disk's side in conflict markers. */
export const DISK = 'disk'

/** The amendments of staged changes. */
export interface AmendmentState {
  /** In order, since the last commit or discard of the whole change. */
  of(change: { readonly path: string }): readonly AmendRecord[]
  /** `markers`: the staged content has conflict markers. `beside`: the disk has the other version, and nobody has decided since. */
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
