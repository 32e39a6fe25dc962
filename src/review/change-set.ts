import { setImmediate } from 'node:timers/promises'
import { digest, type FileState, type StagedChange } from '../../overlay/index.js'
import type { Change, ChangeSet, Hunk } from '../core/api.js'
import { confusableWords } from '../core/confusable.js'
import { defined } from '../core/defined.js'
import { disagrees, type Mutation } from '../core/mutation.js'
import type { Risk } from '../core/risk-api.js'
import { withFrozenStamps } from '../os/cached-file.js'
import { addedLines } from './added-lines.js'
import type { AmendmentState } from './amend.js'
import type { BaseDiffs } from './base-diffs.js'
import type { FileDiff } from './diff.js'
import { changeState, hunkVerdicts, isDivisible, rejectionsOf } from './judge.js'
import { type CurrentVerdicts, stateOf, type VerdictState } from './verdicts.js'

/** The sources of a change set's details. */
export interface ChangeViews {
  readonly diffs: BaseDiffs
  readonly verdicts: VerdictState
  readonly amendments: AmendmentState
  /** The flags that policy gives a change: `protected`, `out-of-scope`, … */
  flags(change: StagedChange): string[]
  /** How a change alters its file, if that was measured. */
  mutation?(change: StagedChange): Mutation | undefined
  /** The facts about a change, if they were requested. */
  risk?(change: StagedChange): Risk | undefined
}

/** The staged changes in reading order: deletions first, then by path. */
export function toChangeSet(staged: readonly StagedChange[], views: ChangeViews): ChangeSet {
  const sorted = [...staged].sort(byImportance)
  return { digest: changeSetDigest(sorted), changes: sorted.map((change) => toChange(change, views)) }
}

/** How many milliseconds a reading may delay other work of the process. */
const SLICE_MS = 15

/**
 * As {@link toChangeSet}, in slices: between them the process does other work, such as a server's answers. Each slice
 * sees the files of policy as they are at one moment.
 */
export async function toChangeSetInSlices(staged: readonly StagedChange[], views: ChangeViews): Promise<ChangeSet> {
  const sorted = [...staged].sort(byImportance)
  const changes: Change[] = []
  const readSlice = () => {
    const end = performance.now() + SLICE_MS
    for (const change of sorted.slice(changes.length)) {
      changes.push(toChange(change, views))
      if (performance.now() > end) return
    }
  }
  withFrozenStamps(readSlice)
  while (changes.length < sorted.length) {
    await setImmediate()
    withFrozenStamps(readSlice)
  }
  return { digest: changeSetDigest(sorted), changes }
}

/** The digest of paths, kinds and both sides of every change. It does not depend on their order. */
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

function toChange(change: StagedChange, views: ChangeViews): Change {
  const { path, from, kind, before, after, intentId, calls, writtenAt } = change
  const { diff, exact } = views.diffs.compare(change)
  const drifted = change.drifted || !exact
  const verdicts = views.verdicts.of(change)
  const mutation = views.mutation?.(change)
  const mode = { before: before?.mode ?? null, after: after?.mode ?? null }
  const rejections = rejectionsOf(change, verdicts, diff)
  return {
    path,
    ...defined({ from }),
    kind,
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    ...(mode.before !== mode.after && { mode }),
    hunks: diff === undefined ? [] : hunksOf(change, verdicts, diff),
    state: changeState(change, verdicts, diff),
    ...(rejections.length > 0 && { rejections }),
    flags: flagsOf(change, views, { diff, drifted, verdicts }),
    ...defined({ intentId }),
    ...(calls.length > 0 && { calls: [...calls] }),
    ...defined({ writtenAt, mutation, risk: views.risk?.(change) }),
  }
}

interface Compared {
  readonly diff: FileDiff | undefined
  readonly drifted: boolean
  readonly verdicts: CurrentVerdicts
}

function flagsOf(change: StagedChange, views: ChangeViews, { diff, drifted, verdicts }: Compared): string[] {
  const causes = new Set(views.amendments.of(change).map(({ cause }) => cause))
  const mutation = views.mutation?.(change)
  const flags = {
    'class-disagrees': mutation && disagrees(mutation),
    conflict: views.amendments.conflict(change) !== undefined,
    drifted,
    merged: causes.has('merge'),
    edited: causes.has('edit'),
    'verdict-void': verdicts.isVoid,
  }
  const allFlags = [...namesOf(flags), ...contentFlags(change, diff)]
  return [...new Set([...allFlags, ...views.flags(change)])]
}

function namesOf(flags: Record<string, boolean | undefined>): string[] {
  return Object.entries(flags).flatMap(([flag, holds]) => (holds === true ? [flag] : []))
}

function hunksOf(change: StagedChange, current: CurrentVerdicts, diff: FileDiff): Hunk[] {
  const verdicts = hunkVerdicts(current, diff.hunks, isDivisible(change, diff))
  return diff.hunks.map((hunk, index) => ({ ...hunk, state: stateOf(verdicts[index]) }))
}

function contentFlags({ path, before, after, links }: StagedChange, diff: FileDiff | undefined): string[] {
  const executable = (state: FileState | null) => state?.type === 'file' && (state.mode & 0o111) !== 0
  const flags = {
    binary: diff?.binary,
    large: diff?.large,
    symlink: before?.type === 'symlink' || after?.type === 'symlink',
    'hard-link': links !== undefined,
    'type-changed': before !== null && after !== null && before.type !== after.type,
    executable: executable(after) && !executable(before),
    'set-id': hasRefusedBits(before, after),
    confusable: after !== null && [path, ...linesAdded(diff)].some((line) => confusableWords(line).size > 0),
  }
  return [...namesOf(flags), ...(diff?.encoding ?? [])]
}

function linesAdded(diff: FileDiff | undefined): string[] {
  return diff?.hunks.flatMap(({ text }) => addedLines(text)) ?? []
}

/** The set-user-ID, set-group-ID and sticky bits that a commit refuses. A directory keeps its own; a new one inherits set-group-ID. */
function hasRefusedBits(before: FileState | null, after: FileState | null): boolean {
  const keptBits = after?.type !== 'dir' ? 0 : before?.type === 'dir' ? before.mode : 0o2000
  return after !== null && (after.mode & 0o7000 & ~keptBits) !== 0
}
