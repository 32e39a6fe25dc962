import { codeOf } from '../../overlay/index.js'
import type { LedgerEntry } from './anchor-lines.js'
import type { Anchors } from './anchors.js'
import type { Tip } from './chain.js'
import type { Placed } from './place.js'
import type { Published } from './published.js'

/** The records that this process wrote to the ledger and has yet to anchor. */
export class AnchorQueue {
  readonly #pending = new Map<string, LedgerEntry>()
  #anchoredUpTo: string | null = null

  constructor(
    private readonly anchors: Anchors,
    private readonly published: Published,
  ) {}

  add(placed: readonly Placed[]): void {
    for (const { tip } of placed) if (tip.hash !== null) this.#pending.set(tip.hash, { seq: tip.seq, hash: tip.hash })
  }

  /**
   * Anchors the queued records. Also anchors the newest records that have copies in `ledger.d`: a process that was killed
   * may not have anchored them, and a record from elsewhere has no copy.
   *
   * A system error is ignored: the records are already in the ledger, and `verify` reports those without an anchor.
   */
  flush({ ledger, hash }: Tip): void {
    if (ledger === null || (hash === this.#anchoredUpTo && this.#pending.size === 0)) return
    try {
      const isAnchored = this.#anchoredUpTo === null ? this.anchors.recentAnchors(ledger) : () => false
      for (const entry of this.published.tail(hash, this.#anchoredUpTo))
        if (!isAnchored(entry.hash)) this.#pending.set(entry.hash, entry)
      const entries = [...this.#pending.values()].sort((a, b) => a.seq - b.seq)
      this.anchors.keep(ledger, entries)
      this.#pending.clear()
      this.#anchoredUpTo = hash
    } catch (error) {
      if (codeOf(error) === undefined) throw error
    }
  }
}
