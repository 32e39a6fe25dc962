import { createHash } from 'node:crypto'
import { type InputRequests, inputRequired, type ServerContext } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { Human, HumanAnswer, HumanQuestion } from '../../hooks/index.js'
import { admitReviewer } from '../../index.js'
import { oneLine } from '../../surface/index.js'

/** Milliseconds a question stays on the client's screen. */
const PATIENCE = 10 * 60_000

/** Who the client is, as far as it says. */
export interface Asked {
  readonly name: string | undefined
  readonly canAnswer: boolean
}

/** How the client's user is asked within one request. */
export interface Asking {
  readonly human: Human
  /** What the client has to have answered first: it calls again then, with the answers. */
  open(): InputRequests | undefined
}

/**
 * Asks whoever uses the client. Who that is cannot be told from here: a program can answer as well. So it is an answer only
 * where the person who started the server has said so, and where policy does not want a person whose word can be proven
 * (`approval.by`). In all other cases there is none, and what waits for one is refused.
 */
export function clientsUser(root: string, client: Asked, { mcpReq }: ServerContext, isModern: boolean): Asking {
  const open: InputRequests = {}
  const ask = isModern
    ? async (question: HumanQuestion) => tellAnswer(question, mcpReq.inputResponses, open)
    : (question: HumanQuestion) => answerTo(question, mcpReq)
  return {
    open: () => (Object.keys(open).length === 0 ? undefined : open),
    async human(question) {
      if (!client.canAnswer || !isAdmitted(root)) return undefined
      const said = elicited.safeParse(await ask(question))
      if (!said.success || said.data.action === 'cancel') return undefined
      return answerOf(said.data, client.name)
    },
  }
}

const elicited = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.looseObject({ approve: z.unknown(), words: z.unknown() }).partial().nullish(),
})

function answerOf({ action, content }: z.infer<typeof elicited>, name = 'an MCP client'): HumanAnswer {
  const words = typeof content?.words === 'string' && content.words !== '' ? { words: content.words } : {}
  return { approved: action === 'accept' && content?.approve === true, ...words, by: { name: `user of ${name}` } }
}

/** A client that went away, takes too long or answers what was not asked has not answered. */
async function answerTo(question: HumanQuestion, request: ServerContext['mcpReq']): Promise<unknown> {
  try {
    return await request.elicitInput(formOf(question), { timeout: PATIENCE })
  } catch {
    return undefined
  }
}

/**
 * From 2026-07-28 on nothing is asked within a request: the client is told what to ask, and calls again with what was said. The key is of
 * the question's own words, so that an answer is to no other. What policy itself asks is asked once, and waits for `escrow answer`.
 */
function tellAnswer(question: HumanQuestion, told: Readonly<Record<string, unknown>> | undefined, open: InputRequests) {
  if (question.kind !== 'call' && question.kind !== 'breaker') return undefined
  const form = formOf(question)
  const key = createHash('sha256').update(JSON.stringify(form)).digest('base64url')
  if (told !== undefined && Object.hasOwn(told, key)) return told[key]
  open[key] = inputRequired.elicit(form)
  return undefined
}

/** As for `escrow answer` typed where there is no terminal. */
function isAdmitted(root: string): boolean {
  try {
    admitReviewer(root, { terminal: false })
    return true
  } catch {
    return false
  }
}

function formOf({ message, intentId, tool, targets, detail }: HumanQuestion) {
  const about = [
    message,
    ...(intentId === undefined ? [] : [`Intent: ${intentId}`]),
    ...(tool === undefined ? [] : [`Tool: ${tool}`]),
    ...(targets.length === 0 ? [] : [`Target: ${targets.join(', ')}`]),
  ].map(oneLine)
  return {
    mode: 'form' as const,
    message: [...about, '', detail].join('\n'),
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
