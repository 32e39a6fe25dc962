import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Workspace, WorkspaceNews } from '../index.js'
import type { ReviewHandles } from './review-handle.js'

/** How many pages can listen at a time. One more takes the place of the one that has listened longest. */
const MAX_LISTENERS = 24
/** Milliseconds without news after which a heartbeat is sent. */
const BEAT_MS = 15_000

interface Listener {
  /** News that the page has not received yet, merged into one however slowly it reads. */
  pending: WorkspaceNews | undefined
  /** Whether its place was given to another page. */
  isReplaced: boolean
  wake(): void
}

/** Sends news to pages as server-sent events. One watch serves all pages. */
export class ChangeEvents {
  readonly #listeners = new Set<Listener>()
  readonly #endWatch: () => void

  constructor(workspace: Workspace, handles: ReviewHandles) {
    this.#endWatch = workspace.watch((news) => {
      handles.renew(news.ledger || news.intents || news.policy || news.classes ? undefined : news.sessions)
      for (const listener of this.#listeners) {
        listener.pending = mergeNews(listener.pending, news)
        listener.wake()
      }
    })
  }

  /**
   * Responds with a stream that lasts while the page listens, and has its place. A client that never reads cannot be told from a page without
   * news: its beats fit into the buffers of its connection for years. So a new page is never refused. A page that lost its place connects
   * again by itself, and reads everything again.
   */
  stream(c: Context): Response {
    const [oldest] = this.#listeners
    if (oldest !== undefined && this.#listeners.size >= MAX_LISTENERS) this.#replace(oldest)
    return streamSSE(c, async (out) => {
      const listener: Listener = { pending: undefined, isReplaced: false, wake: () => undefined }
      this.#listeners.add(listener)
      out.onAbort(() => listener.wake())
      try {
        await out.writeSSE({ event: 'hello', data: '{}' })
        while (!out.aborted && !out.closed && !listener.isReplaced) {
          const news = listener.pending ?? (await this.#next(listener))
          listener.pending = undefined
          if (listener.isReplaced) return
          await out.writeSSE(news === undefined ? { event: 'beat', data: '' } : { data: JSON.stringify(news) })
        }
      } finally {
        this.#listeners.delete(listener)
      }
    })
  }

  #replace(listener: Listener): void {
    this.#listeners.delete(listener)
    listener.isReplaced = true
    listener.wake()
  }

  close(): void {
    this.#endWatch()
  }

  /** @returns undefined after a heartbeat interval without news, or when the page disconnects. */
  #next(listener: Listener): Promise<WorkspaceNews | undefined> {
    return new Promise((resolve) => {
      const beat = setTimeout(() => resolve(undefined), BEAT_MS)
      beat.unref()
      listener.wake = () => {
        clearTimeout(beat)
        resolve(listener.pending)
      }
    })
  }
}

function mergeNews(a: WorkspaceNews | undefined, b: WorkspaceNews): WorkspaceNews {
  if (a === undefined) return b
  return {
    sessions: [...new Set([...a.sessions, ...b.sessions])],
    ledger: a.ledger || b.ledger,
    intents: a.intents || b.intents,
    policy: a.policy || b.policy,
    classes: a.classes || b.classes,
  }
}
