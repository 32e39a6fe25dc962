import { z } from 'zod'
import type { ToolEntry } from '../../hooks/index.js'
import type { RunningCommand } from '../../index.js'
import { CODE, RpcFailure } from './message.js'
import { assertAbsolute } from './paths.js'
import type { Tool } from './tool.js'

/** Most bytes of output that a terminal keeps, which is also the default. */
const MAX_OUTPUT_BYTES = 1 << 20
/** Milliseconds for a command to end by itself. */
const GRACE_MS = 1_000

interface Terminal {
  readonly sessionId: unknown
  readonly line: string
  readonly limit: number
  readonly command: RunningCommand
}

const createParams = z.looseObject({
  sessionId: z.string(),
  command: z.string().min(1),
  args: z.array(z.string()).nullish(),
  env: z.array(z.looseObject({ name: z.string().min(1), value: z.string() })).nullish(),
  cwd: z.string().nullish(),
  outputByteLimit: z.number().nonnegative().nullish(),
})
const terminalParams = z.looseObject({ sessionId: z.string(), terminalId: z.string() })

const CREATE: ToolEntry = { class: 'terminal', kind: 'command', writes: () => [], reads: () => [] }

/** The terminals of an agent: contained commands of its session, unknown to the editor. */
export class Terminals {
  readonly #terminals = new Map<string, Terminal>()
  #last = 0

  /** `terminal/create`. Without arguments the command is a shell line, as in editors. */
  readonly create: Tool = {
    entry: CREATE,
    run: async (session, params) => {
      const { sessionId, command, args, env, cwd, outputByteLimit } = createParams.parse(params)
      const hasArguments = args != null && args.length > 0
      const running = await session.start(hasArguments ? [command, ...args] : command, {
        ...(cwd != null && { cwd: assertAbsolute(cwd) }),
        env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      })
      const terminalId = `escrow-${++this.#last}`
      const line = [command, ...(args ?? [])].join(' ')
      const limit = Math.min(outputByteLimit ?? MAX_OUTPUT_BYTES, MAX_OUTPUT_BYTES)
      this.#terminals.set(terminalId, { sessionId, line, limit, command: running })
      return { terminalId }
    },
  }

  async output(params: unknown): Promise<unknown> {
    const terminal = this.#terminalOf(params)
    const exitStatus = terminal.command.state === 'ended' ? await waitForExit(terminal.command) : null
    return { ...outputWithinLimit(terminal), exitStatus }
  }

  async wait(params: unknown): Promise<unknown> {
    return waitForExit(this.#terminalOf(params).command)
  }

  async kill(params: unknown): Promise<unknown> {
    await this.#terminalOf(params).command.stop(GRACE_MS)
    return {}
  }

  async release(params: unknown): Promise<unknown> {
    const { command } = this.#terminalOf(params)
    this.#terminals.delete(terminalParams.parse(params).terminalId)
    await command.stop(GRACE_MS)
    return {}
  }

  /** Stops all commands at once. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#terminals.values()].map(({ command }) => command.stop(0)))
  }

  /** Replaces terminals in a tool call's content by their command and output, because the editor does not know these terminals. */
  withTerminalOutput(content: unknown): unknown {
    if (!Array.isArray(content)) return content
    return content.map((each: unknown) => {
      const embedded = z.looseObject({ type: z.literal('terminal'), terminalId: z.string() }).safeParse(each)
      const terminal = embedded.success ? this.#terminals.get(embedded.data.terminalId) : undefined
      if (terminal === undefined) return each
      const { output } = outputWithinLimit(terminal)
      return { type: 'content', content: { type: 'text', text: `$ ${terminal.line}\n${output}` } }
    })
  }

  #terminalOf(params: unknown): Terminal {
    const { sessionId, terminalId } = terminalParams.parse(params)
    const terminal = this.#terminals.get(terminalId)
    if (terminal?.sessionId !== sessionId || terminal === undefined)
      throw new RpcFailure(CODE.params, `There is no terminal ${terminalId}.`)
    return terminal
  }
}

async function waitForExit(command: RunningCommand): Promise<{ exitCode: number | null; signal: string | null }> {
  const { exitCode } = await command.wait()
  return { exitCode, signal: exitCode === null ? 'SIGKILL' : null }
}

/** The end of the output within the limit, from a character boundary. */
function outputWithinLimit({ command, limit }: Terminal): { output: string; truncated: boolean } {
  const { text, from } = command.read()
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return { output: text, truncated: from > 0 }
  let start = bytes.length - limit
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return { output: bytes.subarray(start).toString('utf8'), truncated: true }
}
