import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { expect, it } from 'vitest'
import { openMcpHost } from '../../../src/agents/mcp/index.js'
import { testWorkspace } from '../../support/workspace.js'
import { callerOf, newClient } from './fixture.js'

it('keeps the session of a client that it named itself only if it is not empty', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const host = await openMcpHost(project.root, { intent: 'INT-001' })
  const work = async (...calls: [name: string, args: object][]) => {
    const client = newClient()
    const [near, far] = InMemoryTransport.createLinkedPair()
    const { sessionId, ended } = await host.connect(far)
    await client.connect(near)
    for (const [name, args] of calls) await callerOf(client)(name, { ...args })
    await client.close()
    await ended
    return sessionId
  }
  const [idle, reader] = [await work(), await work(['read_text_file', { path: 'src/a.ts' }])]
  const writer = await work(['write_file', { path: 'src/a.ts', content: 'new\n' }])
  expect([idle, reader, writer].map((id) => id.startsWith('mcp-'))).toEqual([true, true, true])
  expect((await workspace.sessions()).map(({ id }) => id)).toEqual([writer])
  await host.close()
})
