import type { Ledger, LedgerHead, TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { FileVersion } from '../core/file-history.js'
import type { Layout } from '../core/layout.js'
import { checkedReviewer } from '../core/people.js'
import { gitUser } from '../os/git.js'
import { withProcessLock } from '../os/lock.js'
import { headOfTip } from './anchors.js'
import { Appender } from './appender.js'
import type { PathContent } from './blame.js'
import type { RecordDraft } from './draft-schema.js'
import { type Fold, foldLedger } from './fold.js'
import { assertJoined, unwritten } from './ledger-file.js'
import { makeParts } from './parts.js'
import { openPublished } from './published.js'
import { readRecords, readRecordsBackward } from './read.js'
import { headOf } from './witness.js'

export interface LedgerStore extends Ledger {
  /**
   * Appends the drafts in order, durably, as one write. Resolves to the records as written.
   *
   * Rejects with `ledger_corrupt` or `ledger_fork` (nothing was written), `limit_exceeded` (a record too long) or
   * `ledger_unavailable`. After the last two, some records may be written later: retry with {@link appendOnce}.
   */
  append(drafts: readonly RecordDraft[]): Promise<TraceRecord[]>
  /**
   * Appends a draft unless a record with its id exists. Resolves to that record. For recovery after a crash.
   * @param after the end of the ledger before the draft was made: the search for the id begins there
   */
  appendOnce(draft: RecordDraft, after?: LedgerHead): Promise<TraceRecord>
  /** A state computed from the records. See {@link foldLedger}. */
  fold<T>(fold: Fold<T>): () => T
  /** The digest of the last content of a path whose lines the ledger records, as of the last {@link head} or append. */
  lineHead(path: string): string | undefined
  /**
   * The lines of contents that no commit brought to their paths since the ledger last recorded them.
   * @returns line numbers from 0, by path
   */
  outside(contents: Iterable<PathContent>): Promise<ReadonlyMap<string, ReadonlySet<number>>>
  /**
   * The git notes of commits, by commit: who wrote the lines that each one brought.
   * @param histories of the files that the commits changed
   * @param prefix the workspace's root below the repository's top
   */
  commitNotes(
    histories: readonly (readonly FileVersion[])[],
    commits: ReadonlySet<string>,
    prefix: string,
  ): Promise<ReadonlyMap<string, string>>
}

export interface LedgerOptions {
  /** The lock around an append. Safety does not depend on it: see published.ts. */
  readonly lock?: typeof withProcessLock
  /** Reads the versions of a file in git, the one at HEAD first. Without it, blame reads the ledger alone. */
  readonly history?: (path: string) => Promise<readonly FileVersion[]>
  /** Reads the lines that versions of the ledger in git have or had, oldest first, where records are missing. */
  readonly earlierLines?: () => Promise<readonly string[]>
}

/**
 * Largest number of checks of a ledger that grows meanwhile. If another process can still append, no problem stops
 * appends.
 */
const MAX_LOOKS = 10

/**
 * Opens the ledger of a workspace, `agent_trace.jsonl`. Opening reads and writes nothing. Code that only some commands
 * need is imported on first use.
 */
export function openLedger(
  layout: Layout,
  { lock = withProcessLock, history = async () => [], earlierLines = async () => [] }: LedgerOptions = {},
): LedgerStore {
  const parts = makeParts(layout)
  const { file, anchors } = parts
  const appender = new Appender(parts, lock)
  // Without the cache of `parts.published`: a check must find copies that another program has changed.
  const freshCopies = () => openPublished(layout.ledgerDir, parts.branch)

  return {
    append: (drafts) => appender.append(drafts),
    appendOnce: (draft, after) => appender.appendOnce(draft, after),
    async head() {
      const tip = await file.warm()
      assertJoined(layout.ledgerFile, tip)
      return headOfTip(tip)
    },
    records: ({ order } = {}) => (order === 'newest' ? readRecordsBackward : readRecords)(layout.ledgerFile),
    fold: (fold) => foldLedger(layout.ledgerFile, fold),
    async verify({ heads = [] } = {}) {
      const { verifyLedger } = await import('./verify.js')
      return verifyLedger({ layout, published: freshCopies(), anchors, lock }, heads.map(headOf))
    },
    async problem() {
      const published = freshCopies()
      try {
        for (let tries = 0; tries < MAX_LOOKS; tries++) {
          // Listed before the file is read: another process may append meanwhile.
          const copies = published.hashes()
          const tip = await file.warm()
          assertJoined(layout.ledgerFile, tip)
          const missing = unwritten(published, tip, copies)
          if (!('problem' in missing)) return undefined
          // It may have pruned the copies, too. Then the file has their lines by now.
          if ((await file.warm()).end === tip.end) return missing.problem
        }
        return undefined
      } catch (error) {
        if (error instanceof EscrowError) return error.message
        throw error
      }
    },
    async unanchored() {
      const { unanchoredRecords } = await import('./unanchored.js')
      return unanchoredRecords(layout.ledgerFile, anchors, freshCopies().hashes())
    },
    async anchor() {
      const { anchorAll } = await import('./join.js')
      return appender.exclusively(() => anchorAll(layout, anchors, appender.readDroppingCopies()))
    },
    async join(by = gitUser(layout.root)) {
      const { joinBranches } = await import('./join.js')
      return appender.exclusively(() => joinBranches(parts, checkedReviewer(by)))
    },
    async blame(path) {
      const [{ readBlamed }, { blameContent }] = await Promise.all([import('./blamed-file.js'), import('./blame.js')])
      const { Vouching } = await import('./vouching.js')
      const blamed = readBlamed(layout.root, path)
      const vouching = new Vouching(layout.ledgerFile, anchors, freshCopies().hashes())
      const git = { versions: await history(blamed.path), earlierLines }
      return blameContent(layout.ledgerFile, blamed, vouching, git)
    },
    lineHead: (path) => file.lineHead(path),
    async outside(contents) {
      const { outsideLines } = await import('./blame.js')
      return outsideLines(layout.ledgerFile, contents)
    },
    async commitNotes(histories, commits, prefix) {
      const { commitNotes } = await import('./blame.js')
      return commitNotes(layout.ledgerFile, histories, commits, prefix)
    },
    async stats({ days = 30 } = {}) {
      const [{ ledgerStats }, { currentLines }] = await Promise.all([
        import('./stats.js'),
        import('./current-lines.js'),
      ])
      return ledgerStats(layout.ledgerFile, await currentLines(layout.root, layout.ledgerFile), days)
    },
    async export(format) {
      const { exportLedger } = await import('./export.js')
      return exportLedger({ root: layout.root, file: layout.ledgerFile, revision: parts.vcs()?.revision }, format)
    },
  }
}
