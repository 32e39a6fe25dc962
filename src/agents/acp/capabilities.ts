import { z } from 'zod'
import { defined } from '../../core/defined.js'
import type { AgentInfo, HomeHost } from '../../index.js'
import { type Answer, CODE, RpcFailure } from './message.js'

/** The newest supported protocol version. Version 2, a draft, has neither files nor terminals: there the agent works only in its mount. */
const PROTOCOL_VERSION = 2

/** Before version 2 had logins in a terminal, editors and agents agreed on them under this name in `_meta`. */
const TERMINAL_LOGIN = 'terminal-auth'

/** An object of a message; undefined for anything else. */
const record = z.record(z.string(), z.unknown()).nullish().catch(undefined)
const capabilities = z.looseObject({ fs: record, auth: record, _meta: record }).nullish().catch(undefined)

/** Version 1 has `clientCapabilities` and `agentCapabilities`, version 2 has `capabilities`. Either side may send both. */
const initializeParams = z.looseObject({
  protocolVersion: z.number(),
  clientCapabilities: capabilities,
  capabilities,
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
  const { protocolVersion, clientCapabilities, capabilities: newer, ...rest } = initializeParams.parse(params)
  const version = Math.min(protocolVersion, PROTOCOL_VERSION)
  const isServed = !USE_OWN_FILES.includes(client)
  const fs = { ...clientCapabilities?.fs, readTextFile: isServed, writeTextFile: isServed }
  return {
    params: {
      ...rest,
      protocolVersion: version,
      clientCapabilities: { ...withoutTerminalLogin(clientCapabilities ?? {}), fs, terminal: true },
      ...(newer && { capabilities: withoutTerminalLogin(newer) }),
    },
    hasBuffers: clientCapabilities?.fs?.readTextFile === true,
    version,
  }
}

function withoutTerminalLogin({ auth, _meta, ...others }: NonNullable<z.infer<typeof capabilities>>): object {
  return {
    ...others,
    ...(auth && { auth: omit(auth, 'terminal') }),
    ...(_meta && { _meta: omit(_meta, TERMINAL_LOGIN) }),
  }
}

function omit(fields: Readonly<Record<string, unknown>>, name: string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([each]) => each !== name))
}

const implementation = z
  .looseObject({ name: z.string().min(1), version: z.string().optional().catch(undefined) })
  .nullish()
  .catch(undefined)
const initializeResult = z.looseObject({
  protocolVersion: z.number(),
  agentInfo: implementation,
  info: implementation,
  agentCapabilities: z.looseObject({ sessionCapabilities: record }).nullish().catch(undefined),
  capabilities: z.looseObject({ session: record }).nullish().catch(undefined),
  authMethods: z
    .array(z.looseObject({ type: z.unknown().optional(), _meta: record }))
    .nullish()
    .catch(undefined),
})

/** The agent's name for the ledger, and the negotiated version. */
export interface AgentIntroduction {
  readonly version: number
  readonly agent: AgentInfo
}

/**
 * Rewrites an agent's `initialize` response: it cannot write to directories outside of the workspace, and offers no login that the
 * editor would start in a terminal.
 * @param asked the newest version that the agent may choose.
 */
export function rewriteInitializeAnswer(
  answer: Answer,
  asked: number,
  onIntroduction: (introduction: AgentIntroduction) => void,
): Answer {
  if ('error' in answer) return answer
  const read = initializeResult.parse(answer.result)
  const { protocolVersion, agentCapabilities: older, capabilities: newer, authMethods: logins, ...rest } = read
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
  const authMethods = logins?.flatMap(({ type, _meta, ...login }) =>
    type === 'terminal'
      ? []
      : [{ ...defined({ type }), ...login, ...(_meta && { _meta: omit(_meta, TERMINAL_LOGIN) }) }],
  )
  return {
    result: {
      ...rest,
      protocolVersion,
      ...(older && { agentCapabilities: withoutDirectories(older, 'sessionCapabilities') }),
      ...(newer && { capabilities: withoutDirectories(newer, 'session') }),
      ...defined({ authMethods }),
    },
  }
}

/** The capabilities of an agent's sessions without the promise of further directories. */
function withoutDirectories(fields: Readonly<Record<string, unknown>>, name: string): object {
  const sessions = record.parse(fields[name])
  return { ...fields, ...(sessions && { [name]: omit(sessions, 'additionalDirectories') }) }
}

const modelParams = z.looseObject({ modelId: z.string() })
/** Claude's adapter names the model of each reply in `_meta`, where its option only says `default` or `opus`. */
const MODEL_OF_REPLY = '_claude/model'
const sessionFields = z.looseObject({
  _meta: record,
  configOptions: z
    .array(z.looseObject({ category: z.unknown().optional(), currentValue: z.unknown().optional() }))
    .nullish()
    .catch(undefined),
  // Before the protocol had options.
  models: z.looseObject({ currentModelId: z.string() }).nullish().catch(undefined),
})

/** The agent's current model, if its response or the editor's choice names one; 'default' counts as none. */
export function modelOf(method: string, params: unknown, answer: Answer): string | undefined {
  if ('error' in answer) return undefined
  return method === 'session/set_model'
    ? realModel(modelParams.safeParse(params).data?.modelId)
    : modelAmong(answer.result)
}

/** The model that a response about a session, or one of its updates, names. */
export function modelAmong(fields: unknown): string | undefined {
  const { _meta, configOptions, models } = sessionFields.safeParse(fields).data ?? {}
  const chosen = configOptions?.find(({ category }) => category === 'model')?.currentValue
  return [_meta?.[MODEL_OF_REPLY], chosen, models?.currentModelId].map(realModel).find((model) => model !== undefined)
}

function realModel(model: unknown): string | undefined {
  return typeof model !== 'string' || model === '' || model === 'default' ? undefined : model
}
