import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { anthropic } from './anthropic.js'
import { chat } from './chat.js'
import { gemini } from './gemini.js'
import { responses } from './responses.js'
import type { Reply, Turn } from './turn.js'

/** The model's replies, turn by turn. After the last one it reports that it is done. */
export type Script = readonly (Reply | ((turn: Turn) => Reply | Promise<Reply>))[]

/** A local model that follows a script. */
export interface ScriptedModel {
  readonly origin: string
  /** The requests of turns, in order, without a client's housekeeping. */
  readonly turns: readonly Turn[]
  /** Unknown requests, and those that could not be answered. */
  readonly strange: readonly string[]
  close(): Promise<void>
}

const DIALECTS = [anthropic, responses, chat, gemini]
const DONE: Reply = { text: 'Done.' }

/** Starts a model with the APIs of all providers, which all follow the script. */
export async function scriptedModel(script: Script): Promise<ScriptedModel> {
  const turns: Turn[] = []
  const strange: string[] = []
  let count = 0

  const answer = async (path: string, body: unknown): Promise<[type: string, text: string] | undefined> => {
    for (const dialect of DIALECTS) {
      const turn = dialect.read(path, body)
      if (turn === undefined) continue
      const type = turn.isStreamed ? 'text/event-stream' : 'application/json'
      count += 1
      return [type, dialect.write(turn, await replyTo(turn), `scripted${count}`)]
    }
    const other = OTHERS.find(([pattern]) => pattern.test(path))
    return other && ['application/json', JSON.stringify(other[1])]
  }

  const replyTo = async (turn: Turn): Promise<Reply> => {
    if (turn.tools.length === 0) return { text: '{}' }
    const next = script[turns.length] ?? DONE
    turns.push(turn)
    return typeof next === 'function' ? next(turn) : next
  }

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { pathname } = new URL(incoming.url ?? '/', 'http://model')
    try {
      const text = await bodyOf(incoming)
      const reply = await answer(pathname, text === '' ? {} : JSON.parse(text))
      if (reply === undefined) strange.push(`${incoming.method} ${pathname}`)
      const [type, body] = reply ?? ['application/json', '{"error":{"message":"no such address"}}']
      outgoing.writeHead(reply === undefined ? 404 : 200, { 'content-type': type })
      outgoing.end(body)
    } catch (error) {
      strange.push(`${incoming.method} ${pathname}: ${error instanceof Error ? error.message : error}`)
      outgoing.writeHead(400, { 'content-type': 'application/json' }).end('{"error":{"message":"not understood"}}')
    }
  }

  const server = createServer((incoming, outgoing) => void handle(incoming, outgoing))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The scripted model has no port.')
  return {
    origin: `http://127.0.0.1:${address.port}`,
    turns,
    strange,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Requests of clients other than turns. */
const OTHERS: readonly (readonly [path: RegExp, answer: unknown])[] = [
  [/\/count_tokens$/, { input_tokens: 10 }],
  [/:countTokens$/, { totalTokens: 10 }],
  [/\/models$/, { object: 'list', data: [], models: [] }],
]

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}
