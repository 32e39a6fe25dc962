import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientFixture, clientFixture, type Ended, type FixtureOptions } from './fixture.js'
import { programOf } from './installed.js'
import { call, type Reply } from './model/turn.js'
import type { RealClient } from './versions.js'

/** Drives one real client: how to start it, and how a model calls its tools. */
export interface ClientDriver {
  readonly client: RealClient
  /** Variables with the model's address and a login. */
  env(origin: string): Readonly<Record<string, string>>
  /** Writes the settings of a user who has logged in and trusts the workspace. */
  prepare(fixture: ClientFixture): void
  /** The command line for one prompt, with all tools allowed. */
  command(fixture: ClientFixture): readonly [program: string, ...args: string[]]
  /** A settings file, relative to the home directory. */
  readonly settings: string
  /** A call of its own tool that writes a file. */
  writes(path: string, text: string): Reply
  /** A call of its own terminal. */
  runs(command: string): Reply
  /** A call of its own tool that reads a file, or of its terminal if it has none. */
  reads(path: string): Reply
  /** Its name in the ledger, if it reports its model: to its hooks, with a call or in its transcript. */
  readonly saysModel?: string
  /** True if its model gets the intent only with its first tool call. */
  readonly isToldByTools?: true
  /** True if it sends the first request without the tools of a server that takes three seconds to start. */
  readonly skipsSlowServers?: true
  /** True if no hook can keep a turn from ending. */
  readonly endsUnheard?: true
  /** A call of a tool of our MCP server. */
  ours(tool: string, input: Readonly<Record<string, unknown>>): Reply
}

export const CLAUDE: ClientDriver = {
  client: 'claude',
  saysModel: 'claude-code',
  settings: '.claude/settings.json',
  env: (origin) => ({
    ...{ ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: 'sk-ant-scripted' },
    ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', DISABLE_AUTOUPDATER: '1' },
  }),
  prepare({ home, root }) {
    const projects = { [root]: { hasTrustDialogAccepted: true } }
    put(home, '.claude.json', JSON.stringify({ hasCompletedOnboarding: true, projects }))
  },
  command: () => [
    programOf('claude'),
    ...['-p', 'Go on.', '--output-format', 'json', '--allowedTools', 'Bash,Write,Edit'],
  ],
  writes: (path, content) => call('Write', { file_path: path, content }),
  runs: (command) => call('Bash', { command, description: 'Run it' }),
  reads: (file_path) => call('Read', { file_path }),
  ours: (tool, input) => call(`mcp__escrow__${tool}`, input),
}

export const CODEX: ClientDriver = {
  client: 'codex',
  saysModel: 'codex',
  settings: '.codex/config.toml',
  env: () => ({ OPENAI_API_KEY: 'sk-scripted' }),
  prepare({ home, root, model }) {
    put(home, '.codex/config.toml', CODEX_SETTINGS(model.origin, root))
  },
  command: () => [
    programOf('codex'),
    ...['exec', '--json', '--dangerously-bypass-hook-trust', '--sandbox', 'danger-full-access', 'Go on.'],
  ],
  writes: (path, text) =>
    call('apply_patch', `*** Begin Patch\n*** Add File: ${path}\n+${text.trimEnd()}\n*** End Patch\n`),
  runs: (cmd) => call('exec_command', { cmd }),
  reads: (path) => call('exec_command', { cmd: `cat ${path}` }),
  ours: (tool, input) => call(`mcp__escrow__${tool}`, input),
}

const CODEX_SETTINGS = (origin: string, root: string) => `model_provider = "scripted"

[model_providers.scripted]
name = "scripted"
base_url = "${origin}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"

[projects."${root}"]
trust_level = "trusted"
`

