import { text } from 'node:stream/consumers'

/**
 * Reads stdin to its end. Node sets a pipe to non-blocking as soon as `process.stdin` is used, so `readFileSync(0)` would fail with
 * EAGAIN whenever the writer is slower than this program.
 */
export function readStdin(): Promise<string> {
  return text(process.stdin)
}
