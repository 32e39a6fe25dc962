import { z } from 'zod'
import type { AgentInfo } from '../../index.js'

/** A suffix of clients' program names for the part that connects. */
const PART = /-mcp-client(?:-.*)?$/

/** Codex sends metadata of its turn with each call: as an object, or as JSON. */
const TURN = 'x-codex-turn-metadata'

const turnMetadata = z.looseObject({ model: z.string().min(1) })

const requestMetadata = z.looseObject({
  'io.modelcontextprotocol/clientInfo': z
    .looseObject({ name: z.string(), version: z.string() })
    .optional()
    .catch(undefined),
  'io.modelcontextprotocol/clientCapabilities': z.looseObject({ elicitation: z.unknown() }).optional().catch(undefined),
})

/** A client's information about itself in each request, from 2026-07-28 on. */
export function clientOfRequest(envelope: unknown) {
  const { data = {} } = requestMetadata.safeParse(envelope)
  const info = data['io.modelcontextprotocol/clientInfo']
  const capabilities = data['io.modelcontextprotocol/clientCapabilities']
  return { ...(info && { info }), ...(capabilities && { capabilities }) }
}

/** The agent of a client: its reported name, which its hooks use too, and its model, if a call names it. */
export function clientAgent(
  client: { readonly name: string; readonly version: string } | undefined,
  meta: Readonly<Record<string, unknown>> | undefined,
): AgentInfo {
  const { data: turn } = turnMetadata.safeParse(parseIfJson(meta?.[TURN]))
  return {
    tool: client?.name.replace(PART, '').toLowerCase() || 'unknown',
    ...(client?.version && { toolVersion: client.version }),
    ...(turn && { model: turn.model }),
  }
}

function parseIfJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
