import { type openWorkspace, rootOf } from '../../index.js'
import type { formatRefusals } from '../../surface/index.js'
import type { ShellCall } from './arguments.js'
import { NotRun, type ShellEnd, type ShellIo } from './types.js'

/** The library functions of `escrow-sh`, loaded when there is a command to run. */
export interface ShellLibrary {
  readonly openWorkspace: typeof openWorkspace
  readonly formatRefusals: typeof formatRefusals
}

/** Opens the session in this process, runs the command, and closes the session. */
export async function runInProcess(
  { command, session: id, intent }: ShellCall & { readonly session: string },
  { cwd, stdin, write, signal }: ShellIo,
  library: ShellLibrary,
): Promise<ShellEnd> {
  const root = rootOf(cwd)
  if (root === undefined)
    throw new NotRun(
      `There is no escrow workspace in '${cwd}' or any directory above it.`,
      "Run 'escrow init' in the project's directory.",
    )
  const workspace = await library.openWorkspace(root)
  try {
    const session = await workspace.session({ id })
    if (intent !== undefined) await session.selectIntent(intent)
    const { exitCode, refused } = await session.exec(command, {
      cwd,
      signal,
      onOutput: write,
      ...(stdin && { stdin }),
    })
    return { code: exitCode, note: library.formatRefusals(refused) }
  } catch (error) {
    throw toBusyError(error, id) ?? error
  } finally {
    await workspace.close()
  }
}

function toBusyError(error: unknown, id: string): NotRun | undefined {
  if (!(error instanceof Error) || !('reason' in error) || error.reason !== 'session_busy') return undefined
  return new NotRun(
    `Session ${id} is held by another running process.`,
    'Name another session, or start the terminal from that process (docs/embedding.md, serveShell).',
  )
}
