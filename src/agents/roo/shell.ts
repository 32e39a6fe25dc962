import { accessSync, constants } from 'node:fs'
import { isAbsolute, join } from 'node:path'
import type { HookPayload } from '../../hooks/index.js'
import { EscrowError, type Session, type ShellServer, serveShell } from '../../index.js'
import { packageRoot } from '../../surface/index.js'
import { ExclusiveEnv } from './exclusive-env.js'
import type { LiveMessage, LiveProvider } from './live.js'

/** The provider whose shell is replaced, and the replacement. */
export interface RooShellOptions {
  /** The provider of the tasks whose commands run in the shell. */
  readonly provider: LiveProvider
  /** Absolute path of `escrow-sh`; this package's by default. */
  readonly path?: string
  /** Environment of the host's commands; `process.env` by default. */
  readonly env?: NodeJS.ProcessEnv
}

/** A call of `execute_command`. Start and end are matched by identity. */
export type CommandCall = Pick<HookPayload, 'params' | 'session'>

/** A session that accepts commands, with the number of its tasks. */
interface ServedSession {
  readonly server: Promise<ShellServer>
  users: number
}

/**
 * Makes `escrow-sh` the shell of a running Roo, so that `execute_command` runs contained in the session of the calling task. The host
 * forgets its shell on each activation, so call this on each.
 * @throws EscrowError `unsupported` if `escrow-sh` is missing or the host does not accept it
 */
export async function rooShell(options: RooShellOptions): Promise<RooShell> {
  const shell = new RooShell(options)
  try {
    await shell.install()
  } catch (error) {
    await shell.dispose()
    throw error
  }
  return shell
}

/** Variables of this process name the session of a command, so only one call at a time can run commands. */
export class RooShell {
  readonly path: string
  readonly #provider: LiveProvider
  readonly #variables: ExclusiveEnv
  readonly #served = new Map<string, ServedSession>()
  /** By session: the command that its current call will run. */
  readonly #awaited = new Map<string, string>()
  /** The last call that owned the variables. */
  #call: CommandCall | undefined
  #isClosed = false
  /** Restores the host's own settings. */
  #restoreSettings: (() => Promise<void>) | undefined

  constructor({ provider, path = ESCROW_SHELL, env = process.env }: RooShellOptions) {
    this.path = path
    this.#provider = provider
    this.#variables = new ExclusiveEnv(env, ['ESCROW_SESSION_ID', 'ESCROW_SHELL'])
  }

  /** Sends the shell setting to the host and waits for its confirmation; a stored value from earlier proves nothing. */
  async install(): Promise<void> {
    const { contextProxy } = this.#provider
    if (!isAbsolute(this.path) || !isProgram(this.path))
      throw new EscrowError(
        'unsupported',
        `${this.path} is not an executable file, so it cannot be the host's shell.`,
        {
          hint: 'Build escrowfs, or give the absolute path of escrow-sh.',
        },
      )
    this.#restoreSettings = this.#captureSettings()
    await contextProxy.setValue('execaShellPath', undefined)
    await this.#send({ execaShellPath: this.path, terminalShellIntegrationDisabled: true })
    const missing = await this.problem()
    if (missing !== undefined)
      throw new EscrowError('unsupported', `The host does not use the shell that escrow set: ${missing}.`, {
        hint: 'Until it does, execute_command is refused. run_command works, contained.',
      })
  }

