import { accessSync, constants } from 'node:fs'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { HookPayload } from '../../hooks/index.js'
import { EscrowError, type Session, type ShellServer, serveShell } from '../../index.js'
import { ExclusiveEnv } from './exclusive-env.js'
import type { LiveMessage, LiveProvider } from './live.js'

/** Whose shell, and which. */
export interface RooShellOptions {
  /** Whose tasks run their commands by it. */
  readonly provider: LiveProvider
  /** `escrow-sh`, absolute; the one of this package unless told. */
  readonly path?: string
  /** What the host's commands inherit; the variables of this process unless told. */
  readonly env?: NodeJS.ProcessEnv
}

/** A call of `execute_command`, the same object before and after it. */
export type CommandCall = Pick<HookPayload, 'params' | 'session'>

/** A session that lets commands in, and how many tasks work in it. */
interface Served {
  readonly server: Promise<ShellServer>
  users: number
}

/**
 * Makes `escrow-sh` the shell of a running Roo, so that its `execute_command` runs contained, in the session of the task that
 * called it. The host forgets its shell with each activation: so do this in each.
 * @throws EscrowError `unsupported` where there is no `escrow-sh`, or the host does not take it
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

/** Which session a command belongs to is told by this process's variables, so one call at a time may have one. */
export class RooShell {
  readonly path: string
  readonly #provider: LiveProvider
  readonly #variables: ExclusiveEnv
  readonly #served = new Map<string, Served>()
  /** Session → the command its call under way is going to run. */
  readonly #awaited = new Map<string, string>()
  /** The latest call that had the variables. */
  #call: CommandCall | undefined
  #isClosed = false
  /** Gives the host back what it had. */
  #giveBack: (() => Promise<void>) | undefined

  constructor({ provider, path = ESCROW_SHELL, env = process.env }: RooShellOptions) {
    this.path = path
    this.#provider = provider
    this.#variables = new ExclusiveEnv(env, ['ESCROW_SESSION_ID', 'ESCROW_SHELL'])
  }

  /** Names the shell to the host, and makes sure that it was heard: what the host has kept of earlier says nothing. */
  async install(): Promise<void> {
    const { contextProxy } = this.#provider
    if (!isAbsolute(this.path) || !isProgram(this.path))
      throw new EscrowError('unsupported', `${this.path} is no program, so it cannot be the shell of the host.`, {
        hint: 'Build escrowfs, or name escrow-sh by its absolute path.',
      })
    this.#giveBack = this.#asItIs()
    await contextProxy.setValue('execaShellPath', undefined)
    await this.#send({ execaShellPath: this.path, terminalShellIntegrationDisabled: true })
    const missing = await this.problem()
    if (missing !== undefined)
      throw new EscrowError('unsupported', `The host did not take the shell it was given: ${missing}.`, {
        hint: 'Without it execute_command is refused; run_command is contained.',
      })
  }

  /** Why a command of the host's would not run by this shell now; undefined where it would. */
  async problem(): Promise<string | undefined> {
    if (this.#isClosed) return 'its shell has been taken away'
    const { contextProxy } = this.#provider
    const { terminalShellIntegrationDisabled: isOwn = true } = await this.#provider.getState()
    if (!isOwn) return 'its commands run in a terminal of the editor (terminalShellIntegrationDisabled is off)'
    if (contextProxy.getValue('execaShellPath') !== this.path) return 'its shell is another one (execaShellPath)'
    return undefined
  }

  /** Lets commands into a session. Not from within a tool call: they would count as a part of it for ever. */
  serve(session: Session): () => Promise<void> {
    const { id } = session
    const admit = (command: string) => this.#admit(id, command)
    const served: Served = this.#served.get(id) ?? { server: serveShell(session, { admit }), users: 0 }
    // Whoever needs it is told.
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

  /** A call begins: its session is the one commands run in, until it ends. Answers with why it cannot be. */
  async enter(call: CommandCall): Promise<string | undefined> {
    const { session, params } = call
    const missing = await this.problem()
    if (missing !== undefined) return missing
    const { command } = params
    if (typeof command !== 'string') return 'it names no command'
    const server = await this.#served.get(session.id)?.server
    if (!server) return "nothing lets commands into this task's session"
    if (!this.#variables.take(call, server.env))
      return "another task's command is under way, and which task a command belongs to could not be told"
    this.#call = call
    this.#awaited.set(session.id, asRun(command))
    return undefined
  }

  /** The host starts no more commands for a session's call: hooks may take a while to hear of it. */
  ran({ id }: Pick<Session, 'id'>): void {
    if (this.#call?.session.id === id) this.#over(this.#call)
  }

  /** What was started while the call was under way still finds its session. */
  leave(call: CommandCall, isDone: boolean): void {
    this.#over(call)
    if (!isDone) this.#awaited.delete(call.session.id)
  }

  /**
   * Commands under way are ended; the host's shell and the variables are as they were. Where a call is under way that comes
   * with its end: the host may be about to start its command, and would do so uncontained.
   */
  async dispose(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const isUnderWay = this.#variables.isHeld
    for (const { server } of this.#served.values()) await server.then((each) => each.close()).catch(() => undefined)
    this.#served.clear()
    if (!isUnderWay) await this.#end()
  }

  #over(call: CommandCall): void {
    if (this.#call !== call) return
    this.#variables.free(call)
    this.#call = undefined
    if (this.#isClosed) void this.#end().catch(() => undefined)
  }

  async #end(): Promise<void> {
    this.#variables.restore()
    const giveBack = this.#giveBack
    this.#giveBack = undefined
    await giveBack?.()
  }

  /** What a person has set meanwhile stays. A shell of ours was left behind by a start that ended badly. */
  #asItIs(): () => Promise<void> {
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

  /** One command for each call, the one that was judged. */
  #admit(session: string, command: string): void {
    const awaited = this.#awaited.get(session)
    if (awaited === command) this.#awaited.delete(session)
    else
      throw new EscrowError('unsupported', 'No tool call under way runs this command, so it was not judged.', {
        hint: 'Each call of execute_command runs the command it names, once.',
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
export const ESCROW_SHELL = fileURLToPath(new URL('../../cli/sh.js', import.meta.url))

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

/** The host reads entities in a command as the characters they stand for, in this order. */
function asRun(command: string): string {
  return ENTITIES.reduce((text, [entity, character]) => text.replaceAll(entity, character), command)
}
