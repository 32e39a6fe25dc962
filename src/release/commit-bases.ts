import type { BigIntStats } from 'node:fs'
import { codeOf, digest, type RelPath, type StageDiff, type StagedChange, sameContent } from '../../overlay/index.js'
import { createMeasure, type KnownClasses } from '../change-class/index.js'
import { type CommitEntry, settledLook, startCommitRun } from '../commit/index.js'
import { type Declarations, type Mutation, mutationOf } from '../core/mutation.js'
import type { AgentInfo } from '../core/people.js'
import type { FreePaths } from '../policy/index.js'
import type { AmendmentState } from '../review/index.js'
import { beforeOf, type StageStore } from '../stage/index.js'
import {
  attributeFile,
  type Comparison,
  compareContents,
  editedLines,
  type FileAttribution,
  type FileLines,
  type LedgerStore,
  linesOfChange,
  type PathContent,
} from '../trace/index.js'
import type { Undone } from './undo-session.js'

/**
 * The most bytes, of both sides, that a commit parses for classes that are not cached: parsing them takes some hundredths
 * of a second. An approval caches the classes of whole changes, so mostly parts of files remain.
 */
const MAX_UNCACHED = 256 * 1024

interface AttributionContext {
  readonly undone: Undone | undefined
  readonly free: FreePaths
  readonly amendments: AmendmentState
  readonly ledger: Pick<LedgerStore, 'lineHead' | 'outside'>
  readonly declarations: Declarations
  readonly classes: KnownClasses
  /** Aborts the commit. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Reads both sides of the approved changes for the commit's ledger record: the author of each line, the lines that moved, and
 * the class of each change. `statsByPath` has the stat of each old file as it was read: while that is unchanged, the commit does not
 * read the file again.
 */
export async function readBases(
  store: StageStore,
  diff: StageDiff,
  approved: readonly StagedChange[],
  about: AttributionContext,
) {
  const files: FileAttribution[] = []
  const lines: FileLines[] = []
  const mutations = new Map<StagedChange, Mutation>()
  const statsByPath = new Map<string, BigIntStats>()
  const measure = createMeasure(about.classes, MAX_UNCACHED)
  const recordLook = (path: RelPath, readAt: number | undefined) => {
    const readStats = readAt === undefined ? undefined : settledLook(diff.look(path), readAt)
    if (readStats !== undefined) statsByPath.set(path, readStats)
  }
  const writesFiles = approved.some(isWritten)
  const outsideOf = await about.ledger.outside(olderBases(store, diff, approved, about))
  // Comparing and parsing is the longest part of a commit, so it reports progress and can be aborted.
  const run = startCommitRun({ signal: about.signal })
  run.begin('checking', approved.length)
  for (const change of approved) {
    await run.step()
    const { path, from = path, after } = change
    recordLook(from, diff.readAt(from))
    // Lines at paths that need no intent are not attributed.
    if (isDirectory(change) || about.free.has(path, false)) continue
    const known = knownBase(change, about)
    const readAt = Date.now()
    const read = needsReading(change, known, writesFiles) ? readSides(store, change, diff.look(from)) : undefined
    const beforeDigest = read && read.before !== null ? digest(read.before) : undefined
    if (beforeDigest !== undefined && beforeDigest === change.before?.digest) recordLook(from, readAt)
    const comparison = hasLines(change) && (read ? read.comparison : known === 'whole' && UNCHANGED)
    const moved = comparison && linesOfChange(path, comparison, known === 'whole')
    if (moved) lines.push(moved)
    if (about.undone?.restores(path, after)) continue
    const mutation = mutationOf(
      await measure(change, read && { ...read, was: beforeDigest }),
      about.declarations.of(change),
    )
    mutations.set(change, mutation)
    if (after === null) continue
    const outside = (known === 'older' && outsideOf.get(from)) || NONE
    const edited = read ? editedLines(editsOf(store, change, about.amendments), read.after ?? EMPTY) : NONE
    files.push(
      attributeFile({ ...attributionOf(change), ...classOf(mutation), comparison: read?.comparison, edited, outside }),
    )
  }
  return { files, lines, mutations, statsByPath }
}

/** The contents that will be replaced where the ledger knows the lines of an older content only. */
function* olderBases(
  store: StageStore,
  diff: StageDiff,
  approved: readonly StagedChange[],
  about: AttributionContext,
): Generator<PathContent> {
  for (const change of approved) {
    const { path, from = path, after } = change
    if (isDirectory(change) || after === null || about.free.has(path, false)) continue
    if (knownBase(change, about) !== 'older' || about.undone?.restores(path, after)) continue
    const content = change.before?.type === 'dir' ? null : readBefore(store, change, diff.look(from))
    if (content !== null) yield { path: from, content }
  }
}

const NONE: ReadonlySet<number> = new Set()
const EMPTY = new Uint8Array()
const UNCHANGED: Comparison = { old: [], now: [], hunks: [], origins: [] }

/** How much of a base the ledger knows: all lines; only the lines of an older content; none. */
type Known = 'whole' | 'older' | 'nothing'

function knownBase({ path, from = path, before }: StagedChange, { ledger }: AttributionContext): Known {
  const head = ledger.lineHead(from)
  if (head === undefined) return 'nothing'
  return head === before?.digest ? 'whole' : 'older'
}

function isDirectory({ before, after }: StagedChange): boolean {
  return (after ?? before)?.type === 'dir'
}

function isWritten({ before, after }: StagedChange): boolean {
  return after !== null && after.type !== 'dir' && !sameContent(before, after)
}

/** Whether to read both sides. A removed file that the ledger does not know matters only if a written file may contain its lines. */
function needsReading(change: StagedChange, known: Known, writesFiles: boolean): boolean {
  if (isWritten(change) || known === 'older') return true
  return known === 'nothing' && change.after === null && writesFiles
}

/** Whether a change can move lines. A symlink has none, and a change of mode moves none. */
function hasLines(change: StagedChange): boolean {
  if (change.before?.type === 'symlink' || change.after?.type === 'symlink') return false
  return change.from !== undefined || change.after === null || isWritten(change)
}

function readSides(store: StageStore, change: StagedChange, readStats: BigIntStats | undefined) {
  const before = change.before?.type === 'dir' ? null : readBefore(store, change, readStats)
  const after = isWritten(change) ? change.content() : change.after === null ? null : before
  return { before, after, comparison: compareContents(before, after) }
}

function attributionOf({ path, intentId, agent }: StagedChange): Omit<FileAttribution, 'ranges'> {
  const by = agent === undefined ? {} : { agent: agent as AgentInfo | null }
  return { path, contributor: 'ai', intent: intentId ?? null, ...by }
}

function classOf({ class: measured }: Mutation): Pick<FileAttribution, 'mutationClass'> {
  return measured === 'UNVERIFIED' ? {} : { mutationClass: measured }
}

/** Null if there was no file, or it cannot be read any more: the commit's check of the bases then refuses the path. */
function readBefore(store: StageStore, change: StagedChange, readStats: BigIntStats | undefined): Uint8Array | null {
  if (change.before === null) return null
  try {
    return beforeOf(store, change, readStats)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return null
  }
}

export function withReadStats(entry: CommitEntry, readStats: BigIntStats | undefined): CommitEntry {
  return readStats === undefined || entry.old?.type !== 'file' ? entry : { ...entry, readStats }
}

function editsOf({ contents }: StageStore, change: StagedChange, amendments: AmendmentState) {
  return amendments.of(change).flatMap(({ cause, content, entries: [entry] }) => {
    if (cause !== 'edit' || content === undefined || !entry?.after) return []
    return [{ seen: contents.read(entry.after.digest), made: contents.read(content) }]
  })
}
