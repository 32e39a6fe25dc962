import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { DENIAL, type McpHostOptions, openMcpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import { testWorkspace } from '../../support/workspace.js'
import { MODERN, modernCaller, modernClient, spawnModernServer, spawnServer, textOf } from './fixture.js'

/** Clients of the revision without connections. The other tests use the revision with them. */

const WRITE = { path: 'src/a.ts', content: 'mine\n' }

async function serveHttp(options: McpHostOptions = {}) {
  const project = testWorkspace()
  const host = await openMcpHost(project.root, options)
  const { url, close } = await serveMcpHttp(host)
  onTestFinished(async () => {
    await close()
    await host.close()
  })
  const connect = async (query = '', client = modernClient()) => {
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}${query}`)))
    return client
  }
  return { project, connect }
}

describe('over stdio', () => {
  it('a client of either revision gets the same tools, stages by them, and is refused with the same message', async () => {
    const [old, young] = [testWorkspace(), testWorkspace()]
    const elder = await spawnServer(old.root, '--session', 's', '--intent', 'INT-001')
    const client = await spawnModernServer(young.root, '--session', 's', '--intent', 'INT-001')
    expect(client.getNegotiatedProtocolVersion()).toBe(MODERN)
    const names = async (of: { listTools(): Promise<{ tools: { name: string }[] }> }) =>
      (await of.listTools()).tools.map(({ name }) => name)
    expect(await names(client)).toEqual(await names(elder.client))
    const call = modernCaller(client)
    expect((await call('write_file', WRITE)).isError).toBeUndefined()
    expect(textOf(await call('read_text_file', { path: 'src/a.ts' }))).toBe('mine\n')
    expect(young.text('src/a.ts')).toBe('a one\na two\n')
    const outside = { ...WRITE, path: 'README.md' }
    const [refused, same] = [await call('write_file', outside), await elder.call('write_file', outside)]
    expect(refused._meta?.[DENIAL]).toMatchObject({ reason: 'scope_violation' })
    expect([refused.isError, refused.content, refused._meta?.[DENIAL]]).toEqual([
      true,
      same.content,
      same._meta?.[DENIAL],
    ])
  })
})

describe('over HTTP', () => {
  it('works in the session of its address, else in a shared one', async () => {
    const { project, connect } = await serveHttp({ intent: 'INT-001' })
    const [one, two, other] = [await connect(), await connect(), await connect('&session=other')]
    expect((await modernCaller(one)('write_file', WRITE)).isError).toBeUndefined()
    const read = async (client: typeof one) =>
      textOf(await modernCaller(client)('read_text_file', { path: 'src/a.ts' }))
    expect([await read(one), await read(two), await read(other)]).toEqual(['mine\n', 'mine\n', 'a one\na two\n'])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('fails for an invalid session id instead of opening another session', async () => {
    const { connect } = await serveHttp({ intent: 'INT-001' })
    await expect(
      connect('&session=..%2Fx').then((client) => modernCaller(client)('write_file', WRITE)),
    ).rejects.toThrow()
  })

  it('notifies listeners of changes by others', async () => {
    const { connect } = await serveHttp({ intent: 'INT-001', session: 's' })
    const [listening, working] = [modernClient(), await connect()]
    const updatedUris: string[] = []
    listening.setNotificationHandler(
      'notifications/resources/updated',
      ({ params }) => void updatedUris.push(params.uri),
    )
    await connect('', listening)
    await listening.listen({ resourceSubscriptions: ['stage://s/diff'] })
    await modernCaller(working)('write_file', WRITE)
    await vi.waitFor(() => expect(updatedUris).toContain('stage://s/diff'), { timeout: 5_000 })
  })

  it("asks the client's user through its result, and continues when it is called again", async () => {
    const { project, connect } = await serveHttp({ intent: 'INT-001', askClient: true })
    project.write('.orchestration/policy.yaml', 'approval: {modal: all}\n')
    const client = modernClient({ capabilities: { elicitation: {} } })
    const questions: string[] = []
    const says = [true, false]
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      questions.push(params.message)
      return { action: 'accept', content: { approve: says.shift() ?? false } }
    })
    await connect('', client)
    const call = modernCaller(client)
    expect((await call('write_file', WRITE)).isError).toBeUndefined()
    expect((await call('write_file', { ...WRITE, path: 'src/b.ts' })).isError).toBe(true)
    expect(questions).toEqual([expect.stringContaining('src/a.ts'), expect.stringContaining('src/b.ts')])
    // A client that cannot ask is refused at once.
    expect((await modernCaller(await connect())('write_file', WRITE)).isError).toBe(true)
  })
})
