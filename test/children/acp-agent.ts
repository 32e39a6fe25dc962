/**
 * An agent of the Agent Client Protocol that executes the steps of each prompt, a list as JSON. Its answer has the
 * result of each step. It uses no library, so that it can send messages that no library would send.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'

export type Step =
  /** Sends a request to its client, and waits for the response unless `later` is set. */
  | { readonly request: string; readonly params: unknown; readonly later?: true }
  | { readonly notify: string; readonly params: unknown }
  /** Accesses the files of its mount itself, without its client. */
  | { readonly write: string; readonly content: string }
  | { readonly read: string }
  | { readonly remove: string }
  | { readonly say: string }
  | { readonly exit: number }

interface Message {
  readonly id?: unknown
  readonly method?: string
  readonly params?: { readonly prompt?: readonly { readonly text?: string }[] }
}

/** The protocol version, its only argument. */
const VERSION = Number(process.argv[2] ?? 1)
const SELF =
  VERSION === 1 ? { agentInfo: { name: 'scripted', version: '3' } } : { info: { name: 'scripted', version: '3' } }

let last = 0
const waiting = new Map<unknown, (message: unknown) => void>()
const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

async function runStep(step: Step): Promise<unknown> {
  if ('request' in step) {
    const id = ++last
    const answer = new Promise((resolve) => waiting.set(id, resolve))
    send({ id, method: step.request, params: step.params })
    return step.later ? undefined : answer
  }
  if ('notify' in step) return void send({ method: step.notify, params: step.params })
  if ('write' in step) {
    mkdirSync(dirname(step.write), { recursive: true })
    return writeFileSync(step.write, step.content)
  }
  if ('read' in step) return readFileSync(step.read, 'utf8')
  if ('remove' in step) return rmSync(step.remove)
  if ('say' in step) return void process.stdout.write(step.say)
  process.exit(step.exit)
}

async function follow(prompt: string): Promise<unknown[]> {
  const steps: Step[] = JSON.parse(prompt)
  const results: unknown[] = []
  for (const step of steps)
    results.push(
      await runStep(step).catch((error: unknown) => ({ failed: error instanceof Error && Reflect.get(error, 'code') })),
    )
  return results
}

async function answer({ id, method, params }: Message): Promise<void> {
  if (method === 'initialize')
    return void send({ id, result: { protocolVersion: VERSION, ...SELF, agentCapabilities: { received: params } } })
  if (method === 'session/new')
    return void send({ id, result: { sessionId: 's1', models: { currentModelId: 'm-acp' }, received: params } })
  if (method !== 'session/prompt') return void send({ id, result: { received: { method, params } } })
  const texts = params?.prompt?.map(({ text = '' }) => text) ?? []
  const results = await follow(texts.find((text) => text.startsWith('[')) ?? '[]')
  send({ id, result: { stopReason: 'end_turn', results, received: texts } })
}

process.stderr.write('agent: begun\n')
// Node's readline also ends a line at U+2028, which JSON may contain.
let rest = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  const lines = `${rest}${chunk}`.split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) receive(line)
})

function receive(line: string): void {
  const message: Message = JSON.parse(line)
  if (message.method === undefined) waiting.get(message.id)?.(message)
  else if (message.id !== undefined) void answer(message)
  else send({ method: '_heard', params: message })
}
