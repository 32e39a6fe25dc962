import { request } from 'node:http'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type McpHostOptions, openMcpHost, serveMcpHttp } from '../../../src/agents/mcp/index.js'
import { startChild } from '../../children/run.js'
import { testWorkspace } from '../../support/workspace.js'
import { callerOf, newClient, textOf } from './fixture.js'

async function serveHttp(options: McpHostOptions = {}) {
  const project = testWorkspace()
  const host = await openMcpHost(project.root, options)
  const { url, close } = await serveMcpHttp(host)
  onTestFinished(async () => {
    await close()
    await host.close()
  })
  return { project, url: new URL(url) }
}

async function connect(url: URL, headers: Record<string, string> = {}): Promise<Client> {
  const client = newClient()
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

/** The status code of a request with exactly these headers. */
async function codeOf(url: URL, headers: Record<string, string>, method = 'POST', body = HELLO): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, headers: { ...headers } }, (answer) => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    outgoing.on('error', reject)
    outgoing.end(method === 'POST' ? body : undefined)
  })
}

const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
})
const TYPES = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

describe('over HTTP', () => {
  it('refuses requests without the token, under another host name, or from another site', async () => {
    const { url } = await serveHttp()
    const bare = new URL('/mcp', url)
    const token = url.searchParams.get('token') ?? ''
    for (const method of ['POST', 'GET', 'DELETE']) {
      expect(await codeOf(bare, TYPES, method)).toBe(401)
      expect(await codeOf(bare, { ...TYPES, authorization: `Bearer ${token}x` }, method)).toBe(401)
      expect(await codeOf(url, { ...TYPES, host: 'evil.example' }, method)).toBe(403)
      expect(await codeOf(url, { ...TYPES, origin: 'http://evil.example' }, method)).toBe(403)
      expect(await codeOf(url, { ...TYPES, origin: 'null' }, method)).toBe(403)
    }
    expect(await codeOf(new URL(`/other${url.search}`, url), TYPES)).toBe(404)
    expect(await codeOf(url, { ...TYPES, 'mcp-session-id': 'unknown' })).toBe(404)
    expect(await codeOf(url, TYPES, 'POST', 'no json')).toBe(400)
    expect(await codeOf(bare, { ...TYPES, authorization: `Bearer ${token}` })).toBe(200)
    expect(await codeOf(url, { ...TYPES, origin: url.origin })).toBe(200)
  })

  it('gives each client its own session, or all of them a shared one if configured', async () => {
    const write = { path: 'src/a.ts', content: 'mine\n' }
    for (const [session, second] of [
      [undefined, 'a one\na two\n'],
      ['shared', 'mine\n'],
    ] as const) {
      const { project, url } = await serveHttp({ intent: 'INT-001', ...(session !== undefined && { session }) })
      const token = url.searchParams.get('token')
      const [one, two] = [await connect(url), await connect(new URL('/mcp', url), { authorization: `Bearer ${token}` })]
      expect((await callerOf(one)('write_file', write)).isError).toBeUndefined()
      expect(textOf(await callerOf(two)('read_text_file', { path: 'src/a.ts' }))).toBe(second)
      await one.close()
      expect(textOf(await callerOf(two)('read_text_file', { path: 'src/b.ts' }))).toBe('b\n')
      expect(project.text('src/a.ts')).toBe('a one\na two\n')
    }
  })

  it("asks the client's user within the call that needs an answer", async () => {
    const { project, url } = await serveHttp({ intent: 'INT-001', askClient: true })
    project.write('.orchestration/policy.yaml', 'access: {src/a.ts: ask, src/b.ts: ask}\n')
    const client = newClient({ elicitation: {} })
    const actions = ['accept', 'decline'] as const
    let at = 0
    client.setRequestHandler(ElicitRequestSchema, async () => ({
      action: actions[at++] ?? 'cancel',
      content: { approve: true },
    }))
    await client.connect(new StreamableHTTPClientTransport(url))
    const write = (path: string) => callerOf(client)('write_file', { path, content: 'x\n' })
    expect((await write('src/a.ts')).isError).toBeUndefined()
    expect((await write('src/b.ts')).isError).toBe(true)
    expect(at).toBe(2)
  })

  it('starts with `escrow mcp --http`, which prints the address', async () => {
    const project = testWorkspace()
    const child = startChild('escrow.ts', 'mcp', '--http', '-C', project.root)
    const url = new URL((await child.line()) ?? '')
    expect(url.hostname).toBe('127.0.0.1')
    const client = await connect(url)
    expect((await client.listTools()).tools.length).toBeGreaterThan(20)
    await child.kill('SIGTERM')
    expect(child.process.exitCode).toBe(0)
  })
})
