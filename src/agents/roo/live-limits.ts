import { buildJsonToolError, type HookError, type HookPayload, type ToolHook } from '../../hooks/index.js'
import type { RooShell } from './shell.js'

/** Options for the commands of a running Roo. */
export interface LiveLimits {
  /**
   * Roo's own terminal runs commands uncontained on the disk. They are refused unless this is `host`, or a shell
   * contains them.
   */
  readonly commands?: 'refuse' | 'host'
  /** Runs commands contained. While it is not installed, commands are refused, whatever `commands` says. */
  readonly shell?: RooShell
}

/** Refuses commands of a live Roo that would run uncontained, even if they were approved. */
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

const HINT = 'Call run_command instead, which is contained.'

/** The refusal of a command whose shell was changed after the call was admitted. */
export function shellLost(why: string): string {
  const { code, message } = shellMissing(why)
  return buildJsonToolError('execute_command', code, message, { hint: HINT })
}

function shellMissing(why: string): HookError {
  const message = `Not Governed: execute_command is refused, because ${why}.`
  return { code: 'unsupported', toolName: 'execute_command', message, details: { hint: HINT } }
}

function terminalNotContained(): HookError {
  const message = 'Not Governed: execute_command would run directly on the disk, because its terminal is not contained.'
  return { code: 'unsupported', toolName: 'execute_command', message, details: { hint: HINT } }
}
