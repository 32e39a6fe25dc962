import { copyFileSync } from 'node:fs'
import { PassThrough, type Readable, type Writable } from 'node:stream'
import { onTestFinished } from 'vitest'
import { serveAcp } from '../../../src/agents/acp/index.js'
import type { Session, Workspace } from '../../../src/index.js'
import type { Step } from '../../children/acp-agent.js'
import { compileOnce } from '../../support/compiled.js'

/** What was said, whatever it is: a test looks for what it wants of it. */
export interface Said {
  readonly [field: string]: Said
}

export interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: Said
  readonly result?: Said
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** An editor that is scripted by its test. */
export class Editor {
  #last = 100
  #text = ''
  readonly #waiting = new Map<unknown, (message: Message) => void>()
  readonly heard: Message[] = []
  /** What it answers to what it is asked. */
  on: (message: Message) => object | undefined = () => undefined

  constructor(
    readonly input: Writable,
    output: Readable,
  ) {
    output.on('data', (chunk: Buffer) => {
      const lines = (this.#text + chunk).split('\n')
      this.#text = lines.pop() ?? ''
      for (const line of lines) this.#hear(JSON.parse(line))
    })
  }

  say(message: object): void {
    this.input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }

  ask(method: string, params: unknown, id: unknown = ++this.#last): Promise<Message> {
    const answer = new Promise<Message>((resolve) => this.#waiting.set(id, resolve))
    this.say({ id, method, params })
    return answer
  }

  /** Has the agent do something; answers with what came of each step. */
  async prompt(...steps: readonly Step[]): Promise<Said[]> {
    const text = JSON.stringify(steps)
    const { result, error } = await this.ask('session/prompt', { sessionId: 's1', prompt: [{ type: 'text', text }] })
    if (error) throw new Error(error.message)
    const results: unknown = result?.results
    if (!Array.isArray(results)) throw new Error('The agent told nothing of its steps.')
    return results
  }

  #hear(message: Message): void {
    this.heard.push(message)
    if (message.method === undefined) this.#waiting.get(message.id)?.(message)
    const answer = message.method === undefined || message.id === undefined ? undefined : this.on(message)
    if (answer) this.say({ id: message.id, ...answer })
  }

  /** Whoever still waits learns that nobody answers. */
  leave(): void {
    for (const settle of this.#waiting.values()) settle({ error: { code: 0, message: 'Nobody is there.' } })
  }
}

/** The scripted agent, as a command's first words: in the workspace, where every sandbox shows it. */
export function agentIn(root: string): string[] {
  copyFileSync(`${compileOnce()}/test/children/acp-agent.js`, `${root}/agent.mjs`)
  return [process.execPath, `${root}/agent.mjs`]
}

export interface Stand {
  readonly editor: Editor
  readonly over: Promise<number | null>
  readonly log: () => string
}

/** The proxy in this process, with the scripted agent behind it. */
export function stand(workspace: Workspace, session: Session, command = agentIn(workspace.root)): Stand {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const editor = new Editor(input, output)
  let log = ''
  const over = serveAcp({
    ...{ workspace, session, command, input, output },
    log: (text) => {
      log += text
    },
  })
  over.catch(() => undefined).finally(() => setImmediate(() => editor.leave()))
  onTestFinished(async () => {
    input.destroy()
    await over.catch(() => undefined)
  })
  return { editor, over, log: () => log }
}
