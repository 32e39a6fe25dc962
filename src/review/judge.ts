import { digest, type FileState, type StagedChange, sameState } from '../../overlay/index.js'
import type { ChangeState, Verdict } from '../core/api.js'
import type { FileDiff, PlainHunk } from './diff.js'
import type { HunkRef } from './record.js'
import { type CurrentVerdicts, stateOf } from './verdicts.js'

/** What a commit would take of one change, and by whose word. */
export interface CommitSlice {
  /** As it is staged. */
  readonly of: StagedChange
  /** As it would land. */
  readonly change: StagedChange
  readonly verdicts: readonly Verdict[]
  /** Where it is a part of the change: the hunks that land, and those that stay. */
  readonly part?: { readonly landed: readonly PlainHunk[]; readonly left: readonly PlainHunk[] }
}

/**
 * True where hunks can be decided on one by one: a text file that was and stays a file. A creation, a deletion, a link
 * or a change of encoding is shown as one hunk and is one thing.
 */
export function isDivisible(change: StagedChange, diff: Pick<FileDiff, 'encoding' | 'hunks'> | undefined): boolean {
  const { kind, before, after } = change
  if (diff === undefined || diff.hunks.length === 0 || diff.encoding.includes('encoding-changed')) return false
  return (kind === 'modify' || kind === 'rename') && before?.type === 'file' && after?.type === 'file'
}

/** Each hunk's verdict: the latest on it, or on its file. */
export function hunkVerdicts(standing: CurrentVerdicts, hunks: readonly PlainHunk[], divisible: boolean) {
  return hunks.map(({ id }) => (divisible ? (standing.hunks.get(id) ?? standing.file) : standing.file))
}

/** A change's state: that of all it is made of, its hunks, its name and its mode, where they have the same. */
export function changeState(change: StagedChange, standing: CurrentVerdicts, diff: FileDiff | undefined): ChangeState {
  const own = stateOf(standing.file)
  if (diff === undefined || !isDivisible(change, diff)) return own
  const states = new Set(hunkVerdicts(standing, diff.hunks, true).map(stateOf))
  if (!isContentOnly(change)) states.add(own)
  const [only] = states
  return states.size === 1 && only !== undefined ? only : 'pending'
}

/** Name and mode are not part of any hunk: they go by the verdict on the file. */
export function isContentOnly({ from, before, after }: StagedChange): boolean {
  return from === undefined && before?.mode === after?.mode
}

/**
 * What is approved of a change: all of it, some of its hunks, or nothing (undefined).
 * @param diffOf compares the change with its base; undefined where the base's content is not to be had
 */
export function commitSliceOf(
  change: StagedChange,
  standing: CurrentVerdicts,
  diffOf: () => FileDiff | undefined,
): CommitSlice | undefined {
  const { file, hunks } = standing
  const isApproved = stateOf(file) === 'approved'
  const isSilent = [...hunks.values()].every((word) => isApproved === (stateOf(word) === 'approved'))
  if (isSilent)
    return isApproved && file !== undefined ? { of: change, change, verdicts: [file, ...hunks.values()] } : undefined
  const diff = diffOf()
  // Nobody can tell what of it was approved: it is handed on as one whose base has moved, for the commit to refuse.
  if (diff === undefined) return { of: change, change: { ...change, drifted: true }, verdicts: [...hunks.values()] }
  if (!isDivisible(change, diff))
    return isApproved && file !== undefined ? { of: change, change, verdicts: [file] } : undefined
  return partOf(change, standing, diff)
}

function partOf(change: StagedChange, standing: CurrentVerdicts, diff: FileDiff): CommitSlice | undefined {
  const words = hunkVerdicts(standing, diff.hunks, true)
  const landed = diff.hunks.filter((_, index) => stateOf(words[index]) === 'approved')
  const left = diff.hunks.filter((_, index) => stateOf(words[index]) !== 'approved')
  const withFile = stateOf(standing.file) === 'approved'
  // A renamed file has no other place to land at.
  if (change.from !== undefined && !withFile) return undefined
  const verdicts = words.filter((word): word is Verdict => stateOf(word) === 'approved')
  if (withFile && standing.file) verdicts.push(standing.file)
  const content = diff.take(new Set(landed.map(({ id }) => id)))
  const after = stateWith(change, content, withFile)
  if (after === null || (change.from === undefined && sameState(after, change.before))) return undefined
  if (sameState(after, change.after)) return { of: change, change, verdicts }
  const kind = change.from === undefined && landed.length === 0 ? 'mode' : change.kind
  const part = { landed, left }
  return { of: change, change: { ...change, kind, after, content: () => content }, verdicts, part }
}

/** The mode lands with a verdict on the file only: no hunk shows it. */
function stateWith({ before, after }: StagedChange, content: Uint8Array, withFile: boolean): FileState | null {
  const mode = (withFile ? after : before)?.mode
  return mode === undefined ? null : { type: 'file', digest: digest(content), mode }
}

export function refOf({ id, newStart, newLines }: PlainHunk): HunkRef {
  return { id, start: newStart, lines: newLines }
}
