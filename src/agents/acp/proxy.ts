import { realpathSync } from 'node:fs'
import { z } from 'zod'
import { personGate, withFeedback } from '../../hooks/index.js'
import { type Feedback, oneLine, type RunningCommand, type Session, type Workspace } from '../../index.js'
import { introduced, presented } from './capabilities.js'
import { type Buffers, readTextFile, writeTextFile } from './files.js'
import {
  type Answer,
  CODE,
  errorOf,
  type Id,
  type Message,
  type Notification,
  type Request,
  RpcFailure,
  wordsOf,
} from './message.js'
import { absolute, isBelow } from './paths.js'
import type { Peer } from './peer.js'
import { withStaged } from './permission.js'
import { Terminals } from './terminals.js'
import { type Call, execute, recordOf, type Tool } from './tool.js'

export interface ProxyDeps {
  readonly workspace: Workspace
  readonly session: Session
  readonly editor: Peer
  readonly agent: Peer
  /** The agent, once it runs. */
  readonly running: () => RunningCommand | undefined
  /** Says what nobody else is told. */
  readonly note: (words: string) => void
}

type Handler = (call: Call) => Promise<unknown>

/** What the protocol has for clients, and an editor would do on the disk: none of it is ever passed on. */
const OURS = /^(?:fs|terminal)\//

/** Between an editor and its agent: passes on what they say, and does itself what the agent asks of files and commands. */
export class AcpProxy {
  readonly #terminals = new Terminals()
  readonly #served: Readonly<Record<string, Handler>>
  /** Requests of each side that are under way: by their names there, what takes them back. */
  readonly #open = { editor: new Map<Id, () => void>(), agent: new Map<Id, () => void>() }
  #hasBuffers = false
  #words: Feedback[] = []
  /** What the agent says comes to the editor in its order. */
  #turn: Promise<void> = Promise.resolve()

  constructor(private readonly deps: ProxyDeps) {
    const run = personGate(deps.session)
    const heard = (words: readonly Feedback[]) => void this.#words.push(...words)
    const tool =
      (each: Tool): Handler =>
      (call) =>
        execute(deps.session, run, each, call, heard)
    const terminals = this.#terminals
    this.#served = {
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
    const { editor, agent } = this.deps
    if (message.kind === 'response') editor.answered(message.id, message.answer)
    else if (message.kind === 'notification') this.#notified('editor', message)
    else
      try {
        const request = { ...message, params: this.#toAgent(message) }
        void this.#passed('editor', request, agent, message.method === 'initialize' ? presented : undefined)
      } catch (error) {
        editor.answer(message.id, { error: errorOf(error) })
      }
  }

  fromAgent(message: Message): void {
    if (message.kind === 'response') this.deps.agent.answered(message.id, message.answer)
    else if (!OURS.test(message.method)) this.#turn = this.#turn.then(() => this.#toEditor(message))
    else if (message.kind === 'request') void this.#serve(message)
  }

  /** Resolves when all that the agent said until now was passed on, and none of its terminals runs any more. */
  async close(): Promise<void> {
    await this.#turn
    await this.#terminals.close()
  }

  async #serve({ id, method, params }: Request): Promise<void> {
    const { agent } = this.deps
    const serve = Object.hasOwn(this.#served, method) ? this.#served[method] : undefined
    try {
      if (serve === undefined) throw new RpcFailure(CODE.unknownMethod, `${method} is not served.`)
      await this.#takeIn()
      const result = await this.#untilCancelled(id, serve({ method, params }))
      await this.deps.running()?.refresh()
      agent.answer(id, { result })
    } catch (error) {
      agent.answer(id, { error: errorOf(error) })
    }
  }

  /** Work that was begun is finished: who asked for it is told at once that nobody waits for it. */
  #untilCancelled<T>(id: Id, work: Promise<T>): Promise<T> {
    const open = this.#open.agent
    const cancelled = new Promise<never>((_, reject) => {
      open.set(id, () => reject(new RpcFailure(CODE.cancelled, 'Cancelled.')))
    })
    return Promise.race([work, cancelled]).finally(() => open.delete(id))
  }

