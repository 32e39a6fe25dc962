import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import type { CommitOptions } from '../index.js'
import { brief, failureOf } from './failure.js'
import type { ReviewHandle } from './review-handle.js'
import type { WireCommit } from './wire.js'

/** Milliseconds between two words on how far it is. */
const EVERY_MS = 100

/**
 * Commits what is approved and tells, a line of JSON each, how far it is and how it ended. Who goes away before it is
 * decided calls it off.
 */
export function commitStream(
  c: Context,
  room: ReviewHandle,
  options: Omit<CommitOptions, 'signal' | 'onProgress'>,
): Response {
  c.header('content-type', 'application/x-ndjson; charset=utf-8')
  return stream(c, async (out) => {
    const away = new AbortController()
    out.onAbort(() => away.abort(new Error('The page cancelled the commit.')))
    const say = (line: WireCommit) => out.write(`${JSON.stringify(line)}\n`)
    let last = 0
    const onProgress: CommitOptions['onProgress'] = ({ phase, files, total }) => {
      if (Date.now() - last < EVERY_MS && files !== total) return
      last = Date.now()
      void say({ phase, files, total })
    }
    try {
      const result = await room.decide((review) => review.commit({ ...options, signal: away.signal, onProgress }))
      await say({ done: { ...result, warnings: result.warnings ?? [], left: result.left?.map(brief) ?? [] } })
    } catch (error) {
      await say({ failed: failureOf(error).failure })
    }
  })
}
