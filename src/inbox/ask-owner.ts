import { connect } from 'node:net'
import { z } from 'zod'
import type { AgentInfo, Feedback } from '../core/api.js'
import { linesOf, type ShellAsks } from '../core/shell-api.js'

export const feedbackForm: z.ZodType<Feedback> = z.object({
  path: z.string().exactOptional(),
  lines: z.array(z.tuple([z.number(), z.number()])).exactOptional(),
  kind: z.string(),
  reason: z.string(),
  by: z.object({ name: z.string(), email: z.string().exactOptional() }).exactOptional(),
})
const feedbackAnswer = z.object({ feedback: z.array(feedbackForm) })
const attributed = z.object({ attributed: z.literal(true) })

/** Milliseconds. */
const TIMEOUT = 2_000

/** The undelivered feedback, from the session's owner. Rejects where it does not answer. */
export async function feedbackAt(socketPath: string): Promise<Feedback[]> {
  return (await askOwner(socketPath, { feedback: true }, feedbackAnswer)).feedback
}

/** Reports the agent to the session's owner. Rejects where it does not answer. */
export async function attributeAt(socketPath: string, agent: AgentInfo): Promise<void> {
  await askOwner(socketPath, { agent }, attributed)
}

/** Sends one request on a connection of its own and resolves to the first line of the answer. */
function askOwner<T>(socketPath: string, question: ShellAsks, form: z.ZodType<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const hear = linesOf((line) => {
      const { data, error } = form.safeParse(JSON.parse(line))
      if (error !== undefined) return fail(error)
      resolve(data)
      socket.destroy()
    })
    socket.setEncoding('utf8')
    socket.setTimeout(TIMEOUT, () => fail(new Error('The process that holds the session does not answer.')))
    socket.on('error', fail)
    socket.once('close', () => fail(new Error('The process that holds the session ended.')))
    socket.on('data', (chunk) => {
      try {
        hear(String(chunk))
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.write(`${JSON.stringify(question)}\n`)
  })
}
