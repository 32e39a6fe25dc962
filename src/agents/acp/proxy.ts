import { realpathSync } from 'node:fs'
import { z } from 'zod'
import { personGate, withFeedback } from '../../hooks/index.js'
import type { Feedback, HomeHost, RunningCommand, Session, Workspace } from '../../index.js'
import { errorText, oneLine, SerialQueue } from '../../surface/index.js'
import { forwardInitialize, modelAmong, modelOf, rewriteInitializeAnswer } from './capabilities.js'
import { type BufferReader, readTextFile, writeTextFile } from './files.js'
import {
  type Answer,
  CODE,
  type Id,
  type Message,
  type Notification,
  type Request,
  RpcFailure,
  toRpcError,
} from './message.js'
import { assertAbsolute, isBelow } from './paths.js'
import type { Peer } from './peer.js'
import { addStagedChanges, addStagedChangesToSubject } from './permission.js'
import { Terminals } from './terminals.js'
import { type Call, execute, type Tool, toRecord } from './tool.js'

export interface ProxyDeps {
  readonly workspace: Workspace
  readonly session: Session
  readonly editor: Peer
  readonly agent: Peer
  /** The host that the agent belongs to, if known. */
  readonly client: HomeHost | undefined
  /** The agent's process, once it runs. */
  readonly running: () => RunningCommand | undefined
  /** Reports failures that neither side gets as a response. */
  readonly note: (message: string) => void
}

type Handler = (call: Call) => Promise<unknown>

/** Methods that agents may call on editors. Any other method might write or run something in an editor. */
const FORWARDED: ReadonlySet<string> = new Set([
  'session/update',
  'session/request_permission',
  'elicitation/create',
  'elicitation/complete',
  'auth/status_update',
  '$/cancel_request',
])

function isForwarded(method: string): boolean {
  // An editor's own begin with `_`.
  return FORWARDED.has(method) || method.startsWith('_')
}

/** A proxy between an editor and its agent: forwards their messages, and serves the agent's file and terminal requests itself. */
export class AcpProxy {
  readonly #terminals = new Terminals()
  readonly #handlers: Readonly<Record<string, Handler>>
  /** Pending requests of each side: by id, a function that cancels them. */
  readonly #pending = { editor: new Map<Id, () => void>(), agent: new Map<Id, () => void>() }
  #hasBuffers = false
  /** The protocol version: the requested one, then the one that the agent speaks. */
  #version = 1
  #feedback: Feedback[] = []
  /** Delivers messages to each side in the order of sending. */
  readonly #toEditorQueue = new SerialQueue()
  readonly #toAgentQueue = new SerialQueue()

  constructor(private readonly deps: ProxyDeps) {
    const run = personGate(deps.session)
    const queueFeedback = (feedback: readonly Feedback[]) => void this.#feedback.push(...feedback)
    const tool =
      (each: Tool): Handler =>
      (call) =>
        execute(deps.session, run, each, call, queueFeedback)
    const terminals = this.#terminals
    this.#handlers = {
      'fs/read_text_file': tool(readTextFile(() => this.#buffers())),
      'fs/write_text_file': tool(writeTextFile),
      'terminal/create': tool(terminals.create),
      'terminal/output': ({ params }) => terminals.output(params),
      'terminal/wait_for_exit': ({ params }) => terminals.wait(params),
      'terminal/kill': ({ params }) => terminals.kill(params),
      'terminal/release': ({ params }) => terminals.release(params),
    }
  }

  fromEditor(message: Message): void {
    if (message.kind === 'response') this.deps.editor.resolveRequest(message.id, message.answer)
    else void this.#toAgentQueue.run(() => this.#forwardToAgent(message))
  }

  fromAgent(message: Message): void {
    if (message.kind === 'response') this.deps.agent.resolveRequest(message.id, message.answer)
    else if (isForwarded(message.method)) void this.#toEditorQueue.run(() => this.#forwardToEditor(message))
    else if (message.kind === 'request') void this.#serve(message)
  }

  /** Resolves when all messages of the agent so far are forwarded and none of its terminals runs. */
  async close(): Promise<void> {
    await this.#toEditorQueue.idle()
    await this.#terminals.close()
  }

  async #serve({ id, method, params }: Request): Promise<void> {
    const { agent } = this.deps
    // From version 2 on the proxy serves nothing: the agent works only in its mount.
    const serve = this.#version === 1 && Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined
    try {
      if (serve === undefined) throw new RpcFailure(CODE.unknownMethod, `escrow does not support the method ${method}.`)
      await this.#ingestEffects()
      const result = await this.#orCancelled(id, serve({ method, params }))
      await this.deps.running()?.refresh()
      agent.answer(id, { result })
    } catch (error) {
      agent.answer(id, { error: toRpcError(error) })
    }
  }

