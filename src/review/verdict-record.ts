import { digest, type StagedChange } from '../../overlay/index.js'
import type { Verdict } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { newId } from '../core/ids.js'
import type { Reviewer } from '../core/people.js'
import type { Merged } from './amend-stage.js'
import { type Bases, baseDiff } from './change-set.js'
import { diffFile } from './diff.js'
import type { DisplayedChange } from './displayed-change.js'
import { type CommitSlice, isContentOnly, refOf } from './judge.js'
import { keyOf, type ReviewEntry, type VerdictRecord } from './record.js'
import type { Chosen } from './selection.js'
import { type CurrentVerdicts, stateOf, type VerdictState } from './verdicts.js'

/** A choice, perhaps without hunks that were rejected before. */
export interface Decided extends Chosen<DisplayedChange> {
  readonly except?: readonly string[]
}

/** Everything shown that nobody has rejected: of a change with rejected hunks, the rest of it. */
export function allUnrejected(
  seen: readonly DisplayedChange[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
  deps: Bases,
): Decided[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return seen.flatMap((shown): Decided[] => {
    const change = now.get(keyOf(shown))
    const { file, hunks } = change ? verdicts.of(change) : { file: undefined, hunks: new Map<string, Verdict>() }
    if (stateOf(file) === 'rejected') return []
    const rejected = new Set([...hunks].flatMap(([id, word]) => (stateOf(word) === 'rejected' ? [id] : [])))
    if (change === undefined || rejected.size === 0) return [{ change: shown }]
    const ids = (baseDiff(change, deps)?.hunks ?? []).map(({ id }) => id)
    const except = ids.filter((id) => rejected.has(id))
    if (except.length === 0) return [{ change: shown }]
    return except.length === ids.length && isContentOnly(change) ? [] : [{ change: shown, except }]
  })
}

/** The choice without what nobody has spoken of. */
export function onlyDecided<T extends Chosen<DisplayedChange>>(
  chosen: readonly T[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
): T[] {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  return chosen.filter(({ change: shown, hunks }) => {
    const change = now.get(keyOf(shown))
    if (change === undefined) return true
    const { file, hunks: said } = verdicts.of(change)
    const words = hunks === undefined ? [file, ...said.values()] : hunks.map(({ id }) => said.get(id) ?? file)
    return words.some((word) => stateOf(word) !== 'pending')
  })
}

/** @throws `unsupported` where a hunk of a renamed file is approved and the rename is not. */
export function refuseUnnamed(
  chosen: readonly Chosen<DisplayedChange>[],
  staged: readonly StagedChange[],
  verdicts: VerdictState,
) {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const refused = chosen.flatMap(({ change: shown, hunks }) => {
    const { path, from } = shown
    const change = now.get(keyOf(shown))
    if (hunks === undefined || from === undefined || change === undefined) return []
    if (stateOf(verdicts.of(change).file) === 'approved') return []
    const message = `${path} was renamed from ${from}, so no hunk of it can land without the rename.`
    return [{ path, reason: 'unsupported', message }]
  })
  if (refused.length === 0) return
  const message = `${refused.map((each) => each.message).join(' ')} Nothing was recorded.`
  const hint = `Approve the path ${refused[0]?.path} as a whole, then reject the hunks you do not want.`
  throw new EscrowError('unsupported', message, { refused, hint })
}

/** @param by who decides, in the words of `reason` where it is a no */
export function verdictRecord(
  verdict: Verdict['verdict'],
  chosen: readonly Decided[],
  by: Reviewer,
  reason?: string,
): VerdictRecord {
  const id = chosen.length === 0 ? '' : newId()
  const at = new Date().toISOString()
  return {
    kind: 'verdict',
    id,
    at,
    entries: chosen.map(decidedEntry),
    verdict,
    by,
    ...defined({ reason }),
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
 * A no to a whole file, some of which was approved afterwards and has landed: written down again for the rest of it.
 * The same verdict, so it has the same id.
 */
export function carriedOver(
  { of, change, part }: CommitSlice,
  { file, hunks: said }: CurrentVerdicts,
): VerdictRecord[] {
  if (file === undefined || file.verdict !== 'rejected' || part === undefined) return []
  const hunks = part.left.filter(({ id }) => !said.has(id)).map(refOf)
  if (hunks.length === 0) return []
  return [recordOf(file, [{ path: change.path, before: change.after, after: of.after, hunks }])]
}

/**
 * The approvals of a change, bound to what a merge made of it: for a policy that does not ask again. The same verdicts,
 * so they have the same ids. Undefined where the merge is not clean, or an approved hunk is another by it.
 */
export function carriedByMerge(
  { change, clean }: Merged,
  { file, hunks }: CurrentVerdicts,
  deps: Bases,
): VerdictRecord[] | undefined {
  const { path, from, after } = change
  if (clean === undefined || !after) return undefined
  const merged = { type: 'file', digest: digest(clean.content), mode: after.mode } as const
  const entry = { path, ...defined({ from }), before: clean.onto, after: merged }
  const records = stateOf(file) === 'approved' && file ? [recordOf(file, [entry])] : []
  const diff = diffFile(clean.base, clean.content, path, deps.splits?.())
  const now = new Map(diff.hunks.map((hunk) => [hunk.id, hunk]))
  for (const [id, word] of hunks) {
    if (stateOf(word) !== 'approved') continue
    const hunk = now.get(id)
    if (hunk === undefined) return undefined
    records.push(recordOf(word, [{ ...entry, hunks: [refOf(hunk)] }]))
  }
  return records
}

export function recordOf({ id, at, by, verdict, reason }: Verdict, entries: ReviewEntry[]): VerdictRecord {
  return { kind: 'verdict', id, at, entries, verdict, by, ...defined({ reason }) }
}
