import { buildJsonToolError, type HookError, type HookPayload, type ToolHook } from '../../hooks/index.js'
import type { RooShell } from './shell.js'

/** How the commands of a running Roo are governed. */
export interface LiveLimits {
  /**
   * Roo's own terminal runs commands on the disk, uncontained: they are refused unless this says `host`, or there is a shell
   * that contains them.
   */
  readonly commands?: 'refuse' | 'host'
  /** Runs them contained. While it is not in place they are refused, whatever `commands` says. */
  readonly shell?: RooShell
}

/** Refuses commands of a live Roo that would run uncontained, whoever has approved them. */
export class LiveLimitsHook implements ToolHook {
  readonly classification = 'DESTRUCTIVE'
  readonly #limits: LiveLimits

  constructor(limits: LiveLimits) {
    this.#limits = limits
  }

  async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    return toolName === 'execute_command' ? this.#command(payload) : undefined
  }

  postExecute(toolName: string, payload: HookPayload): void {
    if (toolName === 'execute_command') this.#limits.shell?.leave(payload, payload.outcome === 'done')
  }

  async #command(payload: HookPayload): Promise<HookError | undefined> {
    const { commands = 'refuse', shell } = this.#limits
    if (shell) {
      const why = await shell.enter(payload)
      return why === undefined ? undefined : shellMissing(why)
    }
    return commands === 'host' ? undefined : terminalNotContained()
  }
}

const INSTEAD = 'Call run_command instead, which is contained.'

/** Why a command the host was going to run is refused after all: its shell was taken from it meanwhile. */
export function lostShell(why: string): string {
  const { code, message } = shellMissing(why)
  return buildJsonToolError('execute_command', code, message, { hint: INSTEAD })
}

function shellMissing(why: string): HookError {
  const message = `Not Governed: execute_command is refused, because ${why}.`
  return { code: 'unsupported', toolName: 'execute_command', message, details: { hint: INSTEAD } }
}

function terminalNotContained(): HookError {
  const message = 'Not Governed: execute_command would run directly on the disk, because its terminal is not contained.'
  return { code: 'unsupported', toolName: 'execute_command', message, details: { hint: INSTEAD } }
}