  /** Cancels a request: its sender gets a response at once, and work that has started still finishes. */
  #orCancelled<T>(id: Id, work: Promise<T>): Promise<T> {
    const open = this.#pending.agent
    const cancelled = new Promise<never>((_, reject) => {
      open.set(id, () => reject(new RpcFailure(CODE.cancelled, 'Cancelled.')))
    })
    return Promise.race([work, cancelled]).finally(() => open.delete(id))
  }

  /** Stages the agent's effects in its mount before it serves a request. A failure is reported when the agent ends. */
  async #ingestEffects(): Promise<void> {
    await this.deps
      .running()
      ?.ingest()
      .catch(() => undefined)
  }

  async #forwardToEditor(
    message: (Request & { kind: 'request' }) | (Notification & { kind: 'notification' }),
  ): Promise<void> {
    const { editor, agent, note } = this.deps
    try {
      const params = await this.#paramsForEditor(message)
      if (message.kind === 'notification') this.#forwardNotification('agent', { ...message, params })
      else void this.#forwardRequest('agent', { ...message, params }, editor)
    } catch (error) {
      if (message.kind === 'request') agent.answer(message.id, { error: toRpcError(error) })
      else note(`${oneLine(message.method)} of the agent was not passed on: ${oneLine(errorText(error))}`)
    }
  }

  async #paramsForEditor({ method, params }: Call): Promise<unknown> {
    if (method === 'session/request_permission') {
      const { workspace, session } = this.deps
      await this.#ingestEffects()
      const review = await workspace.review(session.id)
      if (this.#version > 1) return addStagedChangesToSubject(params, workspace.root, review)
      const staged = await addStagedChanges(params, workspace.root, review)
      return replaceContent(staged, 'toolCall', (content) => this.#terminals.withTerminalOutput(content))
    }
    if (method !== 'session/update') return params
    this.#readModel(modelAmong(toRecord(params).update))
    return replaceContent(params, 'update', (content) => this.#terminals.withTerminalOutput(content))
  }

  async #forwardToAgent(
    message: (Request & { kind: 'request' }) | (Notification & { kind: 'notification' }),
  ): Promise<void> {
    const { editor, agent } = this.deps
    if (message.kind === 'notification') return this.#forwardNotification('editor', message)
    try {
      const request = { ...message, params: await this.#paramsForAgent(message) }
      void this.#forwardRequest('editor', request, agent, (answer) => this.#readAnswer(message, answer))
    } catch (error) {
      editor.answer(message.id, { error: toRpcError(error) })
    }
  }

  async #paramsForAgent({ method, params }: Request): Promise<unknown> {
    if (method === 'initialize') {
      const { hasBuffers, version, params: forwarded } = forwardInitialize(params, this.deps.client)
      this.#hasBuffers = hasBuffers
      this.#version = version
      return forwarded
    }
    if (SESSION_METHODS.has(method)) return this.#checkDirectories(params)
    return method === 'session/prompt' ? this.#addFeedback(params) : params
  }

  /** Learns the agent's name and model from its responses. */
  #readAnswer({ method, params }: Request, answer: Answer): Answer {
    const { session } = this.deps
    if (method === 'initialize')
      return rewriteInitializeAnswer(answer, this.#version, ({ version, agent }) => {
        this.#version = version
        session.attribute(agent)
      })
    this.#readModel(modelOf(method, params, answer))
    return answer
  }

  #readModel(model: string | undefined): void {
    if (model !== undefined) this.deps.session.attribute({ model })
  }

  /** Refuses a working directory that the agent's mount does not show. */
  #checkDirectories(params: unknown): unknown {
    const { root } = this.deps.workspace
    const { cwd, additionalDirectories = [] } = directoryParams.parse(params)
    for (const path of [cwd, ...(additionalDirectories ?? [])])
      if (!isBelow(root, realpathSync(assertAbsolute(path))))
        throw new RpcFailure(CODE.params, `escrow governs this agent in ${root}, and ${path} is outside it.`)
    return params
  }

  /** Puts new reviewer feedback before the person's next prompt. */
  async #addFeedback(params: unknown): Promise<unknown> {
    const { prompt, ...rest } = promptParams.parse(params)
    this.#feedback.push(...(await this.deps.session.feedback().catch(() => [])))
    if (this.#feedback.length === 0) return params
    const text = withFeedback('', this.#feedback)
    this.#feedback = []
    const content = { type: 'text', text }
    // Agents recognise their own commands by the first character of the prompt.
    return { ...rest, prompt: command.safeParse(prompt[0]).success ? [...prompt, content] : [content, ...prompt] }
  }

  /** Never rejects. */
  async #forwardRequest(
    from: 'editor' | 'agent',
    { id, method, params }: Request,
    to: Peer,
    read: (answer: Answer) => Answer = (answer) => answer,
  ): Promise<void> {
    const pending = to.request(method, params)
    const open = this.#pending[from]
    open.set(id, () => to.notify({ method: CANCEL, params: { requestId: pending.id } }))
    const answer = await pending.answer
    open.delete(id)
    this.deps[from].answer(id, applyRead(read, answer))
  }

  #forwardNotification(from: 'editor' | 'agent', { method, params }: Notification): void {
    const { [from === 'editor' ? 'agent' : 'editor']: to } = this.deps
    const cancellation = method === CANCEL ? cancelled.safeParse(params) : undefined
    if (cancellation === undefined) to.notify({ method, params })
    else if (cancellation.success) this.#pending[from].get(cancellation.data.requestId)?.()
  }

  #buffers(): BufferReader | undefined {
    if (!this.#hasBuffers) return undefined
    return async (params, patience) => {
      const { id, answer } = this.deps.editor.request('fs/read_text_file', params)
      const timer = setTimeout(() => {
        this.deps.editor.notify({ method: CANCEL, params: { requestId: id } })
        this.deps.editor.resolveRequest(id, {
          error: { code: CODE.cancelled, message: 'The agent took too long to answer.' },
        })
      }, patience)
      const response = await answer.finally(() => clearTimeout(timer))
      return 'result' in response ? response.result : undefined
    }
  }
}

const CANCEL = '$/cancel_request'
const SESSION_METHODS = new Set(['session/new', 'session/load', 'session/resume', 'session/fork'])

const cancelled = z.looseObject({ requestId: z.union([z.string(), z.number(), z.null()]) })
const directoryParams = z.looseObject({ cwd: z.string(), additionalDirectories: z.array(z.string()).nullish() })
const command = z.looseObject({ type: z.literal('text'), text: z.string().startsWith('/') })
const promptParams = z.looseObject({ prompt: z.array(z.unknown()) })

function applyRead(read: (answer: Answer) => Answer, answer: Answer): Answer {
  try {
    return read(answer)
  } catch (error) {
    return { error: toRpcError(error) }
  }
}

/** A message with the content of one object replaced. */
function replaceContent(params: unknown, name: string, convert: (content: unknown) => unknown): unknown {
  const all = toRecord(params)
  const inner = toRecord(all[name])
  return inner.content === undefined ? params : { ...all, [name]: { ...inner, content: convert(inner.content) } }
}
