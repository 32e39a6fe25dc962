import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { ElicitResult, RequestId } from '@modelcontextprotocol/sdk/types.js'
import type { Human, HumanQuestion } from '../../hooks/index.js'
import { admitReviewer } from '../../index.js'

/** Milliseconds a question stays on the client's screen. */
const PATIENCE = 10 * 60_000

/**
 * Asks whoever uses the client. Who that is cannot be told from here: a program can answer as well. So it is an answer only
 * where the person who started the server has said so, and where policy does not want a person whose word can be proven
 * (`approval.by`). In all other cases there is none, and what waits for one is refused.
 */
export function clientsUser(server: Server, root: string, during: RequestId): Human {
  return async (question) => {
    if (server.getClientCapabilities()?.elicitation === undefined || !isAdmitted(root)) return undefined
    const answer = await answerTo(server, question, during)
    if (answer === undefined || answer.action === 'cancel') return undefined
    const { action, content } = answer
    const words = typeof content?.words === 'string' && content.words !== '' ? { words: content.words } : {}
    const by = { name: `user of ${server.getClientVersion()?.name ?? 'an MCP client'}` }
    return { approved: action === 'accept' && content?.approve === true, ...words, by }
  }
}

/** A client that went away, takes too long or answers what was not asked has not answered. */
async function answerTo(server: Server, question: HumanQuestion, during: RequestId): Promise<ElicitResult | undefined> {
  try {
    return await server.elicitInput(formOf(question), { timeout: PATIENCE, relatedRequestId: during })
  } catch {
    return undefined
  }
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
    message: [...about, '', detail].join('\n'),
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: {
          type: 'boolean' as const,
          title: 'Approve',
          description: 'Let this one call go on.',
          default: false,
        },
        words: { type: 'string' as const, title: 'Words for the agent' },
      },
      required: ['approve'],
    },
  }
}

/** A name the agent chose must not look like a line of the question's own, nor turn its text around. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}
