import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Workspace, WorkspaceNews } from '../index.js'
import type { ReviewHandles } from './review-handle.js'

/** How many pages can listen at a time. */
const MAX_LISTENERS = 24
/** Milliseconds without news after which a heartbeat is sent. */
const BEAT_MS = 15_000

interface Listener {
  /** News that the page has not received yet, merged into one however slowly it reads. */
  pending: WorkspaceNews | undefined
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

  /** Responds with a stream that lasts while the page listens. */
  stream(c: Context): Response {
    if (this.#listeners.size >= MAX_LISTENERS)
      return c.json(
        {
          error: { reason: 'busy', message: `${MAX_LISTENERS} pages are already open, which is the limit. Close one.` },
        },
        503,
      )
    return streamSSE(c, async (out) => {
      const listener: Listener = { pending: undefined, wake: () => undefined }
      this.#listeners.add(listener)
      out.onAbort(() => listener.wake())
      try {
        await out.writeSSE({ event: 'hello', data: '{}' })
        while (!out.aborted && !out.closed) {
          const news = listener.pending ?? (await this.#next(listener))
          listener.pending = undefined
          await out.writeSSE(news === undefined ? { event: 'beat', data: '' } : { data: JSON.stringify(news) })
        }
      } finally {
        this.#listeners.delete(listener)
      }
    })
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
