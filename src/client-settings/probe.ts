import { join } from 'node:path'
import { type HostHook, type HostName, profileOf } from '../hosts/index.js'
import { killGroup, startOwn } from '../os/child.js'
import { textAt } from './files.js'
import { escrowLine, hookCommand } from './texts.js'

/** Milliseconds an entry has to answer: it ends itself earlier where the system has `timeout`. */
const PATIENCE = 30_000
/** Characters of what it says that are shown. */
const SHOWN = 300

/**
 * Runs the hook that `escrow init` entered for a client as the client would, with one event that changes nothing.
 * Of a client without a hook of ours: whether our server can be started. Resolves to what is wrong: then the client refuses each tool, or
 * has no server. Undefined where it answers.
 */
export async function probeEntry(root: string, client: HostName): Promise<string | undefined> {
  const { hook } = profileOf(client)
  // Its MCP server is found in the same way.
  if (hook === undefined || (client === 'claude' && !hasClaudeCommand(root))) return probeStart(root)
  const [program, args] = hookProgram(root, client, hook)
  const { code, out, err } = await run(program, args, root, JSON.stringify(hook.probe(root)))
  const problem = code === 0 ? problemIn(out) : err.trim() || `It exited with code ${code ?? 'none'}.`
  return problem === undefined ? undefined : firstLine(problem)
}

/** What is wrong where a client's server cannot be started. */
async function probeStart(root: string): Promise<string | undefined> {
  const { code, err } = await run('/bin/sh', ['-c', escrowLine('--version')], root, '')
  return code === 0 ? undefined : firstLine(err.trim() || `It exited with code ${code ?? 'none'}.`)
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, SHOWN)
}

/** Its hooks may be served over HTTP in place of a command. */
function hasClaudeCommand(root: string): boolean {
  return textAt(root, '.claude/settings.json')?.includes(JSON.stringify(hookCommand('claude'))) === true
}

/** As the host starts it. */
function hookProgram(root: string, client: HostName, { program, startsDirectly }: HostHook) {
  if (program !== undefined) return [join(root, program), []] as const
  if (startsDirectly) return ['/bin/sh', ['-c', escrowLine(`hook ${client} --session ${client}`)]] as const
  return ['/bin/sh', ['-c', hookCommand(client)]] as const
}

/** What an answer says against a tool that changes nothing. */
function problemIn(out: string): string | undefined {
  let answer: unknown
  try {
    answer = JSON.parse(out)
  } catch {
    return 'Its output is not an answer of escrow.'
  }
  if (typeof answer !== 'object' || answer === null) return 'Its output is not an answer of escrow.'
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
