import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Client as ModernClient, type ClientOptions as ModernOptions } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import { type CallToolResult, CallToolResultSchema, type ClientCapabilities } from '@modelcontextprotocol/sdk/types.js'
import { onTestFinished } from 'vitest'
import {
  createMcpServer,
  type McpHostOptions,
  type McpServerOptions,
  openMcpHost,
} from '../../../src/agents/mcp/index.js'
import type { Session } from '../../../src/index.js'
import { compileOnce } from '../../support/compiled.js'

export type Args = Record<string, unknown>
export type Call = (name: string, args?: Args) => Promise<CallToolResult>

export function newClient(capabilities: ClientCapabilities = {}): Client {
  const client = new Client({ name: 'tester', version: '1' }, { capabilities })
  onTestFinished(() => client.close())
  return client
}

export function callerOf(client: Client): Call {
  return async (name, args = {}) => CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
}

/** The official client, connected to a session of this process. */
export async function clientOn(session: Session, options: McpServerOptions = {}): Promise<Client> {
  const client = newClient()
  const [near, far] = InMemoryTransport.createLinkedPair()
  await createMcpServer(session, options).connect(far)
  await client.connect(near)
  return client
}

/** The official client, connected to a host of this process. */
export async function clientOnHost(root: string, options: McpHostOptions, client = newClient()): Promise<Client> {
  const host = await openMcpHost(root, options)
  onTestFinished(() => host.close())
  const [near, far] = InMemoryTransport.createLinkedPair()
  await host.connect(far)
  await client.connect(near)
  return client
}

/** Starts `escrow mcp` as a client does. Returns the client and the process. */
export async function spawnServer(cwd: string, ...options: string[]) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [`${compileOnce()}/test/children/escrow.js`, 'mcp', ...options],
    cwd,
    env: environment(),
    stderr: 'pipe',
  })
  const client = newClient()
  await client.connect(transport)
  return { client, transport, call: callerOf(client) }
}

/** The official filesystem server on a directory. */
export async function filesystemServer(root: string): Promise<Client> {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-filesystem/package.json')
  const args = [`${dirname(manifest)}/dist/index.js`, root]
  const client = newClient()
  await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }))
  return client
}

export function textOf(result: CallToolResult): string {
  const [first] = result.content
  return first?.type === 'text' ? first.text : ''
}

/** The official client passes on only a few variables, so these are this process's own. */
function environment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

/** Only the revision without connections. */
export const MODERN = '2026-07-28'

/** The official client of that revision. */
export function modernClient(options: ModernOptions = {}): ModernClient {
  const client = new ModernClient(
    { name: 'tester', version: '1' },
    { ...options, versionNegotiation: { mode: { pin: MODERN } } },
  )
  onTestFinished(() => client.close())
  return client
}

export function modernCaller(client: ModernClient): Call {
  return async (name, args = {}) => CallToolResultSchema.parse(await client.callTool({ name, arguments: args }))
}

/** Starts `escrow mcp` as such a client does. */
export async function spawnModernServer(cwd: string, ...options: string[]): Promise<ModernClient> {
  const client = modernClient()
  const args = [`${compileOnce()}/test/children/escrow.js`, 'mcp', ...options]
  await client.connect(new ModernStdio({ command: process.execPath, args, cwd, env: environment(), stderr: 'pipe' }))
  return client
}
