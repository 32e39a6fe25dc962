import { once } from 'node:events'
import { connect as openSocket, type Socket } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openMcpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import { testWorkspace } from '../../support/workspace.js'

/** A client that sends exactly the given bodies. */
async function rawClient(root = testWorkspace().root) {
  const host = await openMcpHost(root, { intent: 'INT-001' })
  const { url, close } = await serveMcpHttp(host)
  onTestFinished(async () => {
    await close()
    await host.close()
  })
  const post = (body: unknown, connection?: string) =>
    fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(connection !== undefined && { 'mcp-session-id': connection, 'mcp-protocol-version': '2025-11-25' }),
      },
      body: body instanceof Buffer ? new Uint8Array(body) : JSON.stringify(body),
    })
  const open = () => post(HELLO)
  const connect = async () => {
    const answer = await open()
    await answer.text()
    return answer.headers.get('mcp-session-id') ?? ''
  }
  /** Sends a call, and reads no more than the beginning of its answer. */
  const leaveUnread = async (body: unknown, connection: string) => {
    const { port, pathname, search, host: name } = new URL(url)
    const text = JSON.stringify(body)
    const socket = openSocket(Number(port), '127.0.0.1').pause()
    onTestFinished(() => void socket.destroy())
    const types = 'Content-Type: application/json\r\nAccept: application/json, text/event-stream'
    const head = `POST ${pathname}${search} HTTP/1.1\r\nHost: ${name}\r\n${types}\r\nMcp-Session-Id: ${connection}`
    socket.write(`${head}\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
    await once(socket, 'readable')
    return socket
  }
  return { post, open, connect, leaveUnread }
}

const HELLO = {
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
}
const call = (id: number, command: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'execute_command', arguments: { command } },
})

it('a batch with more calls than may run at a time is refused', async () => {
  const { post, connect } = await rawClient()
  const connection = await connect()
  const batch = (calls: number) => Array.from({ length: calls }, (_, id) => call(id, 'echo a'))
  const refused = await post(batch(17), connection)
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { error: { code: -32_600, message: 'A batch has at most 16 calls. Send each call by itself.' } },
  ])
  const answers = await (await post(batch(16), connection)).text()
  expect(batch(16).filter(({ id }) => !answers.includes(`"id":${id}`))).toEqual([])
})

it('a call with the id of one that still runs is refused, and the first one gets its own answer', async () => {
  const { post, connect } = await rawClient()
  const connection = await connect()
  const first = await post(call(7, 'sleep 1; echo first'), connection)
  const second = await post(call(7, 'echo second'), connection)
  expect([second.status, await second.json()]).toMatchObject([
    400,
    { error: { code: -32_600, message: 'A call with the id 7 is still running.' } },
  ])
  const batch = await post([call(8, 'echo a'), call(8, 'echo b')], connection)
  expect([batch.status, await batch.json()]).toMatchObject([
    400,
    { error: { code: -32_600, message: 'Two calls of this batch have the id 8.' } },
  ])
  expect(await first.text()).toContain('first')
  expect(await (await post(call(7, 'echo third'), connection)).text()).toContain('third')
})

it('an id is free again when its call is cancelled', async () => {
  const { post, connect } = await rawClient()
  const connection = await connect()
  const first = await post(call(7, 'sleep 30'), connection)
  await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } }, connection)
  expect(await (await post(call(7, 'echo second'), connection)).text()).toContain('second')
  await first.body?.cancel()
})

it('a client whose call runs keeps its connection when others need a place', async () => {
  const { post, connect } = await rawClient()
  const busy = await connect()
  const running = await post(call(1, 'sleep 4; echo done'), busy)
  const idle = await connect()
  for (let n = 0; n < 30; n++) await connect()
  const start = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(start + 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  await connect()
  expect(await running.text()).toContain('done')
  expect((await post(call(2, 'true'), busy)).status).toBe(200)
  expect((await post(call(2, 'true'), idle)).status).toBe(404)
})

it('clients that connect at once are refused beyond the limit, and the others keep their connections', async () => {
  const { post, open } = await rawClient()
  const answers = await Promise.all(Array.from({ length: 100 }, () => open()))
  const connected = answers.filter(({ status }) => status === 200)
  const refused = answers.filter(({ status }) => status === 503)
  expect([connected.length, refused.length]).toEqual([32, 68])
  expect([refused[0]?.headers.get('retry-after'), await refused[0]?.json()]).toEqual([
    '10',
    {
      error: 'The server has 32 active clients, which is its limit. Try again in 10 seconds, or end a client.',
    },
  ])
  for (const { headers } of connected)
    expect((await post(call(1, 'true'), headers.get('mcp-session-id') ?? '')).status).toBe(200)
  const start = performance.now()
  vi.spyOn(performance, 'now').mockReturnValue(start + 60_000)
  onTestFinished(() => void vi.restoreAllMocks())
  expect((await open()).status).toBe(200)
})

it('a client that reads no answers gets a limited number of calls at a time, and keeps no other client out', async () => {
  const project = testWorkspace({ 'src/big.txt': `${'x'.repeat(99)}\n`.repeat(80_000) })
  const { post, connect, leaveUnread } = await rawClient(project.root)
  const read = (id: number, path: string) => {
    const params = { name: 'read_text_file', arguments: { path } }
    return { jsonrpc: '2.0', id, method: 'tools/call', params }
  }
  const connection = await connect()
  const unread: Socket[] = []
  for (let id = 1; id <= 16; id++) unread.push(await leaveUnread(read(id, 'src/big.txt'), connection))
  let isAnswered = false
  const later = post(read(17, 'src/big.txt'), connection).then((answer) => {
    isAnswered = true
    return answer.text()
  })
  const cancelled = post(read(18, 'src/big.txt'), connection)
  await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 18 } }, connection)
  expect((await cancelled).status).toBe(202)
  const other = await connect()
  expect(await (await post(call(1, 'echo other'), other)).text()).toContain('other')
  expect(await (await post({ jsonrpc: '2.0', id: 19, method: 'ping' }, connection)).text()).toContain('"result":{}')
  expect(isAnswered).toBe(false)
  unread[0]?.destroy()
  expect(await later).toContain('xxx')
})

it('a body that is not valid UTF-8 or not JSON is refused', async () => {
  const { post, connect } = await rawClient()
  const connection = await connect()
  const bodyWith = (...bytes: number[]) => {
    const [before, after] = JSON.stringify(call(1, 'echo X')).split('X')
    return Buffer.concat([Buffer.from(before ?? ''), Buffer.from(bytes), Buffer.from(after ?? '')])
  }
  const broken = await post(bodyWith(0xff, 0xc3), connection)
  expect([broken.status, await broken.json()]).toMatchObject([
    400,
    { id: null, error: { code: -32_700, message: 'The request is not valid UTF-8.' } },
  ])
  expect((await post(Buffer.from('{"a":'), connection)).status).toBe(400)
  expect(await (await post(bodyWith(0xc3, 0xbc), connection)).text()).toContain('ü')
})
