import { z } from 'zod'
import type { ToolEntry } from '../../hooks/index.js'
import type { RunningCommand } from '../../index.js'
import { CODE, RpcFailure } from './message.js'
import { absolute } from './paths.js'
import type { Tool } from './tool.js'

/** Bytes of output a terminal shows unless told: as many as are held of it. */
const SHOWN = 1 << 20
/** Milliseconds a command has to end by itself. */
const GRACE = 1_000

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
const namedParams = z.looseObject({ sessionId: z.string(), terminalId: z.string() })

const CREATE: ToolEntry = { class: 'terminal', kind: 'command', writes: () => [], reads: () => [] }

/** The terminals an agent has asked for: commands of its session, contained, which the editor never hears of. */
export class Terminals {
  readonly #all = new Map<string, Terminal>()
  #last = 0

  /** `terminal/create`. Without arguments the command is a line of the shell, as editors have it. */
  readonly create: Tool = {
    entry: CREATE,
    run: async (session, params) => {
      const { sessionId, command, args, env, cwd, outputByteLimit } = createParams.parse(params)
      const hasArguments = args != null && args.length > 0
      const running = await session.start(hasArguments ? [command, ...args] : command, {
        ...(cwd != null && { cwd: absolute(cwd) }),
        env: Object.fromEntries((env ?? []).map(({ name, value }) => [name, value])),
      })
      const terminalId = `escrow-${++this.#last}`
      const line = [command, ...(args ?? [])].join(' ')
      const limit = Math.min(outputByteLimit ?? SHOWN, SHOWN)
      this.#all.set(terminalId, { sessionId, line, limit, command: running })
      return { terminalId }
    },
  }

  async output(params: unknown): Promise<unknown> {
    const terminal = this.#terminalOf(params)
    const exitStatus = terminal.command.state === 'ended' ? await exitOf(terminal.command) : null
    return { ...outputWithinLimit(terminal), exitStatus }
  }

  async wait(params: unknown): Promise<unknown> {
    return exitOf(this.#terminalOf(params).command)
  }

  async kill(params: unknown): Promise<unknown> {
    await this.#terminalOf(params).command.stop(GRACE)
    return {}
  }

  async release(params: unknown): Promise<unknown> {
    const { command } = this.#terminalOf(params)
    this.#all.delete(namedParams.parse(params).terminalId)
    await command.stop(GRACE)
    return {}
  }

  /** Ends all of them, at once. */
  async close(): Promise<void> {
    await Promise.allSettled([...this.#all.values()].map(({ command }) => command.stop(0)))
  }

  /** Content of a tool call as an editor can show it, which does not know these terminals: what was run, and what it said. */
  withTerminalOutput(content: unknown): unknown {
    if (!Array.isArray(content)) return content
    return content.map((each: unknown) => {
      const embedded = z.looseObject({ type: z.literal('terminal'), terminalId: z.string() }).safeParse(each)
      const terminal = embedded.success ? this.#all.get(embedded.data.terminalId) : undefined
      if (terminal === undefined) return each
      const { output } = outputWithinLimit(terminal)
      return { type: 'content', content: { type: 'text', text: `$ ${terminal.line}\n${output}` } }
    })
  }

  #terminalOf(params: unknown): Terminal {
    const { sessionId, terminalId } = namedParams.parse(params)
    const terminal = this.#all.get(terminalId)
    if (terminal?.sessionId !== sessionId || terminal === undefined)
      throw new RpcFailure(CODE.params, `There is no terminal ${terminalId}.`)
    return terminal
  }
}

async function exitOf(command: RunningCommand): Promise<{ exitCode: number | null; signal: string | null }> {
  const { exitCode } = await command.wait()
  return { exitCode, signal: exitCode === null ? 'SIGKILL' : null }
}

/** The end of what was said, from the beginning of a character. */
function outputWithinLimit({ command, limit }: Terminal): { output: string; truncated: boolean } {
  const { text, from } = command.read()
  const bytes = Buffer.from(text)
  if (bytes.length <= limit) return { output: text, truncated: from > 0 }
  let start = bytes.length - limit
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return { output: bytes.subarray(start).toString('utf8'), truncated: true }
}
