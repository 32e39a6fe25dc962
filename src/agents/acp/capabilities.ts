import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { AgentInfo, HomeHost } from '../../index.js'
import { type Answer, CODE, RpcFailure } from './message.js'

/** The newest version of the protocol that is understood here. Version 2, a draft, has neither files nor terminals: the mount governs alone. */
const VERSION = 2

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
  /** The newest version that both the editor and we speak. */
  readonly version: number
}

/**
 * Agents that fail to make a new file where they may ask an editor for it: Gemini CLI 0.61.0 does not take an editor's error
 * for the absence of a file. They use the files of the mount.
 */
const BY_THEMSELVES: readonly (HomeHost | undefined)[] = ['gemini']

/**
 * Files and terminals are served here, whatever the editor has. A login in a terminal would be the editor's own start of the
 * agent, beside us.
 * @param client the agent's client, where it is known.
 */
export function forwardInitialize(params: unknown, client?: HomeHost): Introduced {
  const { protocolVersion, clientCapabilities, ...rest } = asked.parse(params)
  const { fs, auth, ...others } = clientCapabilities ?? {}
  const version = Math.min(protocolVersion, VERSION)
  const isServed = !BY_THEMSELVES.includes(client)
  const files = { ...fs, readTextFile: isServed, writeTextFile: isServed }
  return {
    params: {
      ...rest,
      protocolVersion: version,
      clientCapabilities: { ...others, fs: files, terminal: true, ...(auth && { auth: { ...auth, terminal: false } }) },
    },
    hasBuffers: fs?.readTextFile === true,
    version,
  }
}

const about = z
  .looseObject({ name: z.string().min(1), version: z.string().optional().catch(undefined) })
  .nullish()
  .catch(undefined)
const replied = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: about,
  info: about,
  agentCapabilities: z
    .looseObject({ sessionCapabilities: z.looseObject({}).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
})

/** Who an agent says it is, for the ledger, and which version is spoken from now on. */
export interface Presented {
  readonly version: number
  readonly agent: AgentInfo
}

/**
 * What an agent says of itself, as the editor is to hear it: other directories than the workspace it cannot write to.
 * @param asked the newest version it may speak.
 */
export function rewriteInitializeAnswer(answer: Answer, asked: number, heard: (said: Presented) => void): Answer {
  if ('error' in answer) return answer
  const read = replied.parse(answer.result)
  const { protocolVersion, agentCapabilities, ...rest } = read
  if (!Number.isInteger(protocolVersion) || protocolVersion < 1 || protocolVersion > asked)
    throw new RpcFailure(
      CODE.internal,
      `The agent uses version ${protocolVersion} of the protocol; version ${asked} was asked for.`,
    )
  const who = read.agentInfo ?? read.info
  const agent = who ? { tool: who.name, ...defined({ toolVersion: who.version }) } : {}
  heard({ version: protocolVersion, agent })
  if (!agentCapabilities) return { result: { ...rest, protocolVersion } }
  const { sessionCapabilities, ...others } = agentCapabilities
  const { additionalDirectories: _, ...sessions } = sessionCapabilities ?? {}
  const capabilities = { ...others, ...(sessionCapabilities && { sessionCapabilities: sessions }) }
  return { result: { ...rest, protocolVersion, agentCapabilities: capabilities } }
}

const chosen = z.looseObject({ modelId: z.string() })
const begun = z.looseObject({ models: z.looseObject({ currentModelId: z.string() }) })

/** The model an agent works by from now on, where its answer or the editor's choice names one: 'default' names none. */
export function modelOf(method: string, params: unknown, answer: Answer): string | undefined {
  if ('error' in answer) return undefined
  const model =
    method === 'session/set_model'
      ? chosen.safeParse(params).data?.modelId
      : begun.safeParse(answer.result).data?.models.currentModelId
  return model === undefined || model === '' || model === 'default' ? undefined : model
}
