import { z } from 'zod'
import { type Answer, CODE, RpcFailure } from './message.js'

/** The version of the protocol that is understood here. Version 2 has neither files nor terminals. */
const VERSION = 1

const asked = z.looseObject({
  protocolVersion: z.number(),
  clientCapabilities: z
    .looseObject({
      fs: z.looseObject({ readTextFile: z.boolean().optional() }).nullish().catch(undefined),
      auth: z.looseObject({}).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})

/** What an editor says of itself, as its agent is to hear it. */
export interface Introduced {
  readonly params: unknown
  /** It can be asked what stands in its buffers. */
  readonly hasBuffers: boolean
}

/**
 * Files and terminals are served here, whatever the editor has. A login in a terminal would be the editor's own start of the
 * agent, beside us.
 */
export function introduced(params: unknown): Introduced {
  const { protocolVersion, clientCapabilities, ...rest } = asked.parse(params)
  const { fs, auth, ...others } = clientCapabilities ?? {}
  const files = { ...fs, readTextFile: true, writeTextFile: true }
  return {
    params: {
      ...rest,
      protocolVersion: Math.min(protocolVersion, VERSION),
      clientCapabilities: { ...others, fs: files, terminal: true, ...(auth && { auth: { ...auth, terminal: false } }) },
    },
    hasBuffers: fs?.readTextFile === true,
  }
}

const replied = z.looseObject({
  protocolVersion: z.number(),
  agentCapabilities: z
    .looseObject({ sessionCapabilities: z.looseObject({}).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
})

/** What an agent says of itself, as the editor is to hear it: other directories than the workspace it cannot write to. */
export function presented(answer: Answer): Answer {
  if ('error' in answer) return answer
  const { protocolVersion, agentCapabilities, ...rest } = replied.parse(answer.result)
  if (protocolVersion !== VERSION)
    throw new RpcFailure(CODE.internal, `The agent speaks version ${protocolVersion} of the protocol; here is 1 alone.`)
  if (!agentCapabilities) return { result: { ...rest, protocolVersion } }
  const { sessionCapabilities, ...others } = agentCapabilities
  const { additionalDirectories: _, ...sessions } = sessionCapabilities ?? {}
  const capabilities = { ...others, ...(sessionCapabilities && { sessionCapabilities: sessions }) }
  return { result: { ...rest, protocolVersion, agentCapabilities: capabilities } }
}