export const GEMINI: ClientDriver = {
  client: 'gemini',
  saysModel: 'gemini-cli',
  settings: '.gemini/settings.json',
  env: (origin) => ({
    ...{ GEMINI_API_KEY: 'scripted', GOOGLE_GEMINI_BASE_URL: origin, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
  prepare({ home }) {
    put(home, '.gemini/settings.json', '{"security":{"auth":{"selectedType":"gemini-api-key"}}}\n')
  },
  command: () => [programOf('gemini'), '-p', 'Go on.', '--yolo', '-o', 'json'],
  writes: (file_path, content) => call('write_file', { file_path, content }),
  runs: (command) => call('run_shell_command', { command }),
  reads: (file_path) => call('read_file', { file_path }),
  ours: (tool, input) => call(`mcp_escrow_${tool}`, input),
}

export const OPENCODE: ClientDriver = {
  client: 'opencode',
  endsUnheard: true,
  settings: '.config/opencode/opencode.json',
  env: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  prepare({ home, model }) {
    const options = { baseURL: `${model.origin}/v1`, apiKey: 'scripted' }
    const provider = { npm: '@ai-sdk/openai-compatible', options, models: { one: { name: 'One', tool_call: true } } }
    put(
      home,
      '.config/opencode/opencode.json',
      JSON.stringify({ model: 'scripted/one', provider: { scripted: provider } }),
    )
  },
  command: () => [programOf('opencode'), 'run', '--format', 'json', '--auto', 'Go on.'],
  writes: (filePath, content) => call('write', { filePath, content }),
  runs: (command) => call('bash', { command, description: 'Run it' }),
  reads: (filePath) => call('read', { filePath }),
  ours: (tool, input) => call(`escrow_${tool}`, input),
}

export const CLINE: ClientDriver = {
  client: 'cline',
  isToldByTools: true,
  skipsSlowServers: true,
  endsUnheard: true,
  settings: '.cline/data/settings/cline_mcp_settings.json',
  env: () => ({ CLINE_TELEMETRY_DISABLED: '1' }),
  prepare({ home, model }) {
    const settings = { provider: 'openai-compatible', apiKey: 'scripted', model: 'one', baseUrl: `${model.origin}/v1` }
    const entry = { settings, updatedAt: '2026-01-01T00:00:00.000Z', tokenSource: 'manual' }
    const providers = { version: 1, lastUsedProvider: 'openai-compatible', providers: { 'openai-compatible': entry } }
    put(home, '.cline/data/settings/providers.json', JSON.stringify(providers))
    const server = { command: 'escrow', args: ['mcp', '--session', 'cline'] }
    put(home, '.cline/data/settings/cline_mcp_settings.json', JSON.stringify({ mcpServers: { escrow: server } }))
  },
  command: () => [programOf('cline'), '--json', 'Go on.'],
  writes: (path, new_text) => call('editor', { path, new_text }),
  runs: (command) => call('run_commands', { commands: [command] }),
  reads: (path) => call('read_files', { files: [{ path }] }),
  ours: (tool, input) => call(`escrow__${tool}`, input),
}

/** A fixture with a client that `escrow init` has set up. */
export async function governedFixture(driver: ClientDriver, options: FixtureOptions): Promise<ClientFixture> {
  const fixture = await readyFixture(driver, options)
  await fixture.escrow('init', `--${driver.client}`, '-y')
  return fixture
}

/** A fixture with a client that is ready to work, and knows nothing of us. */
export async function readyFixture(driver: ClientDriver, options: FixtureOptions): Promise<ClientFixture> {
  const fixture = await clientFixture({ ...options, env: (origin) => driver.env(origin) })
  driver.prepare(fixture)
  return fixture
}

/** Sends the client a prompt, and waits for its exit. */
export function runPrompt(driver: ClientDriver, fixture: ClientFixture): Promise<Ended> {
  const [program, ...args] = driver.command(fixture)
  return fixture.run(program, args)
}

/** {@link runPrompt} through `escrow run`. */
export function runEnclosed(driver: ClientDriver, fixture: ClientFixture): Promise<Ended> {
  const envArgs = Object.keys(driver.env(fixture.model.origin)).flatMap((name) => ['--env', name])
  return fixture.run('escrow', ['run', '--session', 'whole', '--network', ...envArgs, '--', ...driver.command(fixture)])
}

export function put(home: string, path: string, text: string): void {
  mkdirSync(join(home, path, '..'), { recursive: true })
  writeFileSync(join(home, path), text)
}
