import { createHash } from 'node:crypto'
import { type InputRequests, inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Human, HumanAnswer, HumanQuestion } from '../../hooks/index.js'
import { admitReviewer } from '../../index.js'
import { oneLine, printable } from '../../surface/index.js'

/** Milliseconds to wait for the client's user. */
const TIMEOUT_MS = 10 * 60_000

/** The client's name and capabilities. */
export interface Asked {
  readonly name: string | undefined
  readonly canAnswer: boolean
}

/** Questions to the client's user within one request. */
export interface Asking {
  readonly human: Human
  /** Questions that the client has to answer first; it repeats the call with the answers. */
  open(): InputRequests | undefined
}

/**
 * Asks the client's user. A program could answer as well, so an answer counts only if the person who started the server
 * allowed it, and policy does not require a proven person (`approval.by`). Otherwise there is no answer, and the call
 * that waits for one is refused.
 */
export function elicitFromClient(root: string, client: Asked, { mcpReq }: ServerContext, isModern: boolean): Asking {
  const open: InputRequests = {}
  const ask = isModern
    ? async (question: HumanQuestion) => findAnswer(question, mcpReq.inputResponses, open)
    : (question: HumanQuestion) => requestAnswer(question, mcpReq)
  return {
    open: () => (Object.keys(open).length === 0 ? undefined : open),
    async human(question) {
      if (!client.canAnswer || !isAdmitted(root)) return undefined
      const result = elicitResult.safeParse(await ask(question))
      if (!result.success || result.data.action === 'cancel') return undefined
      return toHumanAnswer(result.data, client.name)
    },
  }
}

const elicitResult = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({ approve: z.unknown(), words: z.unknown() }).partial().nullish(),
})

function toHumanAnswer({ action, content }: z.infer<typeof elicitResult>, name = 'an MCP client'): HumanAnswer {
  const words = typeof content?.words === 'string' && content.words !== '' ? { words: content.words } : {}
  return { approved: action === 'accept' && content?.approve === true, ...words, by: { name: `user of ${name}` } }
}

/** Requests an answer. A client that disconnects, cancels the call, times out or answers something else has not answered. */
async function requestAnswer(question: HumanQuestion, request: ServerContext['mcpReq']): Promise<unknown> {
  try {
    return await request.elicitInput(buildForm(question), { timeout: TIMEOUT_MS, signal: request.signal })
  } catch {
    return undefined
  }
}

/**
 * From 2026-07-28 on a request cannot ask: the client gets the questions, and repeats the call with the answers. The key is a
 * digest of the question, so that an answer fits no other. Policy's own questions are asked once, and wait for `escrow answer`.
 */
function findAnswer(
  question: HumanQuestion,
  responses: Readonly<Record<string, unknown>> | undefined,
  open: InputRequests,
) {
  if (question.kind !== 'call' && question.kind !== 'breaker') return undefined
  const form = buildForm(question)
  const key = createHash('sha256').update(JSON.stringify(form)).digest('base64url')
  if (responses !== undefined && Object.hasOwn(responses, key)) return responses[key]
  open[key] = inputRequired.elicit(form)
  return undefined
}

/** Applies the same rules as `escrow answer` without a terminal. */
function isAdmitted(root: string): boolean {
  try {
    admitReviewer(root, { terminal: false })
    return true
  } catch {
    return false
  }
}

function buildForm({ message, intentId, tool, targets, detail }: HumanQuestion) {
  const about = [
    message,
    ...(intentId === undefined ? [] : [`Intent: ${intentId}`]),
    ...(tool === undefined ? [] : [`Tool: ${tool}`]),
    ...(targets.length === 0 ? [] : [`Target: ${targets.join(', ')}`]),
  ].map(oneLine)
  return {
    mode: 'form' as const,
    message: [...about, '', printable(detail)].join('\n'),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: {
          type: 'boolean' as const,
          title: 'Approve',
          description: 'Allow this one call.',
          default: false,
        },
        words: { type: 'string' as const, title: 'Message to the agent' },
      },
      required: ['approve'],
    },
  }
}
