import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { AgentInfo, HomeHost } from '../../index.js'
import { type Answer, CODE, RpcFailure } from './message.js'

/** The newest supported protocol version. Version 2, a draft, has neither files nor terminals: there the agent works only in its mount. */
const PROTOCOL_VERSION = 2

const initializeParams = z.looseObject({
  protocolVersion: z.number(),
  clientCapabilities: z
    .looseObject({
      fs: z.looseObject({ readTextFile: z.boolean().optional() }).nullish().catch(undefined),
      auth: z.looseObject({}).nullish().catch(undefined),
    })
    .nullish()
    .catch(undefined),
})

/** An editor's `initialize` request as the agent gets it. */
export interface ForwardedInitialize {
  readonly params: unknown
  /** Whether the editor can read its buffers. */
  readonly hasBuffers: boolean
  /** The newest version that both the editor and we support. */
  readonly version: number
}

/**
 * Agents that fail to create a file through an editor: Gemini CLI 0.61.0 does not recognize an editor's error for a
 * missing file. They use the files of the mount.
 */
const USE_OWN_FILES: readonly (HomeHost | undefined)[] = ['gemini']

/**
 * Rewrites an `initialize` request: files and terminals are served here, whatever the editor supports. A login in a terminal is
 * disabled, because the editor would start the agent itself, ungoverned.
 * @param client the agent's client, if known.
 */
export function forwardInitialize(params: unknown, client?: HomeHost): ForwardedInitialize {
  const { protocolVersion, clientCapabilities, ...rest } = initializeParams.parse(params)
  const { fs, auth, ...others } = clientCapabilities ?? {}
  const version = Math.min(protocolVersion, PROTOCOL_VERSION)
  const isServed = !USE_OWN_FILES.includes(client)
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

const implementation = z
  .looseObject({ name: z.string().min(1), version: z.string().optional().catch(undefined) })
  .nullish()
  .catch(undefined)
const initializeResult = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: implementation,
  info: implementation,
  agentCapabilities: z
    .looseObject({ sessionCapabilities: z.looseObject({}).nullish().catch(undefined) })
    .nullish()
    .catch(undefined),
})

/** The agent's name for the ledger, and the negotiated version. */
export interface AgentIntroduction {
  readonly version: number
  readonly agent: AgentInfo
}

/**
 * Rewrites an agent's `initialize` response: it cannot write to directories outside of the workspace.
 * @param asked the newest version that the agent may choose.
 */
export function rewriteInitializeAnswer(
  answer: Answer,
  asked: number,
  onIntroduction: (introduction: AgentIntroduction) => void,
): Answer {
  if ('error' in answer) return answer
  const read = initializeResult.parse(answer.result)
  const { protocolVersion, agentCapabilities, ...rest } = read
  if (!Number.isInteger(protocolVersion) || protocolVersion < 1 || protocolVersion > asked)
    throw new RpcFailure(
      CODE.internal,
      `The agent uses version ${protocolVersion} of the protocol; version ${asked} was asked for.`,
    )
  const implementationInfo = read.agentInfo ?? read.info
  const agent = implementationInfo
    ? { tool: implementationInfo.name, ...defined({ toolVersion: implementationInfo.version }) }
    : {}
  onIntroduction({ version: protocolVersion, agent })
  if (!agentCapabilities) return { result: { ...rest, protocolVersion } }
  const { sessionCapabilities, ...others } = agentCapabilities
  const { additionalDirectories: _, ...sessions } = sessionCapabilities ?? {}
  const capabilities = { ...others, ...(sessionCapabilities && { sessionCapabilities: sessions }) }
  return { result: { ...rest, protocolVersion, agentCapabilities: capabilities } }
}

const modelParams = z.looseObject({ modelId: z.string() })
const sessionResult = z.looseObject({ models: z.looseObject({ currentModelId: z.string() }) })

/** The agent's current model, if its response or the editor's choice names one; 'default' counts as none. */
export function modelOf(method: string, params: unknown, answer: Answer): string | undefined {
  if ('error' in answer) return undefined
  const model =
    method === 'session/set_model'
      ? modelParams.safeParse(params).data?.modelId
      : sessionResult.safeParse(answer.result).data?.models.currentModelId
  return model === undefined || model === '' || model === 'default' ? undefined : model
}
