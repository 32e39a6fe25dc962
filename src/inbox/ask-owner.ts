import { connect } from 'node:net'
import { z } from 'zod'
import type { AgentInfo, Feedback } from '../core/api.js'
import { linesOf, type ShellRequest } from '../core/shell-api.js'

export const feedbackSchema: z.ZodType<Feedback> = z.object({
  path: z.string().exactOptional(),
  lines: z.array(z.tuple([z.number(), z.number()])).exactOptional(),
  kind: z.string(),
  reason: z.string(),
  by: z.object({ name: z.string(), email: z.string().exactOptional() }).exactOptional(),
})
const feedbackResponse = z.object({ feedback: z.array(feedbackSchema) })
const attributedResponse = z.object({ attributed: z.literal(true) })

const TIMEOUT_MS = 2_000

/** Requests the undelivered feedback from the session's owner. Rejects if the owner does not answer. */
export async function requestFeedback(socketPath: string): Promise<Feedback[]> {
  return (await askOwner(socketPath, { feedback: true }, feedbackResponse)).feedback
}

/** Reports the agent to the session's owner. Rejects if the owner does not answer. */
export async function reportAgent(socketPath: string, agent: AgentInfo): Promise<void> {
  await askOwner(socketPath, { agent }, attributedResponse)
}

/** Sends one request on a new connection and resolves to the first line of the response. */
function askOwner<T>(socketPath: string, question: ShellRequest, schema: z.ZodType<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath)
    const fail = (error: Error) => {
      socket.destroy()
      reject(error)
    }
    const onChunk = linesOf((line) => {
      const { data, error } = schema.safeParse(JSON.parse(line))
      if (error !== undefined) return fail(error)
      resolve(data)
      socket.destroy()
    })
    socket.setEncoding('utf8')
    socket.setTimeout(TIMEOUT_MS, () => fail(new Error('The process that holds the session does not answer.')))
    socket.on('error', fail)
    socket.once('close', () => fail(new Error('The process that holds the session ended.')))
    socket.on('data', (chunk) => {
      try {
        onChunk(String(chunk))
      } catch (error) {
        fail(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.write(`${JSON.stringify(question)}\n`)
  })
}
