import type { EventEmitter } from 'node:events'
import type { Overlay } from '../../overlay/index.js'
import { ChangeFeed } from './change-feed.js'

/** The watch of `watchFile` for one name. */
export interface Poll extends EventEmitter {
  stop(): void
  ref(): this
  unref(): this
}

export class Watches {
  readonly feed: ChangeFeed
  /** Those of `watchFile`, by absolute name. */
  readonly polls = new Map<string, Poll>()
  readonly #open = new Set<{ close(): void }>()

  constructor(readonly overlay: Overlay) {
    this.feed = new ChangeFeed(overlay)
  }

  /** Adds a watch. Returns a function that removes it. */
  add(watch: { close(): void }, stop: () => void): () => void {
    this.#open.add(watch)
    return () => {
      this.#open.delete(watch)
      stop()
    }
  }

  /** Ends all watches, with the session. */
  closeAll(): void {
    for (const watch of [...this.#open]) watch.close()
    for (const poll of [...this.polls.values()]) poll.stop()
  }
}