  /** Why the host would not use this shell now; undefined if it would. */
  async problem(): Promise<string | undefined> {
    if (this.#isClosed) return 'its shell was removed'
    const { contextProxy } = this.#provider
    const { terminalShellIntegrationDisabled: isOwn = true } = await this.#provider.getState()
    if (!isOwn) return 'its commands run in an editor terminal (terminalShellIntegrationDisabled is off)'
    if (contextProxy.getValue('execaShellPath') !== this.path) return 'another shell is set (execaShellPath)'
    return undefined
  }

  /** Opens a session to commands. Must not run within a tool call: its async context would attach every command to that call. */
  serve(session: Session): () => Promise<void> {
    const { id } = session
    const admit = (command: string) => this.#admit(id, command)
    const served: ServedSession = this.#served.get(id) ?? { server: serveShell(session, { admit }), users: 0 }
    // Each user of the session reports the failure itself.
    served.server.catch(() => undefined)
    served.users++
    this.#served.set(id, served)
    let isUsed = true
    return async () => {
      if (!isUsed) return
      isUsed = false
      if (--served.users > 0) return
      this.#served.delete(id)
      this.#awaited.delete(id)
      this.ran(session)
      await served.server.then((server) => server.close()).catch(() => undefined)
    }
  }

  /** Starts a call: commands run in its session until it ends. Returns the reason if it cannot start. */
  async enter(call: CommandCall): Promise<string | undefined> {
    const { session, params } = call
    const missing = await this.problem()
    if (missing !== undefined) return missing
    const { command } = params
    if (typeof command !== 'string') return 'it names no command'
    const server = await this.#served.get(session.id)?.server
    if (!server) return "this task's session accepts no commands"
    if (!this.#variables.take(call, server.env))
      return "another task's command is running, and the two could not be told apart"
    this.#call = call
    this.#awaited.set(session.id, decodeCommand(command))
    return undefined
  }

  /** The session's call starts no more commands, although its hooks may still be running. */
  ran({ id }: Pick<Session, 'id'>): void {
    if (this.#call?.session.id === id) this.#onCallEnd(this.#call)
  }

  /** A command that was started during the call still finds its session. */
  leave(call: CommandCall, isDone: boolean): void {
    this.#onCallEnd(call)
    if (!isDone) this.#awaited.delete(call.session.id)
  }

  /**
   * Ends running commands and restores the host's shell and variables. During a call the restore waits for its end, because the host
   * may be about to start the command and would start it uncontained.
   */
  async dispose(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const isUnderWay = this.#variables.isHeld
    for (const { server } of this.#served.values()) await server.then((each) => each.close()).catch(() => undefined)
    this.#served.clear()
    if (!isUnderWay) await this.#shutDown()
  }

  #onCallEnd(call: CommandCall): void {
    if (this.#call !== call) return
    this.#variables.release(call)
    this.#call = undefined
    if (this.#isClosed) void this.#shutDown().catch(() => undefined)
  }

  async #shutDown(): Promise<void> {
    this.#variables.restore()
    const giveBack = this.#restoreSettings
    this.#restoreSettings = undefined
    await giveBack?.()
  }

  /** Keeps a shell that a person has set since then. A shell of ours is a leftover of a failed start. */
  #captureSettings(): () => Promise<void> {
    const { contextProxy } = this.#provider
    const shell = contextProxy.getValue('execaShellPath')
    const terminal = contextProxy.getValue('terminalShellIntegrationDisabled')
    return async () => {
      const isOurs = contextProxy.getValue('execaShellPath') === this.path
      const isOff = contextProxy.getValue('terminalShellIntegrationDisabled') === true
      await this.#send({
        ...(isOurs && { execaShellPath: typeof shell === 'string' && shell !== this.path ? shell : undefined }),
        ...(isOff && { terminalShellIntegrationDisabled: terminal === false ? false : undefined }),
      })
    }
  }

  /** Each call may run one command: the judged one. */
  #admit(session: string, command: string): void {
    const awaited = this.#awaited.get(session)
    if (awaited === command) this.#awaited.delete(session)
    else
      throw new EscrowError('unsupported', 'No running tool call has this command, so it was not checked.', {
        hint: 'Each call of execute_command runs exactly its own command, once.',
      })
  }

  async #send(updatedSettings: LiveMessage['updatedSettings']): Promise<void> {
    let handle: ((message: LiveMessage) => PromiseLike<unknown>) | undefined
    this.#provider.setWebviewMessageListener({
      onDidReceiveMessage(listener) {
        handle = listener
        return { dispose: () => undefined }
      },
    })
    await handle?.({ type: 'updateSettings', updatedSettings })
  }
}

/** The `escrow-sh` of this package. */
export const ESCROW_SHELL = join(packageRoot(), 'dist/src/cli/sh.js')

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const ENTITIES = [
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
  ['&apos;', "'"],
  ['&#91;', '['],
  ['&#93;', ']'],
  ['&lsqb;', '['],
  ['&rsqb;', ']'],
  ['&amp;', '&'],
] as const

/** HTML entities that the host decodes in a command, in its order. */
function decodeCommand(command: string): string {
  return ENTITIES.reduce((text, [entity, character]) => text.replaceAll(entity, character), command)
}
