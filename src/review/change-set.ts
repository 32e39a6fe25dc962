import { digest, type FileState, type StagedChange, sameState } from '../../overlay/index.js'
import type { Change, ChangeSet, Hunk } from '../core/api.js'
import { confusableWords } from '../core/confusable.js'
import { defined } from '../core/defined.js'
import { disagrees, type Mutation } from '../core/mutation.js'
import { addedLines } from './added-lines.js'
import type { AmendmentState } from './amend.js'
import { diffFile, type FileDiff } from './diff.js'
import type { DiffMemory } from './diff-memory.js'
import { changeState, hunkVerdicts, isDivisible } from './judge.js'
import { type CurrentVerdicts, stateOf, type VerdictState } from './verdicts.js'

export interface ChangeSetDeps {
  /** The base's bytes (a link's target), read from the disk now; null where there is none. */
  before(change: StagedChange): Uint8Array | null
  /** True where the disk surely holds still what it held when the changes were told. */
  isStill?(change: StagedChange): boolean
  /** Ids of hunks that reviewers have split. */
  splits?(): ReadonlySet<string>
  readonly memory?: DiffMemory
  verdicts: VerdictState
  amendments: AmendmentState
  /** What a change does to its file, where that was measured. */
  mutation?(change: StagedChange): Mutation | undefined
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
  const { path, from, kind, before, after, intentId, calls, writtenAt } = change
  const { diff, exact } = compare(change, deps)
  const drifted = change.drifted || !exact
  const standing = deps.verdicts.of(change)
  const mutation = deps.mutation?.(change)
  const mode = { before: before?.mode ?? null, after: after?.mode ?? null }
  return {
    path,
    ...defined({ from }),
    kind,
    before: before?.digest ?? null,
    after: after?.digest ?? null,
    ...(mode.before !== mode.after && { mode }),
    hunks: diff === undefined ? [] : hunksOf(change, standing, diff),
    state: changeState(change, standing, diff),
    flags: flagsOf(change, deps, { diff, drifted, standing }),
    ...defined({ intentId }),
    ...(calls.length > 0 && { calls: [...calls] }),
    ...defined({ writtenAt, mutation }),
  }
}

interface Seen {
  readonly diff: FileDiff | undefined
  readonly drifted: boolean
  readonly standing: CurrentVerdicts
}

function flagsOf(change: StagedChange, deps: ChangeSetDeps, { diff, drifted, standing }: Seen): string[] {
  const causes = new Set(deps.amendments.of(change).map(({ cause }) => cause))
  const mutation = deps.mutation?.(change)
  const flags = {
    'class-disagrees': mutation && disagrees(mutation),
    conflict: deps.amendments.conflict(change) !== undefined,
    drifted,
    merged: causes.has('merge'),
    edited: causes.has('edit'),
    'verdict-void': standing.isVoid,
  }
  const own = [...namesOf(flags), ...contentFlags(change, diff)]
  return [...new Set([...own, ...deps.flags(change)])]
}

function namesOf(flags: Record<string, boolean | undefined>): string[] {
  return Object.entries(flags).flatMap(([flag, holds]) => (holds === true ? [flag] : []))
}

function hunksOf(change: StagedChange, standing: CurrentVerdicts, diff: FileDiff): Hunk[] {
  const words = hunkVerdicts(standing, diff.hunks, isDivisible(change, diff))
  return diff.hunks.map((hunk, index) => ({ ...hunk, state: stateOf(words[index]) }))
}

/** What a comparison needs. */
export type Bases = Pick<ChangeSetDeps, 'before' | 'isStill' | 'splits' | 'memory'>

/** The comparison with the very base; undefined where its content is not to be had, or is not text. */
export function baseDiff(change: StagedChange, deps: Bases): FileDiff | undefined {
  const { diff, exact } = compare(change, deps)
  return exact ? diff : undefined
}

/** @returns exact: false where what is compared with is not the base: the change has drifted. */
function compare(change: StagedChange, deps: Bases): { diff?: FileDiff; exact: boolean } {
  const { path, from, before, after, drifted } = change
  if (before?.type === 'dir' || after?.type === 'dir') return { exact: true }
  if (sameState(before, after) && from === undefined) return { exact: true }
  const key = JSON.stringify([path, before?.digest ?? null, after?.digest ?? null, ...(deps.splits?.() ?? [])])
  // Where the disk holds the very base, its content says nothing that the digests do not.
  const isBase = !drifted && (before === null || deps.isStill?.(change) === true)
  const known = isBase ? deps.memory?.find(key) : undefined
  if (known !== undefined) return { diff: known, exact: true }
  const base = before === null ? null : deps.before(change)
  const exact = before === null || (base !== null && digest(base) === before.digest)
  // Without its base a change cannot be told from a creation, so no hunks are made up for it.
  if (before !== null && base === null) return { exact }
  const make = () => diffFile(base, after === null ? null : change.content(), path, deps.splits?.())
  // What is not the very base has no name to be remembered by.
  if (!exact || deps.memory === undefined) return { diff: make(), exact }
  const size = () => (base?.length ?? 0) + (after === null ? 0 : change.content().length)
  return { diff: deps.memory.of(key, size, make), exact }
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

/** The set-user-ID, set-group-ID and sticky bits that a commit refuses: a directory keeps its own, a new one its parent's group. */
function hasRefusedBits(before: FileState | null, after: FileState | null): boolean {
  const kept = after?.type !== 'dir' ? 0 : before?.type === 'dir' ? before.mode : 0o2000
  return after !== null && (after.mode & 0o7000 & ~kept) !== 0
}
