import { expect, it, onTestFinished } from 'vitest'
import { openMcpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import { testWorkspace } from '../../support/workspace.js'

/** A client that sends exactly the given bodies. */
async function rawClient() {
  const host = await openMcpHost(testWorkspace().root, { intent: 'INT-001' })
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
  const connect = async () => {
    const answer = await post(HELLO)
    await answer.text()
    return answer.headers.get('mcp-session-id') ?? ''
  }
  return { post, connect }
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
  for (let n = 0; n < 31; n++) await connect()
  expect(await running.text()).toContain('done')
  expect((await post(call(2, 'true'), busy)).status).toBe(200)
  expect((await post(call(2, 'true'), idle)).status).toBe(404)
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
