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
 * Bytes of both sides that a commit measures for a class that is not known yet, some hundredths of a second of parsing. The
 * review has measured before what was approved; parts of a file are what is left.
 */
const UNKNOWN = 256 * 1024

interface Attributing {
  readonly undone: Undone | undefined
  readonly free: FreePaths
  readonly amendments: AmendmentState
  readonly ledger: Pick<LedgerStore, 'lineHead' | 'outside'>
  readonly declarations: Declarations
  readonly classes: KnownClasses
  /** Calls the commit off. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Who wrote which lines, how each line can be followed through the changes, what each change does to its file, and for
 * each old file read for it how it looked then: while it looks so still, the commit need not read it again.
 */
export async function readBases(
  store: StageStore,
  diff: StageDiff,
  approved: readonly StagedChange[],
  about: Attributing,
) {
  const files: FileAttribution[] = []
  const lines: FileLines[] = []
  const mutations = new Map<StagedChange, Mutation>()
  const looks = new Map<string, BigIntStats>()
  const measure = createMeasure(about.classes, UNKNOWN)
  const recordLook = (path: RelPath, readAt: number | undefined) => {
    const look = readAt === undefined ? undefined : settledLook(diff.look(path), readAt)
    if (look !== undefined) looks.set(path, look)
  }
  const isWriting = approved.some(isWritten)
  const outsideOf = await about.ledger.outside(olderBases(store, diff, approved, about))
  // Comparing and parsing takes longer than all the rest of a commit.
  const run = startCommitRun({ signal: about.signal })
  run.begin('checking', approved.length)
  for (const change of approved) {
    await run.step()
    const { path, from = path, after } = change
    recordLook(from, diff.readAt(from))
    // A path that needs no intent is attributed to nobody.
    if (isDirectory(change) || about.free.has(path, false)) continue
    const known = knownBase(change, about)
    const readAt = Date.now()
    const read = isRead(change, known, isWriting) ? readBoth(store, change, diff.look(from)) : undefined
    const was = read && read.before !== null ? digest(read.before) : undefined
    if (was !== undefined && was === change.before?.digest) recordLook(from, readAt)
    const followed = isFollowed(change) && (read ? read.comparison : known === 'whole' && UNCHANGED)
    const told = followed && linesOfChange(path, followed, known === 'whole')
    if (told) lines.push(told)
    if (about.undone?.restores(path, after)) continue
    const mutation = mutationOf(await measure(change, read && { ...read, was }), about.declarations.of(change))
    mutations.set(change, mutation)
    if (after === null) continue
    const outside = (known === 'older' && outsideOf.get(from)) || NONE
    const edited = read ? editedLines(editsOf(store, change, about.amendments), read.after ?? EMPTY) : NONE
    files.push(
      attributeFile({ ...attributionOf(change), ...classOf(mutation), comparison: read?.comparison, edited, outside }),
    )
  }
  return { files, lines, mutations, looks }
}

/** The contents to be replaced of which the ledger has the lines of an older one. */
function* olderBases(
  store: StageStore,
  diff: StageDiff,
  approved: readonly StagedChange[],
  about: Attributing,
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

/** What the ledger has of a base: all its lines; those of an older content of the file; nothing. */
type Known = 'whole' | 'older' | 'nothing'

function knownBase({ path, from = path, before }: StagedChange, { ledger }: Attributing): Known {
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

/** A file the ledger does not know need not be read to be moved or removed, unless its lines can stand elsewhere then. */
function isRead(change: StagedChange, known: Known, isWriting: boolean): boolean {
  if (isWritten(change) || known === 'older') return true
  return known === 'nothing' && change.after === null && isWriting
}

/** A symlink has no lines; what changes only its mode leaves them where they are. */
function isFollowed(change: StagedChange): boolean {
  if (change.before?.type === 'symlink' || change.after?.type === 'symlink') return false
  return change.from !== undefined || change.after === null || isWritten(change)
}

function readBoth(store: StageStore, change: StagedChange, look: BigIntStats | undefined) {
  const before = change.before?.type === 'dir' ? null : readBefore(store, change, look)
  const after = isWritten(change) ? change.content() : change.after === null ? null : before
  return { before, after, comparison: compareContents(before, after) }
}

function attributionOf({ path, intentId, agent }: StagedChange): Omit<FileAttribution, 'ranges'> {
  const said = agent === undefined ? {} : { agent: agent as AgentInfo | null }
  return { path, contributor: 'ai', intent: intentId ?? null, ...said }
}

function classOf({ class: measured }: Mutation): Pick<FileAttribution, 'mutationClass'> {
  return measured === 'UNVERIFIED' ? {} : { mutationClass: measured }
}

/** Null where nothing stood, or what did cannot be read any more: the check of the bases says what that means. */
function readBefore(store: StageStore, change: StagedChange, look: BigIntStats | undefined): Uint8Array | null {
  if (change.before === null) return null
  try {
    return beforeOf(store, change, look)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return null
  }
}

export function withLook(entry: CommitEntry, look: BigIntStats | undefined): CommitEntry {
  return look === undefined || entry.old?.type !== 'file' ? entry : { ...entry, look }
}

function editsOf({ contents }: StageStore, change: StagedChange, amendments: AmendmentState) {
  return amendments.of(change).flatMap(({ cause, content, entries: [entry] }) => {
    if (cause !== 'edit' || content === undefined || !entry?.after) return []
    return [{ seen: contents.read(entry.after.digest), made: contents.read(content) }]
  })
}
