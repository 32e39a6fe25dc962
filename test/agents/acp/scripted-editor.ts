import { copyFileSync } from 'node:fs'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { serveAcp } from '../../../src/agents/acp/index.js'
import type { Session, Workspace } from '../../../src/index.js'
import type { Step } from '../../children/acp-agent.js'
import { compileOnce } from '../../support/compiled.js'

/** Fields of a message, untyped: each test reads the ones it needs. */
export interface Fields {
  readonly [field: string]: Fields
}

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Fields
  readonly result?: Fields
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** An editor that a test controls. */
export class Editor {
  #last = 100
  #text = ''
  readonly #pending = new Map<unknown, (message: Message) => void>()
  /** Every message from the proxy, in order. */
  readonly received: Message[] = []
  /** Answers a request of the agent: returns `result` or `error`, or undefined for no answer. */
  answerRequest: (message: Message) => object | undefined = () => undefined

  constructor(
    readonly input: Writable,
    output: Readable,
  ) {
    output.on('data', (chunk: Buffer) => {
      const lines = (this.#text + chunk).split('\n')
      this.#text = lines.pop() ?? ''
      for (const line of lines) this.#receive(JSON.parse(line))
    })
  }

  send(message: object): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  request(method: string, params: unknown, id: unknown = ++this.#last): Promise<Message> {
    const answer = new Promise<Message>((resolve) => this.#pending.set(id, resolve))
    this.send({ id, method, params })
    return answer
  }

  /** Lets the agent perform the steps, and returns the result of each. */
  async prompt(...steps: readonly Step[]): Promise<Fields[]> {
    const text = JSON.stringify(steps)
    const { result, error } = await this.request('session/prompt', {
      sessionId: 's1',
      prompt: [{ type: 'text', text }],
    })
    if (error) throw new Error(error.message)
    const results: unknown = result?.results
    if (!Array.isArray(results)) throw new Error('The agent returned no results.')
    return results
  }

  #receive(message: Message): void {
    this.received.push(message)
    if (message.method === undefined) this.#pending.get(message.id)?.(message)
    const answer = message.method === undefined || message.id === undefined ? undefined : this.answerRequest(message)
    if (answer) this.send({ id: message.id, ...answer })
  }

  /** Answers every pending request with an error. */
  failPending(): void {
    for (const settle of this.#pending.values()) settle({ error: { code: 0, message: 'The proxy has ended.' } })
  }
}

/** The command of the scripted agent. Its program is copied into the workspace, which every sandbox shows. */
export function scriptedAgent(root: string): string[] {
  copyFileSync(`${compileOnce()}/test/children/acp-agent.js`, `${root}/agent.mjs`)
  return [process.execPath, `${root}/agent.mjs`]
}

export interface RunningProxy {
  readonly editor: Editor
  /** The exit code of the agent. */
  readonly ended: Promise<number | null>
  readonly log: () => string
}

/** Runs the proxy in this process, between a scripted editor and the scripted agent. */
export function startProxy(
  workspace: Workspace,
  session: Session,
  command = scriptedAgent(workspace.root),
): RunningProxy {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const editor = new Editor(input, output)
  let log = ''
  const ended = serveAcp({
    ...{ workspace, session, command, input, output },
    log: (text) => {
      log += text
    },
  })
  ended.catch(() => undefined).finally(() => setImmediate(() => editor.failPending()))
  onTestFinished(async () => {
    input.destroy()
    await ended.catch(() => undefined)
  })
  return { editor, ended, log: () => log }
}
