import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clientAgent } from '../../../src/agents/mcp/client-agent.js'
import { openMcpHost } from '../../../src/agents/mcp/index.js'
import { metadataOf, recordsOf, testWorkspace } from '../../support/workspace.js'
import { callerOf, clientOnHost, modernCaller, spawnModernServer } from './fixture.js'

function clientNamed(name: string, version = '2.0'): Client {
  const client = new Client({ name, version })
  onTestFinished(() => client.close())
  return client
}

const write = (path: string) => ({ path, content: 'new\n' })

describe('the agent of a client', () => {
  it.each([
    ['claude-code', 'claude-code'],
    ['codex-mcp-client', 'codex'],
    ['gemini-cli-mcp-client-escrow', 'gemini-cli'],
    ['Cline', 'cline'],
    ['', 'unknown'],
  ])('%s is %s, as its hooks say', (name, tool) => {
    expect(clientAgent({ name, version: '1' }, undefined)).toEqual({ tool, toolVersion: '1' })
  })

  it('is unknown for a client without a name; its model is the one reported with a call', () => {
    const turn = { model: 'gpt-6' }
    expect(clientAgent(undefined, undefined)).toEqual({ tool: 'unknown' })
    for (const value of [turn, JSON.stringify(turn)])
      expect(clientAgent(undefined, { 'x-codex-turn-metadata': value })).toEqual({ tool: 'unknown', model: 'gpt-6' })
    for (const value of ['{', { model: 7 }, { model: '' }, null])
      expect(clientAgent(undefined, { 'x-codex-turn-metadata': value })).toEqual({ tool: 'unknown' })
  })
})

describe('the ledger', () => {
  it('names the client of each call, also in a shared session, with the configured model', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const host = await openMcpHost(project.root, { intent: 'INT-001', session: 'shared', model: 'm-9' })
    const { InMemoryTransport } = await import('@modelcontextprotocol/sdk/inMemory.js')
    for (const [name, path] of [
      ['claude-code', 'src/a.ts'],
      ['codex-mcp-client', 'src/b.ts'],
    ] as const) {
      const client = clientNamed(name)
      const [near, far] = InMemoryTransport.createLinkedPair()
      await host.connect(far)
      await client.connect(near)
      await callerOf(client)('write_file', write(path))
      await callerOf(client)('write_file', write('mail/m.ts'))
    }
    await host.close()
    const denied = (await recordsOf(workspace)).filter((each) => metadataOf(each).type === 'denied')
    const recordedAgent = (tool: string) => ({ tool, tool_version: '2.0', model: 'm-9' })
    const agent = (tool: string) => ({ tool, toolVersion: '2.0', model: 'm-9' })
    expect(denied.map((each) => metadataOf(each).agent)).toEqual([recordedAgent('claude-code'), recordedAgent('codex')])
    const review = await workspace.review('shared')
    await review.approve(['src/a.ts', 'src/b.ts'], { name: 'Ada' })
    await review.commit()
    expect((await workspace.ledger.blame('src/a.ts'))[0]).toMatchObject({ contributor: 'ai', model: 'm-9' })
    expect((await workspace.sessions()).find(({ id }) => id === 'shared')?.agent).toEqual(agent('codex'))
  })

  it('names the client of the newer revision', async () => {
    const project = testWorkspace()
    const client = await spawnModernServer(project.root, '--intent', 'INT-001', '--session', 's')
    await modernCaller(client)('write_file', write('src/a.ts'))
    await client.close()
    const workspace = await project.open()
    expect((await workspace.sessions())[0]?.agent).toEqual({ tool: 'tester', toolVersion: '1' })
  })

  it('shows the program in blame if no model is known', async () => {
    const project = testWorkspace()
    const client = await clientOnHost(
      project.root,
      { intent: 'INT-001', session: 's' },
      clientNamed('codex-mcp-client'),
    )
    await callerOf(client)('write_file', write('src/a.ts'))
    const workspace = await project.open()
    const review = await workspace.review('s')
    await review.approve(['src/a.ts'], { name: 'Ada' })
    await review.commit()
    const [line] = await workspace.ledger.blame('src/a.ts')
    expect(line).toMatchObject({ contributor: 'ai', tool: 'codex' })
    expect(line?.model).toBeUndefined()
  })
})
