import { codeOf } from '../../overlay/index.js'
import type { Ledger, LedgerHead, TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { SerialQueue } from '../core/serial-queue.js'
import { gitUser } from '../host/git.js'
import { withProcessLock } from '../host/lock.js'
import type { LedgerEntry } from './anchor-lines.js'
import { type Anchors, anchorsOf, headOfTip } from './anchors.js'
import type { PathContent } from './blame.js'
import type { Tip } from './chain.js'
import { checkpointOf } from './checkpoint.js'
import type { RecordDraft } from './draft.js'
import { unavailable } from './faults.js'
import { assertJoined, ledgerFile } from './ledger-file.js'
import { takeOverOldAnchors } from './old-anchors.js'
import { type Placed, placeDraft } from './place.js'
import { publishedIn } from './published.js'
import { findRecord, readRecords } from './read.js'
import { openBranch, openVcs } from './vcs.js'
import { headOf } from './witness.js'

export interface LedgerStore extends Ledger {
  /**
   * Appends the drafts in order, durably, as one write. Resolves to the records as written.
   *
   * Rejects with `ledger_corrupt` or `ledger_fork` (nothing was written), `limit_exceeded` (a record too long) or
   * `ledger_unavailable`; after the last two, records may still come to be: repeat with {@link appendOnce}.
   */
  append(drafts: readonly RecordDraft[]): Promise<TraceRecord[]>
  /**
   * Appends a draft unless a record of its id is there; resolves to that record. For recovery after a crash.
   * @param after where the ledger ended before the draft was made: nothing before it is looked at.
   */
  appendOnce(draft: RecordDraft, after?: LedgerHead): Promise<TraceRecord>
  /** The digest of the content of a path whose lines the ledger has, as of the last {@link head} or append. */
  lineHead(path: string): string | undefined
  /** The lines of contents, from 0, that came to their paths by no commit since the ledger last saw them; by path. */
  outside(contents: Iterable<PathContent>): Promise<ReadonlyMap<string, ReadonlySet<number>>>
}

export interface LedgerOptions {
  /** The exclusion around an append. Safety does not rest on it: see published.ts. */
  readonly lock?: typeof withProcessLock
}

/** The ledger of a workspace, `agent_trace.jsonl`. Opening touches nothing. What only reads it is loaded when asked for. */
export function openLedger(layout: Layout, options: LedgerOptions = {}): LedgerStore {
  const { lock = withProcessLock } = options
  const vcs = openVcs(layout.root)
  const branch = openBranch(layout.root)
  const published = publishedIn(layout.ledgerDir, branch)
  const written = new Map<string, LedgerEntry>()
  const file = ledgerFile(layout, published, vcs, noteWritten)
  let anchoredUpTo: string | null = null
  let isTakenOver = false
  const anchors = anchorsOf(layout, branch)
  const queue = new SerialQueue()

  /** What this machine knows of the ledger. */
  function currentAnchors(): Anchors {
    if (!isTakenOver) takeOverOldAnchors(layout, anchors)
    isTakenOver = true
    return anchors
  }

  /** One append of this process at a time: callers of one process need not wait for each other by polling a lock. */
  function exclusively<T>(work: () => T): Promise<T> {
    return queue.run(async () => {
      try {
        await file.warm()
        return await lock(layout.locks, 'ledger', () => {
          try {
            return work()
          } finally {
            anchorWritten()
          }
        })
      } catch (error) {
        throw unavailable(layout.ledgerFile, error)
      }
    })
  }

  function appendOne(draft: RecordDraft): TraceRecord {
    const [record] = appendNow([draft])
    if (record === undefined) throw new Error('an append of one draft made no record')
    return record
  }

  function appendNow(drafts: readonly RecordDraft[]): TraceRecord[] {
    const done: TraceRecord[] = []
    let newest = 0
    while (done.length < drafts.length) {
      const tip = file.settle()
      const placed = publishInOrder(drafts.slice(done.length), tip)
      const there = file.extend(tip, placed) ? placed : findWritten(placed)
      for (const { record } of there) done.push(record)
      newest = there.at(-1)?.tip.seq ?? newest
    }
    anchorWritten()
    published.prune(newest)
    return done
  }

  function noteWritten(placed: readonly Placed[]): void {
    for (const { tip } of placed) if (tip.hash !== null) written.set(tip.hash, { seq: tip.seq, hash: tip.hash })
  }

  /**
   * Anchors what this process wrote, and the newest records that have copies here: a process that was killed may not have
   * anchored them. A record from elsewhere has no copy. The records are written by now, so a failure of the system is no
   * failure of theirs: `verify` says what nothing anchors.
   */
  function anchorWritten(): void {
    const { ledger, hash } = file.tip()
    if (ledger === null || (hash === anchoredUpTo && written.size === 0)) return
    try {
      const isAnchored = anchoredUpTo === null ? currentAnchors().lately(ledger) : () => false
      for (const entry of published.tail(hash, anchoredUpTo))
        if (!isAnchored(entry.hash)) written.set(entry.hash, entry)
      const entries = [...written.values()].sort((a, b) => a.seq - b.seq)
      currentAnchors().keep(ledger, entries)
      written.clear()
      anchoredUpTo = hash
    } catch (error) {
      if (codeOf(error) === undefined) throw error
    }
  }

  /** Up to the first number another process has taken: what follows is placed again, after its record. */
  function publishInOrder(drafts: readonly RecordDraft[], after: Tip): Placed[] {
    const placed: Placed[] = []
    const revision = vcs()
    for (const draft of drafts) {
      const tip = placed.at(-1)?.tip ?? after
      const next = placeDraft(draft, tip, revision)
      if (!published.publish(next.tip.seq, tip.hash, next.line)) break
      placed.push(next)
    }
    return placed
  }

  /**
   * The file moved on between our reading it and our writing, so the lock was lost. Either someone wrote our published
   * lines for us, or we linked numbers that were used and pruned long ago: what is not in the file then is placed again.
   */
  function findWritten(placed: readonly Placed[]): Placed[] {
    file.settle()
    const there = placed.filter(({ record }) => findRecord(layout.ledgerFile, record.id) !== undefined)
    noteWritten(there)
    return there
  }

  /** Whatever copies of newer records there are. */
  function resettled(): Tip {
    try {
      return file.settle()
    } catch (error) {
      if (!(error instanceof EscrowError) || error.reason !== 'ledger_corrupt') throw error
      published.clear()
      return file.settle()
    }
  }

  /** What follows a commit: a signature where this user has a key. */
  function appendCheckpoint<T>(drafts: readonly RecordDraft[], done: T): T {
    if (!drafts.some(({ type }) => type === 'commit' || type === 'undo')) return done
    const checkpoint = checkpointOf(file.tip())
    if (checkpoint !== undefined) appendNow([checkpoint])
    return done
  }

  return {
    append: (drafts) =>
      drafts.length === 0 ? Promise.resolve([]) : exclusively(() => appendCheckpoint(drafts, appendNow(drafts))),
    appendOnce: (draft, after) =>
      exclusively(() => {
        // A record that was published before a crash gets into the file first.
        file.settle()
        return appendCheckpoint([draft], findRecord(layout.ledgerFile, draft.id, after?.size) ?? appendOne(draft))
      }),
    async head() {
      const tip = await file.warm()
      assertJoined(layout.ledgerFile, tip)
      return headOfTip(tip)
    },
    records: () => readRecords(layout.ledgerFile),
    // Nothing remembered: it is to find what was changed behind our back.
    async verify({ heads = [] } = {}) {
      const { verifyLedger } = await import('./verify.js')
      const copies = publishedIn(layout.ledgerDir, branch)
      return verifyLedger({ layout, published: copies, anchors: currentAnchors(), lock }, heads.map(headOf))
    },
    async unanchored() {
      const { unanchoredRecords } = await import('./unanchored.js')
      return unanchoredRecords(layout.ledgerFile, currentAnchors(), publishedIn(layout.ledgerDir, branch).hashes())
    },
    async anchor() {
      const { anchorAll } = await import('./join.js')
      return exclusively(() => anchorAll(layout, currentAnchors(), resettled()))
    },
    async join(by = gitUser(layout.root)) {
      const { joinBranches } = await import('./join.js')
      return exclusively(() =>
        joinBranches({ layout, file, published, anchors: currentAnchors(), revision: vcs() }, by),
      )
    },
    async blame(path) {
      const [{ readBlamed }, { blameContent }] = await Promise.all([import('./blamed-file.js'), import('./blame.js')])
      const found = readBlamed(layout.root, path)
      const { Vouching } = await import('./vouching.js')
      const copies = publishedIn(layout.ledgerDir, branch).hashes()
      const vouching = new Vouching(layout.ledgerFile, currentAnchors(), copies)
      return blameContent(layout.ledgerFile, found.path, found.content, vouching)
    },
    lineHead: file.lineHead,
    async outside(contents) {
      const { outsideLines } = await import('./blame.js')
      return outsideLines(layout.ledgerFile, contents)
    },
    async stats({ days = 30 } = {}) {
      const [{ ledgerStats }, { currentLines }] = await Promise.all([
        import('./stats.js'),
        import('./current-lines.js'),
      ])
      const standing = await currentLines(layout.root, layout.ledgerFile)
      return ledgerStats(layout.ledgerFile, standing, days)
    },
    async export(format) {
      const { exportLedger } = await import('./export.js')
      return exportLedger({ root: layout.root, file: layout.ledgerFile, revision: vcs()?.revision }, format)
    },
  }
}