  /** What the agent did in its mount comes before what it asks for. What cannot be taken in now is told when it ends. */
  async #takeIn(): Promise<void> {
    await this.deps
      .running()
      ?.ingest()
      .catch(() => undefined)
  }

  async #toEditor(message: (Request & { kind: 'request' }) | (Notification & { kind: 'notification' })): Promise<void> {
    const { editor, agent, note } = this.deps
    try {
      const params = await this.#shownToEditor(message)
      if (message.kind === 'notification') this.#notified('agent', { ...message, params })
      else void this.#passed('agent', { ...message, params }, editor)
    } catch (error) {
      if (message.kind === 'request') agent.answer(message.id, { error: errorOf(error) })
      else note(`${oneLine(message.method)} of the agent was not passed on: ${oneLine(wordsOf(error))}`)
    }
  }

  async #shownToEditor({ method, params }: Call): Promise<unknown> {
    if (method === 'session/request_permission') {
      const { workspace, session } = this.deps
      await this.#takeIn()
      const staged = await withStaged(params, workspace.root, await workspace.review(session.id))
      return withContent(staged, 'toolCall', (content) => this.#terminals.told(content))
    }
    if (method !== 'session/update') return params
    return withContent(params, 'update', (content) => this.#terminals.told(content))
  }

  #toAgent({ method, params }: Request): unknown {
    if (method === 'initialize') {
      const { hasBuffers, params: told } = introduced(params)
      this.#hasBuffers = hasBuffers
      return told
    }
    if (BEGINNING.has(method)) return this.#placed(params)
    return method === 'session/prompt' ? this.#withWords(params) : params
  }

  /** Where the agent is to work must be what its mount shows. */
  #placed(params: unknown): unknown {
    const { root } = this.deps.workspace
    const { cwd, additionalDirectories = [] } = placed.parse(params)
    for (const path of [cwd, ...(additionalDirectories ?? [])])
      if (!isBelow(root, realpathSync(absolute(path))))
        throw new RpcFailure(CODE.params, `This agent is governed in ${root}, and ${path} is not in it.`)
    return params
  }

  /** What reviewers said since comes with the person's next words. */
  #withWords(params: unknown): unknown {
    if (this.#words.length === 0) return params
    const { prompt, ...rest } = prompted.parse(params)
    const text = withFeedback('', this.#words)
    this.#words = []
    return { ...rest, prompt: [...prompt, { type: 'text', text }] }
  }

  /** Never rejects. */
  async #passed(
    from: 'editor' | 'agent',
    { id, method, params }: Request,
    to: Peer,
    read: (answer: Answer) => Answer = (answer) => answer,
  ): Promise<void> {
    const asked = to.ask(method, params)
    const open = this.#open[from]
    open.set(id, () => to.tell({ method: CANCEL, params: { requestId: asked.id } }))
    const answer = await asked.answer
    open.delete(id)
    this.deps[from].answer(id, readBy(read, answer))
  }

  #notified(from: 'editor' | 'agent', { method, params }: Notification): void {
    const { [from === 'editor' ? 'agent' : 'editor']: to } = this.deps
    const taken = method === CANCEL ? cancelled.safeParse(params) : undefined
    if (taken === undefined) to.tell({ method, params })
    else if (taken.success) this.#open[from].get(taken.data.requestId)?.()
  }

  #buffers(): Buffers | undefined {
    if (!this.#hasBuffers) return undefined
    return async (params, patience) => {
      const { id, answer } = this.deps.editor.ask('fs/read_text_file', params)
      const late = setTimeout(() => {
        this.deps.editor.tell({ method: CANCEL, params: { requestId: id } })
        this.deps.editor.answered(id, { error: { code: CODE.cancelled, message: 'It takes too long.' } })
      }, patience)
      const given = await answer.finally(() => clearTimeout(late))
      return 'result' in given ? given.result : undefined
    }
  }
}

const CANCEL = '$/cancel_request'
const BEGINNING = new Set(['session/new', 'session/load', 'session/resume', 'session/fork'])

const cancelled = z.looseObject({ requestId: z.union([z.string(), z.number(), z.null()]) })
const placed = z.looseObject({ cwd: z.string(), additionalDirectories: z.array(z.string()).nullish() })
const prompted = z.looseObject({ prompt: z.array(z.unknown()) })

function readBy(read: (answer: Answer) => Answer, answer: Answer): Answer {
  try {
    return read(answer)
  } catch (error) {
    return { error: errorOf(error) }
  }
}

/** With the content of one of its objects told otherwise. */
function withContent(params: unknown, name: string, told: (content: unknown) => unknown): unknown {
  const all = recordOf(params)
  const inner = recordOf(all[name])
  return inner.content === undefined ? params : { ...all, [name]: { ...inner, content: told(inner.content) } }
}
