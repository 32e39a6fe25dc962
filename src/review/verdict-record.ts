import { digest, type StagedChange } from '../../overlay/index.js'
import type { Verdict } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import { checkedReviewer, type Reviewer } from '../core/people.js'
import type { BaseDiffs } from './base-diffs.js'
import type { DisplayedChange } from './displayed-change.js'
import { type CommitSlice, isContentOnly, refOf } from './judge.js'
import { keyOf } from './record.js'
import type { ReviewEntry, VerdictRecord } from './record-schema.js'
import type { Chosen } from './selection.js'
import type { Merged } from './stage-amender.js'
import { type CurrentVerdicts, stateOf, type VerdictState } from './verdicts.js'

/** A chosen change. */
export interface Decided extends Chosen<DisplayedChange> {
  /** Hunks that the verdict leaves out: they were rejected before. */
  readonly except?: readonly string[]
}

/** The displayed changes that nobody has rejected, without their rejected hunks. */
export function allUnrejected(
  displayed: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
  diffs: BaseDiffs,
): Decided[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return displayed.flatMap((each): Decided[] => {
    const change = now.get(keyOf(each))
    const { file, hunks } = change ? verdicts.of(change) : { file: undefined, hunks: new Map<string, Verdict>() }
    if (stateOf(file) === 'rejected') return []
    const rejected = new Set([...hunks].flatMap(([id, verdict]) => (stateOf(verdict) === 'rejected' ? [id] : [])))
    if (change === undefined || rejected.size === 0) return [{ change: each }]
    const ids = [...diffs.hunkIds(change)]
    const except = ids.filter((id) => rejected.has(id))
    if (except.length === 0) return [{ change: each }]
    return except.length === ids.length && isContentOnly(change) ? [] : [{ change: each, except }]
  })
}

/** The chosen changes and hunks that have a verdict. */
export function withVerdict<T extends Chosen<DisplayedChange>>(
  chosen: readonly T[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
): T[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return chosen.filter(({ change: displayed, hunks }) => {
    const change = now.get(keyOf(displayed))
    if (change === undefined) return true
    const { file, hunks: byHunk } = verdicts.of(change)
    const found = hunks === undefined ? [file, ...byHunk.values()] : hunks.map(({ id }) => byHunk.get(id) ?? file)
    return found.some((verdict) => stateOf(verdict) !== 'pending')
  })
}

/** @throws EscrowError `unsupported` if a hunk of a renamed file is chosen and the rename is not approved. */
export function refuseWithoutRename(
  chosen: readonly Chosen<DisplayedChange>[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
) {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const refused = chosen.flatMap(({ change: displayed, hunks }) => {
    const { path, from } = displayed
    const change = now.get(keyOf(displayed))
    if (hunks === undefined || from === undefined || change === undefined) return []
    if (stateOf(verdicts.of(change).file) === 'approved') return []
    const message = `${path} was renamed from ${from}, so no hunk can be committed without the rename.`
    return [{ path, reason: 'unsupported', message }]
  })
  if (refused.length === 0) return
  const message = `${refused.map((each) => each.message).join(' ')} Nothing was recorded.`
  const hint = `Approve the whole path ${refused[0]?.path}, then reject the hunks that you do not want.`
  throw new EscrowError('unsupported', message, { refused, hint })
}

/** `reason` is the text of a rejection, for the agent. `rule` is the rule that approved without a person. */
export function verdictRecord(
  verdict: Verdict['verdict'],
  chosen: readonly Decided[],
  by: Reviewer,
  { reason, rule }: Pick<VerdictRecord, 'reason' | 'rule'> = {},
): VerdictRecord {
  const id = chosen.length === 0 ? '' : newId()
  const at = new Date().toISOString()
  return {
    kind: 'verdict',
    id,
    at,
    entries: chosen.map(decidedEntry),
    verdict,
    by: checkedReviewer(by),
    ...defined({ reason, rule }),
  }
}

export function decidedEntry({ change, hunks, except }: Decided): ReviewEntry {
  const { path, from, before, after } = change
  return {
    path,
    ...defined({ from }),
    before,
    after,
    ...(hunks !== undefined && { hunks: [...hunks] }),
    ...(except !== undefined && { except: [...except] }),
  }
}

/**
 * The rejection of a whole file of which a commit takes some hunks that were approved later, recorded again for the rest. It
 * is the same verdict, so it keeps its id.
 */
export function remainingRejection(
  { of, change, part }: CommitSlice,
  { file, hunks: byHunk }: CurrentVerdicts,
): VerdictRecord[] {
  if (file === undefined || file.verdict !== 'rejected' || part === undefined) return []
  const hunks = part.left.filter(({ id }) => !byHunk.has(id)).map(refOf)
  if (hunks.length === 0) return []
  return [recordOf(file, [{ path: change.path, before: change.after, after: of.after, hunks }])]
}

/**
 * The approvals of a change, bound to the merged content, for a policy that keeps approvals through a merge. They are the
 * same verdicts, so they keep their ids.
 * @returns undefined if the merge is not clean, or changed an approved hunk
 */
export function rebindApprovals(
  { change, clean }: Merged,
  current: CurrentVerdicts,
  diffs: BaseDiffs,
): VerdictRecord[] | undefined {
  const { path, from, after } = change
  if (clean === undefined || !after) return undefined
  const merged = { type: 'file', digest: digest(clean.content), mode: after.mode } as const
  const entry = { path, ...defined({ from }), before: clean.onto, after: merged }
  const records = current.approvals().map((verdict) => recordOf(verdict, [entry]))
  const now = new Map(diffs.between(clean.base, clean.content, path).hunks.map((hunk) => [hunk.id, hunk]))
  for (const id of current.hunks.keys()) {
    const approvals = current.approvals(id)
    if (approvals.length === 0) continue
    const hunk = now.get(id)
    if (hunk === undefined) return undefined
    records.push(...approvals.map((verdict) => recordOf(verdict, [{ ...entry, hunks: [refOf(hunk)] }])))
  }
  return records
}

export function recordOf({ id, at, by, verdict, reason }: Verdict, entries: ReviewEntry[]): VerdictRecord {
  return { kind: 'verdict', id, at, entries, verdict, by, ...defined({ reason }) }
}
