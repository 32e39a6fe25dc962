import { rootOf } from '../../index.js'
import { errorText, ownerSocketOf } from '../../surface/index.js'
import { oneLine } from '../printable.js'
import { shellCall, USAGE } from './arguments.js'
import type { ShellEnd, ShellIo } from './ending.js'
import { runHere, type ShellLibrary } from './here.js'
import { runThere } from './there.js'

/** As shells have them: wrong usage, and what could not be run. */
const USAGE_CODE = 2
const NOT_RUN = 126
/** Of a command that was ended by a limit: as timeout(1). */
const ENDED = 124

/** Runs one call of `escrow-sh`. Whatever goes wrong, the command is never run in another way. */
export async function runShell(
  argv: readonly string[],
  io: ShellIo,
  env: NodeJS.ProcessEnv,
  library: () => Promise<ShellLibrary>,
): Promise<number> {
  const complain = (text: string) => io.write(Buffer.from(text), 'stderr')
  const call = shellCall(argv, env)
  if (typeof call === 'string') {
    complain(`escrow-sh: ${oneLine(call)}\n${USAGE}`)
    return USAGE_CODE
  }
  try {
    const { code, note } = await runCommand(call, io, env, library)
    if (note !== '') complain(`escrow: ${note}\n`)
    return code ?? ENDED
  } catch (error) {
    complain(`escrow-sh: not run: ${oneLine(errorText(error))}\n`)
    const hint = typeof error === 'object' && error !== null && 'hint' in error ? error.hint : undefined
    if (typeof hint === 'string' && hint !== '') complain(`${oneLine(hint)}\n`)
    return NOT_RUN
  }
}

async function runCommand(
  call: Exclude<ReturnType<typeof shellCall>, string>,
  io: ShellIo,
  env: NodeJS.ProcessEnv,
  library: () => Promise<ShellLibrary>,
): Promise<ShellEnd> {
  if (env.ESCROW_SESSION) throw new Error(`This runs inside of session ${env.ESCROW_SESSION} already.`)
  const { session } = call
  if (session === undefined) throw new Error('No session was given. Set ESCROW_SESSION_ID, or pass --session.')
  const isServed = env.ESCROW_SHELL !== undefined && session === env.ESCROW_SESSION_ID
  if (isServed && env.ESCROW_SHELL) return runThere(call.command, env.ESCROW_SHELL, io)
  const door = doorIn(io.cwd, session)
  return door === undefined ? runHere({ ...call, session }, io, await library()) : runThere(call.command, door, io)
}

/** The socket of a session that another process owns, a client's MCP server for instance. */
function doorIn(cwd: string, session: string): string | undefined {
  const root = rootOf(cwd)
  return root === undefined ? undefined : ownerSocketOf(root, session)
}
