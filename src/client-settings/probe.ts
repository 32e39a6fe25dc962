import { join } from 'node:path'
import { killGroup, startOwn } from '../host/child.js'
import { textAt } from './files.js'
import type { ClientName } from './plans.js'
import { hookCommand } from './texts.js'

/** Milliseconds an entry has to answer: it ends itself earlier where the system has `timeout`. */
const PATIENCE = 30_000
/** Characters of what it says that are shown. */
const SHOWN = 300

/**
 * Runs the hook that `escrow init` entered for a client as the client would, with one event that changes nothing.
 * Resolves to what is wrong: then the client refuses each tool. Undefined where it answers, or has no hook of ours.
 */
export async function probeEntry(root: string, client: ClientName): Promise<string | undefined> {
  const probe = PROBES[client]
  if (probe === undefined || (client === 'claude' && !hasClaudeCommand(root))) return undefined
  const [program, args] = probe.command(root)
  const { code, out, err } = await run(program, args, root, JSON.stringify(probe.event(root)))
  const problem = code === 0 ? problemIn(out) : err.trim() || `It ended with code ${code ?? 'none'}.`
  return problem?.split('\n')[0]?.slice(0, SHOWN)
}

/** Its hooks may be served over HTTP in place of a command. */
function hasClaudeCommand(root: string): boolean {
  return textAt(root, '.claude/settings.json')?.includes(JSON.stringify(hookCommand('claude'))) === true
}

interface Probe {
  command(root: string): readonly [program: string, args: readonly string[]]
  event(root: string): object
}

const byShell = (client: string) => () => ['/bin/sh', ['-c', hookCommand(client)]] as const
const aboutTool = (hook_event_name: string, tool_name: string) => (cwd: string) => ({
  session_id: 'escrow-doctor',
  cwd,
  hook_event_name,
  tool_name,
  tool_input: {},
})

const PROBES: Readonly<Partial<Record<ClientName, Probe>>> = {
  claude: { command: byShell('claude'), event: aboutTool('PreToolUse', 'TodoWrite') },
  codex: { command: byShell('codex'), event: aboutTool('PreToolUse', 'update_plan') },
  gemini: { command: byShell('gemini'), event: aboutTool('BeforeTool', 'write_todos') },
  cline: {
    command: (root) => [join(root, '.clinerules/hooks/PreToolUse'), []],
    event: (root) => ({
      hookName: 'PreToolUse',
      taskId: 'escrow-doctor',
      workspaceRoots: [root],
      preToolUse: { toolName: 'condense', parameters: {} },
    }),
  },
  // Its plugin starts this.
  opencode: {
    command: () => ['escrow', ['hook', 'opencode', '--session', 'opencode']],
    event: (directory) => ({
      event: 'tool.execute.before',
      directory,
      sessionID: 'escrow-doctor',
      tool: 'todoread',
      args: {},
    }),
  },
}

/** What an answer says against a tool that changes nothing. */
function problemIn(out: string): string | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(out)
  } catch {
    return 'What it prints is not an answer.'
  }
  if (typeof answer !== 'object' || answer === null) return 'What it prints is not an answer.'
  const { cancel, errorMessage, go, refuse }: Record<string, unknown> = { ...answer }
  if (cancel === true || go === false) return String(errorMessage ?? refuse)
  return undefined
}

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(program: string, args: readonly string[], cwd: string, input: string): Promise<Ended> {
  return new Promise((resolve) => {
    const child = startOwn([program, ...args], { cwd, env: process.env, stdio: 'pipe' }, false)
    const late = setTimeout(() => killGroup(child), PATIENCE)
    const said = { out: '', err: '' }
    child.stdout?.on('data', (chunk) => {
      said.out += String(chunk)
    })
    child.stderr?.on('data', (chunk) => {
      said.err += String(chunk)
    })
    const finish = (end: Ended) => {
      clearTimeout(late)
      resolve(end)
    }
    child.once('error', ({ message }) => finish({ code: null, out: '', err: message }))
    child.once('close', (code) => finish({ code, ...said }))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
