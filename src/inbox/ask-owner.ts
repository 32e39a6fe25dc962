import { connect } from 'node:net'
import { z } from 'zod'
import type { Feedback } from '../core/api.js'
import { linesOf, type ShellAsks } from '../core/shell-api.js'

export const feedbackForm: z.ZodType<Feedback> = z.object({
  path: z.string().exactOptional(),
  lines: z.array(z.tuple([z.number(), z.number()])).exactOptional(),
  kind: z.string(),
  reason: z.string(),
  by: z.object({ name: z.string(), email: z.string().exactOptional() }).exactOptional(),
})
const told = z.object({ feedback: z.array(feedbackForm) })

/** Milliseconds in which the owner must have answered. */
const PATIENCE = 2_000

/** What reviewers said, asked of the session's owner. Rejects where it does not answer. */
export function feedbackAt(door: string): Promise<Feedback[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(door)
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const hear = linesOf((line) => {
      const { data, error } = told.safeParse(JSON.parse(line))
      if (data === undefined) return fail(error)
      resolve(data.feedback)
      socket.destroy()
    })
    socket.setEncoding('utf8')
    socket.setTimeout(PATIENCE, () => fail(new Error("The session's owner does not answer.")))
    socket.on('error', fail)
    socket.once('close', () => fail(new Error("The session's owner went away.")))
    socket.on('data', (chunk) => {
      try {
        hear(String(chunk))
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.write(`${JSON.stringify({ feedback: true } satisfies ShellAsks)}\n`)
  })
}
