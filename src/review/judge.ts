import { digest, type FileState, type StagedChange, sameState } from '../../overlay/index.js'
import type { ChangeRejection, ChangeState, Verdict } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { FileDiff, PlainHunk } from './diff.js'
import type { HunkRef } from './record-schema.js'
import { type CurrentVerdicts, stateOf } from './verdicts.js'

/** The approved part of one change. */
export interface CommitSlice {
  /** The change as it is staged. */
  readonly of: StagedChange
  /** The change that the commit makes. */
  readonly change: StagedChange
  /** The verdicts that approve it, of each person who did. */
  readonly verdicts: readonly Verdict[]
  /** Set if only a part of the change is approved: the hunks that are committed, and those that stay staged. */
  readonly part?: { readonly taken: readonly PlainHunk[]; readonly left: readonly PlainHunk[] }
}

/**
 * Whether hunks can be decided one by one: only in a text file that was and stays a file. A creation, a deletion, a link or a
 * change of encoding is one hunk.
 */
export function isDivisible(change: StagedChange, diff: Pick<FileDiff, 'encoding' | 'hunks'> | undefined): boolean {
  const { kind, before, after } = change
  if (diff === undefined || diff.hunks.length === 0 || diff.encoding.includes('encoding-changed')) return false
  return (kind === 'modify' || kind === 'rename') && before?.type === 'file' && after?.type === 'file'
}

/** The verdict on each hunk: the latest on it or on its file. */
export function hunkVerdicts(current: CurrentVerdicts, hunks: readonly PlainHunk[], divisible: boolean) {
  return hunks.map(({ id }) => (divisible ? (current.hunks.get(id) ?? current.file) : current.file))
}

/** A change's state: that of its hunks, name and mode if all agree, else pending. */
export function changeState(change: StagedChange, current: CurrentVerdicts, diff: FileDiff | undefined): ChangeState {
  const fileState = stateOf(current.file)
  if (diff === undefined || !isDivisible(change, diff)) return fileState
  const states = new Set(hunkVerdicts(current, diff.hunks, true).map(stateOf))
  if (!isContentOnly(change)) states.add(fileState)
  const [only] = states
  return states.size === 1 && only !== undefined ? only : 'pending'
}

/** The rejections in force on a change, each with the hunks that it still applies to. */
export function rejectionsOf(
  change: StagedChange,
  current: CurrentVerdicts,
  diff: FileDiff | undefined,
): ChangeRejection[] {
  const hunks = diff !== undefined && isDivisible(change, diff) ? diff.hunks : []
  const rejected = new Map<Verdict, string[]>()
  if (current.file && (hunks.length === 0 || !isContentOnly(change))) rejected.set(current.file, [])
  hunkVerdicts(current, hunks, true).forEach((verdict, index) => {
    const id = hunks[index]?.id
    if (verdict && id !== undefined) rejected.set(verdict, [...(rejected.get(verdict) ?? []), id])
  })
  return [...rejected].flatMap(([verdict, ids]) => {
    if (stateOf(verdict) !== 'rejected') return []
    const { reason = '', by, at } = verdict
    const isPart = verdict !== current.file || ids.length < hunks.length
    return [{ reason, by, at, ...defined({ hunks: isPart ? ids : undefined }) }]
  })
}

/** Whether hunks show the whole change. Name and mode are in none; they need the verdict on the file. */
export function isContentOnly({ from, before, after }: StagedChange): boolean {
  return from === undefined && before?.mode === after?.mode
}

/**
 * The approved part of a change: all of it, some of its hunks, or nothing (undefined).
 * @param diffOf compares the change with its base; undefined if the base's content is gone
 */
export function commitSliceOf(
  change: StagedChange,
  current: CurrentVerdicts,
  diffOf: () => FileDiff | undefined,
): CommitSlice | undefined {
  const { file, hunks } = current
  const isApproved = stateOf(file) === 'approved'
  const isUniform = [...hunks.values()].every((verdict) => isApproved === (stateOf(verdict) === 'approved'))
  if (isUniform) {
    if (!isApproved) return undefined
    const verdicts = [undefined, ...hunks.keys()].flatMap((id) => current.approvals(id))
    return { of: change, change, verdicts }
  }
  const diff = diffOf()
  // Without a diff the approved hunks cannot be found: pass the change on as drifted, and the commit refuses it.
  if (diff === undefined) return { of: change, change: { ...change, drifted: true }, verdicts: [...hunks.values()] }
  if (!isDivisible(change, diff)) return isApproved ? { of: change, change, verdicts: current.approvals() } : undefined
  return partOf(change, current, diff)
}

function partOf(change: StagedChange, current: CurrentVerdicts, diff: FileDiff): CommitSlice | undefined {
  const byHunk = hunkVerdicts(current, diff.hunks, true)
  const taken = diff.hunks.filter((_, index) => stateOf(byHunk[index]) === 'approved')
  const pending = diff.hunks.filter((_, index) => stateOf(byHunk[index]) !== 'approved')
  const withFile = stateOf(current.file) === 'approved'
  // Hunks of a renamed file cannot be committed without the rename.
  if (change.from !== undefined && !withFile) return undefined
  const verdicts = [
    ...taken.flatMap(({ id }) => current.approvals(current.hunks.has(id) ? id : undefined)),
    ...(withFile ? current.approvals() : []),
  ]
  const content = diff.take(new Set(taken.map(({ id }) => id)))
  const after = stateWith(change, content, withFile)
  if (after === null || (change.from === undefined && sameState(after, change.before))) return undefined
  if (sameState(after, change.after)) return { of: change, change, verdicts }
  const kind = change.from === undefined && taken.length === 0 ? 'mode' : change.kind
  const part = { taken, left: pending }
  return { of: change, change: { ...change, kind, after, content: () => content }, verdicts, part }
}

/** A new mode needs an approval of the file: no hunk shows it. */
function stateWith({ before, after }: StagedChange, content: Uint8Array, withFile: boolean): FileState | null {
  const mode = (withFile ? after : before)?.mode
  return mode === undefined ? null : { type: 'file', digest: digest(content), mode }
}

export function refOf({ id, newStart, newLines }: PlainHunk): HunkRef {
  return { id, start: newStart, lines: newLines }
}
