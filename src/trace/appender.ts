import type { LedgerHead, TraceRecord } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { SerialQueue } from '../core/serial-queue.js'
import type { withProcessLock } from '../os/lock.js'
import { EMPTY_TIP, type Tip } from './chain.js'
import { checkpointOf } from './checkpoint.js'
import type { RecordDraft } from './draft-schema.js'
import { unavailable } from './faults.js'
import type { LedgerParts } from './parts.js'
import { type Placed, placeDraft } from './place.js'
import { writeOrWithdraw } from './published.js'
import { findRecord } from './read.js'
import { readChain } from './scan.js'

/** Appends records to the ledger, under its lock. */
export class Appender {
  readonly #queue = new SerialQueue()

  constructor(
    private readonly parts: LedgerParts,
    private readonly lock: typeof withProcessLock,
  ) {}

  /** Appends the drafts as one write, and a checkpoint after a commit. */
  append(drafts: readonly RecordDraft[]): Promise<TraceRecord[]> {
    if (drafts.length === 0) return Promise.resolve([])
    return this.exclusively(() => {
      const records = this.#append(drafts)
      this.#appendCheckpoint(drafts)
      return records
    })
  }

  /** Appends a draft unless a record of its id follows `after`. */
  appendOnce(draft: RecordDraft, after?: LedgerHead): Promise<TraceRecord> {
    return this.exclusively(() => {
      // Writes a record that was published before a crash to the file, so that the search finds it.
      this.parts.file.readRepaired()
      const record = findRecord(this.parts.layout.ledgerFile, draft.id, after?.size) ?? this.#appendOne(draft)
      this.#appendCheckpoint([draft])
      return record
    })
  }

  /**
   * Runs `work` under the ledger's lock, then anchors the records that it wrote. Callers of one process wait in a
   * queue, which is faster than polling the lock.
   */
  exclusively<T>(work: () => T): Promise<T> {
    const { layout, file, anchorQueue } = this.parts
    return this.#queue.run(async () => {
      try {
        await file.warm()
        return await this.lock(layout.locks, 'ledger', () => {
          try {
            return work()
          } finally {
            anchorQueue.flush(file.tip)
          }
        })
      } catch (error) {
        throw unavailable(layout.ledgerFile, error, layout.state)
      }
    })
  }

  /**
   * The tip of the file as it is, for a person who accepts it: copies that contradict it are removed. Its branches may be
   * open.
   */
  readDroppingCopies(): Tip {
    const { file, published, layout } = this.parts
    // From the start: a tip that was read before has not compared the lines before it with their copies.
    const { tip, fault } = readChain(layout.ledgerFile, EMPTY_TIP, published.hashes())
    if (fault !== null || tip.sides.length > 0) published.clear()
    try {
      return file.readForked().tip
    } catch (error) {
      if (!(error instanceof EscrowError) || error.reason !== 'ledger_corrupt') throw error
      published.clear()
      return file.readForked().tip
    }
  }

  #appendOne(draft: RecordDraft): TraceRecord {
    const [record] = this.#append([draft])
    if (record === undefined) throw new Error('an append of one draft made no record')
    return record
  }

  #append(drafts: readonly RecordDraft[]): TraceRecord[] {
    const { file, anchorQueue, published } = this.parts
    const records: TraceRecord[] = []
    let newest = 0
    while (records.length < drafts.length) {
      const tip = file.readRepaired()
      const written = this.#write(drafts.slice(records.length), tip)
      for (const { record } of written) records.push(record)
      newest = written.at(-1)?.tip.seq ?? newest
    }
    anchorQueue.flush(file.tip)
    published.prune(newest)
    return records
  }

  /** Publishes and writes drafts, as far as their numbers are free. */
  #write(drafts: readonly RecordDraft[], tip: Tip): readonly Placed[] {
    const placed: Placed[] = []
    return writeOrWithdraw(this.parts.published, tip.hash, placed, () => {
      this.#publishInOrder(drafts, tip, placed)
      return this.parts.file.extend(tip, placed) ? placed : this.#findWritten(placed)
    })
  }

  /** Publishes drafts until another process has taken a number. The caller places the rest after that record. */
  #publishInOrder(drafts: readonly RecordDraft[], after: Tip, placed: Placed[]): void {
    const revision = this.parts.vcs()
    for (const draft of drafts) {
      const tip = placed.at(-1)?.tip ?? after
      const next = placeDraft(draft, tip, revision)
      if (!this.parts.published.publish(next.tip.seq, tip.hash, next.line)) break
      placed.push(next)
    }
  }

  /**
   * The published records that are in the file. Call it if the file grew between our read and our write, so the lock
   * was lost: another process wrote our published lines, or we linked numbers that were used and pruned long ago. The
   * caller places the other records again.
   */
  #findWritten(placed: readonly Placed[]): Placed[] {
    const { file, layout, anchorQueue } = this.parts
    file.readRepaired()
    const written = placed.filter(({ record }) => findRecord(layout.ledgerFile, record.id) !== undefined)
    anchorQueue.add(written)
    return written
  }

  /** Signs the chain after a commit or an undo, if this user has a key. */
  #appendCheckpoint(drafts: readonly RecordDraft[]): void {
    if (!drafts.some(({ type }) => type === 'commit' || type === 'undo')) return
    const checkpoint = checkpointOf(this.parts.file.tip)
    if (checkpoint !== undefined) this.#append([checkpoint])
  }
}
