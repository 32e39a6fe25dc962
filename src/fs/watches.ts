import type { EventEmitter } from 'node:events'
import type { Overlay } from '../../overlay/index.js'
import { ChangeFeed } from './change-feed.js'

/** What a facade has under watch. */
/** What `watchFile` keeps for one name. */
export interface Poll extends EventEmitter {
  stop(): void
  ref(): this
  unref(): this
}

export class Watches {
  readonly feed: ChangeFeed
  /** `watchFile`'s, by absolute name. */
  readonly polls = new Map<string, Poll>()
  readonly #open = new Set<{ close(): void }>()

  constructor(readonly overlay: Overlay) {
    this.feed = new ChangeFeed(overlay)
  }

  /** Takes a watch in. Returns what ends it. */
  add(watch: { close(): void }, stop: () => void): () => void {
    this.#open.add(watch)
    return () => {
      this.#open.delete(watch)
      stop()
    }
  }

  /** Ends everything: the session is over. */
  closeAll(): void {
    for (const watch of [...this.#open]) watch.close()
    for (const poll of [...this.polls.values()]) poll.stop()
  }
}
