import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server'
import { expect, it } from 'vitest'
import { LimitedTransport } from '../../../src/agents/mcp/limited-transport.js'

const LIMIT = 5

/** A client whose reading the test controls. */
class Client implements Transport {
  onmessage?: Transport['onmessage']
  readonly written: JSONRPCMessage[] = []
  readonly #unread: (() => void)[] = []

  async start(): Promise<void> {}
  async close(): Promise<void> {}

  send(message: JSONRPCMessage): Promise<void> {
    this.written.push(message)
    return new Promise((resolve) => void this.#unread.push(resolve))
  }

  call(id: number, method = 'tools/call'): void {
    this.onmessage?.({ jsonrpc: '2.0', id, method, params: {} })
  }

  cancel(requestId: number): void {
    this.onmessage?.({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  }

  /** Reads the oldest answer. */
  async read(): Promise<void> {
    this.#unread.shift()?.()
    await new Promise(setImmediate)
  }
}

async function connect() {
  const client = new Client()
  const transport = new LimitedTransport(client, LIMIT)
  /** The ids or methods of the messages that the server has received. */
  const received: unknown[] = []
  transport.onmessage = (message) => received.push('id' in message ? message.id : message)
  await transport.start()
  const answer = (id: number) => void transport.send({ jsonrpc: '2.0', id, result: {} })
  return { client, received, answer, transport }
}

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

it('begins a further call only when the answer of an earlier one is written', async () => {
  const { client, received, answer } = await connect()
  for (const id of numbers(1, LIMIT + 3)) client.call(id)
  expect(received).toEqual(numbers(1, LIMIT))
  answer(2)
  answer(1)
  await new Promise(setImmediate)
  expect(received).toEqual(numbers(1, LIMIT))
  await client.read()
  expect(received).toEqual(numbers(1, LIMIT + 1))
  await client.read()
  expect(received).toEqual(numbers(1, LIMIT + 2))
})

it('writes one message at a time, in their order', async () => {
  const { client, answer } = await connect()
  for (const id of [1, 2, 3]) client.call(id)
  for (const id of [3, 1, 2]) answer(id)
  await new Promise(setImmediate)
  expect(client.written).toMatchObject([{ id: 3 }])
  await client.read()
  await client.read()
  expect(client.written).toMatchObject([{ id: 3 }, { id: 1 }, { id: 2 }])
})

it('never begins a call that was cancelled while it waited', async () => {
  const { client, received, answer } = await connect()
  for (const id of numbers(1, LIMIT + 2)) client.call(id)
  client.cancel(LIMIT + 1)
  answer(1)
  await new Promise(setImmediate)
  await client.read()
  expect(received).toEqual([...numbers(1, LIMIT), LIMIT + 2])
})

it('begins the next call when a running one is cancelled, which has no answer', async () => {
  const { client, received } = await connect()
  for (const id of numbers(1, LIMIT + 1)) client.call(id)
  client.cancel(2)
  expect(received).toEqual([
    ...numbers(1, LIMIT),
    expect.objectContaining({ method: 'notifications/cancelled' }),
    LIMIT + 1,
  ])
})

it('holds back no other message: a call that asks a person waits for the answer', async () => {
  const { client, received } = await connect()
  for (const id of numbers(1, LIMIT)) client.call(id)
  client.call(100, 'ping')
  client.onmessage?.({ jsonrpc: '2.0', id: 7, result: { action: 'accept' } })
  expect(received.slice(LIMIT)).toEqual([100, 7])
})

it('begins the next call when an answer cannot be written', async () => {
  const { client, received, transport } = await connect()
  for (const id of numbers(1, LIMIT + 1)) client.call(id)
  client.send = () => Promise.reject(new Error('closed'))
  await expect(transport.send({ jsonrpc: '2.0', id: 1, result: {} })).rejects.toThrow('closed')
  expect(received).toEqual(numbers(1, LIMIT + 1))
})

it('refuses a call with the id of another that runs or waits', async () => {
  const { client, received, answer } = await connect()
  for (const id of numbers(1, LIMIT + 1)) client.call(id)
  client.call(1)
  await new Promise(setImmediate)
  await client.read()
  client.call(LIMIT + 1)
  await new Promise(setImmediate)
  await client.read()
  expect(client.written).toMatchObject([
    { id: 1, error: { code: -32_600 } },
    { id: LIMIT + 1, error: { code: -32_600 } },
  ])
  expect(received).toEqual(numbers(1, LIMIT))
  answer(1)
  await new Promise(setImmediate)
  await client.read()
  client.call(1)
  expect(received).toEqual(numbers(1, LIMIT + 1))
})
