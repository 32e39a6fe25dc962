import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { Workspace, WorkspaceNews } from '../index.js'
import type { Rooms } from './review-handle.js'

/** Pages that hear the news at a time. */
const MOST = 24
/** Milliseconds of silence after which a sign of life is sent. */
const BEAT_MS = 15_000

interface Listener {
  /** News that it has not received yet, merged into one piece however slow it is. */
  pending: WorkspaceNews | undefined
  wake(): void
}

/** Tells pages what moved, by server-sent events; one watch serves them all. */
export class ChangeEvents {
  readonly #listeners = new Set<Listener>()
  readonly #end: () => void

  constructor(workspace: Workspace, rooms: Rooms) {
    this.#end = workspace.watch((news) => {
      rooms.renew(news.ledger || news.intents || news.policy ? undefined : news.sessions)
      for (const listener of this.#listeners) {
        listener.pending = mergeNews(listener.pending, news)
        listener.wake()
      }
    })
  }

  /** Answers with a stream that lasts as long as the page listens. */
  stream(c: Context): Response {
    if (this.#listeners.size >= MOST)
      return c.json(
        { error: { reason: 'busy', message: `${MOST} pages are already open, which is the limit. Close one.` } },
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
    this.#end()
  }

  /** @returns undefined where nothing came for a while, or the page is gone. */
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
  }
}
