import { z } from 'zod'
import type { AgentInfo } from '../../index.js'

/** What clients add to the name of their program, to say what part of it speaks. */
const PART = /-mcp-client(?:-.*)?$/

/** Codex tells of its turn beside each call: as an object, or as JSON. */
const TURN = 'x-codex-turn-metadata'

const told = z.looseObject({ model: z.string().min(1) })

const beside = z.looseObject({
  'io.modelcontextprotocol/clientInfo': z
    .looseObject({ name: z.string(), version: z.string() })
    .optional()
    .catch(undefined),
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({ elicitation: z.unknown() }).optional().catch(undefined),
})

/** What a client says of itself beside each request, from 2026-07-28 on. */
export function clientOfRequest(envelope: unknown) {
  const { data = {} } = beside.safeParse(envelope)
  const info = data['io.modelcontextprotocol/clientInfo']
  const capabilities = data['io.modelcontextprotocol/clientCapabilities']
  return { ...(info && { info }), ...(capabilities && { capabilities }) }
}

/** Who a client of the protocol is: by the name it gave, which its hooks have too; and its model, where it says that beside a call. */
export function clientAgent(
  client: { readonly name: string; readonly version: string } | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): AgentInfo {
  const { data: turn } = told.safeParse(parseIfText(meta?.[TURN]))
  return {
    tool: client?.name.replace(PART, '').toLowerCase() || 'unknown',
    ...(client?.version && { toolVersion: client.version }),
    ...(turn && { model: turn.model }),
  }
}

function parseIfText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
