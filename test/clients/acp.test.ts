import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Editor } from '../agents/acp/scripted-editor.js'
import { CLAUDE, type ClientDriver, CODEX, GEMINI, OPENCODE, readyFixture } from './drivers.js'
import type { ClientFixture } from './fixture.js'
import { adapterProgram, programOf } from './installed.js'
import type { Script } from './model/server.js'
import type { Reply } from './model/turn.js'

/** Drives a real agent of the Agent Client Protocol, started by `escrow acp` as an editor would. */
interface AcpAgent {
  readonly driver: ClientDriver
  command(): readonly string[]
  /** Variables of the editor's settings for the agent. */
  readonly variables?: Readonly<Record<string, string>>
  /** The agent, and the model if it reports one, in the ledger. */
  readonly names: readonly string[]
  /** Whether it asks before each change. */
  readonly asks?: true
  /** The mode in which it does, if that is not its default. */
  readonly careful?: string
  /** The versions of the protocol that it speaks. */
  readonly versions: readonly (1 | 2)[]
  /** The calls by which its model writes a file and runs a command. */
  writes(path: string, text: string, root: string): Reply
  runs(command: string): Reply
}

const AGENTS: Readonly<Record<string, AcpAgent>> = {
  'claude-agent-acp 0.101.0': {
    ...CLAUDE,
    driver: CLAUDE,
    command: () => [adapterProgram('claude-agent-acp')],
    writes: (path, content, root) => CLAUDE.writes(`${root}/${path}`, content),
    asks: true,
    careful: 'default',
    names: ['"@agentclientprotocol/claude-agent-acp"', '"claude-opus-5-5"'],
    versions: [1, 2],
  },
  'codex-acp 2.6.0': {
    ...CODEX,
    driver: CODEX,
    command: () => [adapterProgram('codex-acp')],
    // Its own sandbox cannot run inside ours.
    variables: { INITIAL_AGENT_MODE: 'agent-full-access' },
    names: ['"@agentclientprotocol/codex-acp"', '"gpt-'],
    versions: [1, 2],
  },
  'gemini --acp': {
    ...GEMINI,
    driver: GEMINI,
    command: () => [programOf('gemini'), '--acp', '--model', 'gemini-2.5-pro'],
    asks: true,
    names: ['"gemini-cli"', '"gemini-2.5-pro"'],
    versions: [1],
  },
  'opencode acp': {
    ...OPENCODE,
    driver: OPENCODE,
    command: () => [programOf('opencode'), 'acp'],
    names: ['"OpenCode"', '"scripted/one"'],
    versions: [1],
  },
}

/** Starts the agent, sends one prompt, allows every question, and closes its input when the turn is over. */
async function runPrompt({ driver, command, variables, careful }: AcpAgent, fixture: ClientFixture, version = 1) {
  const envArgs = Object.keys(driver.env(fixture.model.origin)).flatMap((name) => ['--env', name])
  const args = ['acp', '--session', 'whole', '--client', driver.client, '--network', ...envArgs, '--', ...command()]
  const child = spawn('escrow', args, { cwd: fixture.root, env: { ...fixture.env, ...variables } })
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
  const logins = { auth: { terminal: version === 1 ? true : {} }, _meta: { 'terminal-auth': true } }
  const files = { fs: { readTextFile: true, writeTextFile: true }, terminal: true }
  const initialized = await editor.request(
    'initialize',
    version === 1
      ? { protocolVersion: 1, clientCapabilities: { ...files, ...logins } }
      : { protocolVersion: 2, info: { name: 'editor', version: '1' }, capabilities: logins },
  )
  const created = await editor.request('session/new', { cwd: fixture.root, mcpServers: [] })
  const sessionId: unknown = created.result?.sessionId
  const mode = { sessionId, configId: 'mode', ...(version > 1 && { type: 'id' }), value: careful }
  const chosen = careful === undefined ? undefined : await editor.request('session/set_config_option', mode)
  const done = await editor.request('session/prompt', { sessionId, prompt: [{ type: 'text', text: 'Go on.' }] })
  // In version 2 the response says that the prompt arrived, and an update that its turn is over.
  const isIdle = () => editor.received.some(({ params }) => String(params?.update?.state) === 'idle')
  if (version > 1) await expect.poll(isIdle, { timeout: 60_000 }).toBe(true)
  child.stdin.end()
  const [code] = await once(child, 'close')
  return { editor, initialized, created, chosen, done, code, log: () => log }
}

describe.each(Object.entries(AGENTS))('%s', (_, agent) => {
  it.each(agent.versions)(
    'stages its writes and commands in version %i, and exits with 0 when the editor closes',
    async (version) => {
      const script: Script = [
        () => agent.writes('src/new.ts', 'export {}\n', fixture.root),
        agent.runs('echo two > src/two.ts'),
      ]
      const fixture: ClientFixture = await readyFixture(agent.driver, { script })
      const { code, done, initialized, created, chosen, editor, log } = await runPrompt(agent, fixture, version)
      expect([created.error, chosen?.error, done.error], log()).toEqual([undefined, undefined, undefined])
      const { protocolVersion, authMethods = [] } = initialized.result ?? {}
      expect(protocolVersion).toBe(version)
      expect(JSON.stringify(authMethods)).not.toMatch(/"terminal/)
      const asked = editor.received.filter(({ method }) => method === 'session/request_permission')
      const shown =
        agent.asks === undefined ? [] : [/escrow: Nothing is staged/, /escrow: 1 change is staged.*"type":"diff"/]
      expect(asked.map((request) => JSON.stringify(request))).toEqual(shown.map((text) => expect.stringMatching(text)))
      const staged = await fixture.escrow('diff', 'whole')
      for (const path of ['src/new.ts', 'src/two.ts']) expect(staged, log()).toContain(`# ${path}  create`)
      expect([fixture.text('src/new.ts'), fixture.text('src/two.ts')]).toEqual([undefined, undefined])
      expect(code, log()).toBe(0)
      await fixture.escrow('approve', 'whole', '--by', 'Ada')
      await fixture.escrow('commit', 'whole')
      expect(fixture.text('src/two.ts')).toBe('two\n')
      const ledger = fixture.text('.orchestration/agent_trace.jsonl') ?? ''
      const commits = ledger.split('\n').filter((line) => line.includes('"commit"'))
      for (const name of agent.names) expect(commits.at(-1)).toContain(name)
    },
  )
})
