import { rootOf } from '../../index.js'
import { errorText, ownerSocketOf } from '../../surface/index.js'
import { oneLine } from '../printable.js'
import { parseShellArguments, USAGE } from './arguments.js'
import { runInOwner } from './in-owner.js'
import { runInProcess, type ShellLibrary } from './in-process.js'
import type { ShellEnd, ShellIo } from './types.js'

/** Exit codes of shells: wrong usage, and a command that could not be run. */
const USAGE_CODE = 2
const NOT_RUN_CODE = 126
/** Exit code of a command that a limit ended, as of timeout(1). */
const TIMED_OUT_CODE = 124

/** Runs one call of `escrow-sh`. If it fails, the command is never run uncontained. */
export async function runShell(
  argv: readonly string[],
  io: ShellIo,
  env: NodeJS.ProcessEnv,
  library: () => Promise<ShellLibrary>,
): Promise<number> {
  const writeError = (text: string) => io.write(Buffer.from(text), 'stderr')
  const call = parseShellArguments(argv, env)
  if (typeof call === 'string') {
    writeError(`escrow-sh: ${oneLine(call)}\n${USAGE}`)
    return USAGE_CODE
  }
  try {
    const { code, note } = await runCommand(call, io, env, library)
    if (note !== '') writeError(`escrow: ${note}\n`)
    return code ?? TIMED_OUT_CODE
  } catch (error) {
    writeError(`escrow-sh: not run: ${oneLine(errorText(error))}\n`)
    const hint = typeof error === 'object' && error !== null && 'hint' in error ? error.hint : undefined
    if (typeof hint === 'string' && hint !== '') writeError(`${oneLine(hint)}\n`)
    return NOT_RUN_CODE
  }
}

async function runCommand(
  call: Exclude<ReturnType<typeof parseShellArguments>, string>,
  io: ShellIo,
  env: NodeJS.ProcessEnv,
  library: () => Promise<ShellLibrary>,
): Promise<ShellEnd> {
  if (env.ESCROW_SESSION) throw new Error(`This runs inside of session ${env.ESCROW_SESSION} already.`)
  const { session } = call
  if (session === undefined) throw new Error('No session was given. Set ESCROW_SESSION_ID, or pass --session.')
  const isServed = env.ESCROW_SHELL !== undefined && session === env.ESCROW_SESSION_ID
  if (isServed && env.ESCROW_SHELL) return runInOwner(call.command, env.ESCROW_SHELL, io)
  const socket = findOwnerSocket(io.cwd, session)
  return socket === undefined
    ? runInProcess({ ...call, session }, io, await library())
    : runInOwner(call.command, socket, io)
}

/** The socket of the process that owns the session, such as a client's MCP server. */
function findOwnerSocket(cwd: string, session: string): string | undefined {
  const root = rootOf(cwd)
  return root === undefined ? undefined : ownerSocketOf(root, session)
}
