import type { Context } from 'hono'
import { stream } from 'hono/streaming'
import type { CommitOptions } from '../index.js'
import { toFailure, toWireLeft } from './failure.js'
import type { ReviewHandle } from './review-handle.js'
import type { WireCommit } from './wire.js'

/** Milliseconds between two progress reports. */
const PROGRESS_INTERVAL_MS = 100

/**
 * Commits the approved changes. Streams lines of JSON: progress reports, then the result. A client that disconnects before the
 * commit point cancels the commit.
 */
export function commitStream(
  c: Context,
  handle: ReviewHandle,
  options: Omit<CommitOptions, 'signal' | 'onProgress'>,
): Response {
  c.header('content-type', 'application/x-ndjson; charset=utf-8')
  return stream(c, async (out) => {
    const abort = new AbortController()
    out.onAbort(() => abort.abort(new Error('The page cancelled the commit.')))
    const send = (line: WireCommit) => out.write(`${JSON.stringify(line)}\n`)
    let last = Number.NEGATIVE_INFINITY
    const onProgress: CommitOptions['onProgress'] = ({ phase, files, total }) => {
      if (performance.now() - last < PROGRESS_INTERVAL_MS && files !== total) return
      last = performance.now()
      void send({ phase, files, total })
    }
    try {
      const result = await handle.decide((review) => review.commit({ ...options, signal: abort.signal, onProgress }))
      await send({ done: { ...result, warnings: result.warnings ?? [], left: result.left?.map(toWireLeft) ?? [] } })
    } catch (error) {
      await send({ failed: toFailure(error).failure })
    }
  })
}
