import type { BigIntStats } from 'node:fs'
import {
  asRelPath,
  diffStage,
  digest,
  type FileState,
  type RelPath,
  type StagedChange,
  stateNow,
} from '../../overlay/index.js'
import type { ChangeSet } from '../core/api.js'
import { withFrozenStamps } from '../os/cached-file.js'
import { bareRepositoryAt, type Policy } from '../policy/index.js'
import { amendmentState, BaseDiffs, type ReviewRecord, splitsIn, toChangeSet, verdictState } from '../review/index.js'
import type { StageStore } from './store.js'

/** The staged changes, for the agent by `session.changes()` and for a person by `review.changes()`. */
export function changeSetOf(store: StageStore, policy: Policy, reviews: readonly ReviewRecord[]): ChangeSet {
  const diffs = new BaseDiffs({ before: (change) => beforeOf(store, change) }, () => splitsIn(reviews))
  return withFrozenStamps(() =>
    toChangeSet(diffStage(store.overlay).changes, {
      diffs,
      verdicts: verdictState(reviews),
      amendments: amendmentState(reviews),
      flags: (change) => flagsOf(policy, store, change),
    }),
  )
}

/** Whether a path belongs to a git repository under another name, which git would obey. */
function isInRepository({ overlay }: StageStore, path: RelPath): boolean {
  return bareRepositoryAt(path, (each) => overlay.typeOf(asRelPath(each))) !== undefined
}

/**
 * The bytes a change is based on (a link's target). If the disk has changed and the base was not kept, the bytes on
 * disk; null if there are none.
 * @param readStats a stat of the file on disk that the caller has just made
 */
export function beforeOf(store: StageStore, change: StagedChange, readStats?: BigIntStats): Uint8Array | null {
  const keptBase = change.drifted ? store.base(change.from ?? change.path) : undefined
  return keptBase ?? onDisk(store, change, readStats)
}

/** The state and content on disk at a change's base, from one read. */
export function diskNow(
  store: StageStore,
  change: StagedChange,
): { state: FileState | null; content: Uint8Array | null } {
  const path = change.from ?? change.path
  const content = onDisk(store, change)
  const state = stateNow(store.overlay.lower, path, { state: null })
  if (state === null || content === null) return { state: content === null ? state : null, content: null }
  return { state: { ...state, digest: digest(content) }, content }
}

/** The bytes on disk that a change would replace (a link's target); null if there are none. */
function onDisk({ overlay }: StageStore, change: StagedChange, readStats?: BigIntStats): Uint8Array | null {
  const path = change.from ?? change.path
  const type = readStats?.isFile() ? 'file' : overlay.lower.typeOf(path)
  if (type === 'file') return overlay.lower.read(path)
  return type === 'symlink' ? Buffer.from(overlay.lower.readlink(path)) : null
}

export function flagsOf(policy: Policy, store: StageStore, change: StagedChange): string[] {
  const paths = change.from === undefined ? [change.path] : [change.path, change.from]
  const inRepository = change.after !== null && isInRepository(store, change.path)
  const flags = paths.flatMap((path) => policy.flags(path, change.intentId))
  return [...new Set([...flags, ...(inRepository ? ['protected'] : [])])]
}
