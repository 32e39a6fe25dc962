import { join } from 'node:path'
import { type HostHook, type HostName, profileOf } from '../hosts/index.js'
import { killGroup, startOwn } from '../os/child.js'
import { readText } from './files.js'
import { escrowLine, hookCommand } from './texts.js'

/** Milliseconds to wait for an answer. Where the system has `timeout`, the entry ends itself earlier. */
const TIMEOUT_MS = 30_000
/** Characters of its message that are shown. */
const PREVIEW_LENGTH = 300

/**
 * Runs the hook that `escrow init` added for a client as the client would, with an event that changes nothing. For a
 * client without a hook it tests whether the server starts. Resolves to the problem that would make the client refuse
 * each tool or have no server; undefined if there is none.
 */
export async function probeEntry(root: string, client: HostName): Promise<string | undefined> {
  const { hook } = profileOf(client)
  // Its MCP server is found in the same way.
  if (hook === undefined || (client === 'claude' && !hasClaudeCommand(root))) return probeStart(root)
  const [program, args] = hookProcess(root, client, hook)
  const { code, out, err } = await run(program, args, root, JSON.stringify(hook.probe(root)))
  const problem = code === 0 ? problemIn(out) : err.trim() || `It exited with code ${code ?? 'none'}.`
  return problem === undefined ? undefined : firstLine(problem)
}

/** Tests whether a client's server starts. Returns the problem. */
async function probeStart(root: string): Promise<string | undefined> {
  const { code, err } = await run('/bin/sh', ['-c', escrowLine('--version')], root, '')
  return code === 0 ? undefined : firstLine(err.trim() || `It exited with code ${code ?? 'none'}.`)
}

function firstLine(text: string): string {
  return (text.split('\n')[0] ?? '').slice(0, PREVIEW_LENGTH)
}

/** A server may serve its hooks over HTTP instead of a command. */
function hasClaudeCommand(root: string): boolean {
  return readText(root, '.claude/settings.json')?.includes(JSON.stringify(hookCommand('claude'))) === true
}

/** The process as the host starts it. */
function hookProcess(root: string, client: HostName, { program, startsDirectly }: HostHook) {
  if (program !== undefined) return [join(root, program), []] as const
  if (startsDirectly) return ['/bin/sh', ['-c', escrowLine(`hook ${client} --session ${client}`)]] as const
  return ['/bin/sh', ['-c', hookCommand(client)]] as const
}

/** The problem of an answer about a tool that changes nothing. */
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

interface ProcessResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function run(program: string, args: readonly string[], cwd: string, input: string): Promise<ProcessResult> {
  return new Promise((resolve) => {
    const child = startOwn([program, ...args], { cwd, env: process.env, stdio: 'pipe' }, false)
    const timer = setTimeout(() => killGroup(child), TIMEOUT_MS)
    const output = { out: '', err: '' }
    child.stdout?.on('data', (chunk) => {
      output.out += String(chunk)
    })
    child.stderr?.on('data', (chunk) => {
      output.err += String(chunk)
    })
    const finish = (result: ProcessResult) => {
      clearTimeout(timer)
      resolve(result)
    }
    child.once('error', ({ message }) => finish({ code: null, out: '', err: message }))
    child.once('close', (code) => finish({ code, ...output }))
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}
