import { type FileState, type StagedChange, sameState } from '../../overlay/change.js'
import { digest } from '../../overlay/digest.js'
import type { Change, ChangeSet } from '../core/api.js'
import { diffFile, type FileDiff } from './diff.js'
import type { VerdictState } from './verdicts.js'

export interface ChangeSetDeps {
  /** The base's bytes (a link's target), read from the disk now; null where there is none. */
  before(change: StagedChange): Uint8Array | null
  verdicts: VerdictState
  /** What the policy has to say of a change: `protected`, `out-of-scope`, … */
  flags(change: StagedChange): string[]
}

/** What is staged, as a person sees it: deletions first, then by path. */
export function toChangeSet(staged: readonly StagedChange[], deps: ChangeSetDeps): ChangeSet {
  const sorted = [...staged].sort(byImportance)
  return { digest: changeSetDigest(sorted), changes: sorted.map((change) => toChange(change, deps)) }
}

/** Of what a commit would do: paths, kinds and both sides of every change, whatever their order. */
export function changeSetDigest(staged: readonly StagedChange[]): string {
  const rows = [...staged]
    .sort(byImportance)
    .map(({ path, from, kind, before, after }) => [path, from ?? null, kind, row(before), row(after)])
  return digest(JSON.stringify(rows))
}

function row(state: FileState | null): unknown {
  return state && [state.type, state.digest, state.mode]
}

/** Deletions first, then by path. */
export function byImportance(a: StagedChange, b: StagedChange): number {
  const [first, second] = [a.kind !== 'delete', b.kind !== 'delete']
  if (first !== second) return first ? 1 : -1
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0
}

function toChange(change: StagedChange, deps: ChangeSetDeps): Change {
  const { path, from, kind, before, after, intentId } = change
  const { diff, drifted } = compare(change, deps)
  const mode = { before: before?.mode ?? null, after: after?.mode ?? null }
  return {
    path,
    ...(from !== undefined && { from }),
    kind,
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    ...(mode.before !== mode.after && { mode }),
    hunks: diff?.hunks ?? [],
    state: deps.verdicts.of(change).state,
    flags: [...new Set([...(drifted ? ['drifted'] : []), ...ownFlags(change, diff), ...deps.flags(change)])],
    ...(intentId !== undefined && { intentId }),
  }
}

/** The hunks are taken from the disk as it is read now; where that is no longer the base, the change has drifted. */
function compare(change: StagedChange, deps: ChangeSetDeps): { diff?: FileDiff; drifted: boolean } {
  const { path, from, before, after } = change
  if (before?.type === 'dir' || after?.type === 'dir') return { drifted: change.drifted }
  if (sameState(before, after) && from === undefined) return { drifted: change.drifted }
  const base = before === null ? null : deps.before(change)
  const drifted = change.drifted || (before !== null && (base === null || digest(base) !== before.digest))
  // Without its base a change cannot be told from a creation, so no hunks are made up for it.
  if (before !== null && base === null) return { drifted }
  return { diff: diffFile(base, after === null ? null : change.content(), path, from), drifted }
}

function ownFlags({ before, after }: StagedChange, diff: FileDiff | undefined): string[] {
  const executable = (state: FileState | null) => state?.type === 'file' && (state.mode & 0o111) !== 0
  const flags = {
    binary: diff?.binary,
    large: diff?.large,
    symlink: before?.type === 'symlink' || after?.type === 'symlink',
    'type-changed': before !== null && after !== null && before.type !== after.type,
    executable: executable(after) && !executable(before),
  }
  return Object.entries(flags).flatMap(([flag, holds]) => (holds === true ? [flag] : []))
}
