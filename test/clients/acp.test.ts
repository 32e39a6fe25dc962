import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Editor } from '../agents/acp/scripted-editor.js'
import { CLAUDE, type ClientDriver, CODEX, GEMINI, OPENCODE, readyFixture } from './drivers.js'
import type { ClientFixture } from './fixture.js'
import { adapterProgram, programOf } from './installed.js'
import type { Script } from './model/server.js'
import { call, type Reply } from './model/turn.js'

/** Drives a real agent of the Agent Client Protocol, started by `escrow acp` as an editor would. */
interface AcpAgent {
  readonly driver: ClientDriver
  command(): readonly string[]
  /** The calls by which its model writes a file and runs a command. */
  writes(path: string, text: string, root: string): Reply
  runs(command: string): Reply
}

const AGENTS: Readonly<Record<string, AcpAgent>> = {
  'claude-code-acp 0.16.2': {
    driver: CLAUDE,
    command: () => [adapterProgram('claude-code-acp')],
    writes: (path, content, root) => call('mcp__acp__Write', { file_path: `${root}/${path}`, content }),
    runs: (command) => call('mcp__acp__Bash', { command, description: 'Run it', timeout: 60_000 }),
  },
  'codex-acp 0.16.0': {
    ...CODEX,
    driver: CODEX, // Its own sandbox cannot run inside ours.
    command: () => [adapterProgram('codex-acp'), '-c', 'sandbox_mode="danger-full-access"'],
  },
  'gemini --acp': {
    ...GEMINI,
    driver: GEMINI,
    command: () => [programOf('gemini'), '--acp', '--model', 'gemini-2.5-pro'],
  },
  'opencode acp': { ...OPENCODE, driver: OPENCODE, command: () => [programOf('opencode'), 'acp'] },
}

/** Starts the agent, sends one prompt, allows every question, and closes its input. */
async function runPrompt({ driver, command }: AcpAgent, fixture: ClientFixture) {
  const envArgs = Object.keys(driver.env(fixture.model.origin)).flatMap((name) => ['--env', name])
  const args = ['acp', '--session', 'whole', '--client', driver.client, '--network', ...envArgs, '--', ...command()]
  const child = spawn('escrow', args, { cwd: fixture.root, env: fixture.env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let log = ''
  child.stderr.on('data', (chunk) => {
    log += String(chunk)
  })
  const editor = new Editor(child.stdin, child.stdout)
  child.once('exit', () => setImmediate(() => editor.failPending()))
  editor.answerRequest = ({ method, params }) => {
    if (method !== 'session/request_permission') return { result: {} }
    const options: unknown = params?.options
    const all = Array.isArray(options) ? options : []
    const { optionId } = all.find(({ kind }) => kind === 'allow_once') ?? {}
    return { result: { outcome: { outcome: 'selected', optionId } } }
  }
  const fs = { readTextFile: true, writeTextFile: true }
  const initialized = await editor.request('initialize', {
    protocolVersion: 1,
    clientCapabilities: { fs, terminal: true },
  })
  const created = await editor.request('session/new', { cwd: fixture.root, mcpServers: [] })
  const sessionId: unknown = created.result?.sessionId
  const done = await editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go on.' }] })
  child.stdin.end()
  const [code] = await once(child, 'close')
  return { editor, initialized, created, done, code, log: () => log }
}

describe.each(Object.entries(AGENTS))('%s', (_, agent) => {
  it('stages its writes and commands in escrow acp, and exits with 0 when the editor closes', async () => {
    const script: Script = [
      () => agent.writes('src/new.ts', 'export {}\n', fixture.root),
      agent.runs('echo two > src/two.ts'),
    ]
    const fixture: ClientFixture = await readyFixture(agent.driver, { script })
    const { code, done, created, log } = await runPrompt(agent, fixture)
    expect([created.error, done.error, done.result?.stopReason], log()).toEqual([undefined, undefined, 'end_turn'])
    const staged = await fixture.escrow('diff', 'whole')
    for (const path of ['src/new.ts', 'src/two.ts']) expect(staged, log()).toContain(`# ${path}  create`)
    expect([fixture.text('src/new.ts'), fixture.text('src/two.ts')]).toEqual([undefined, undefined])
    expect(code, log()).toBe(0)
  })
})
