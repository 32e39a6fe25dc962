import {
  buildJsonToolError,
  type HookError,
  type HookPayload,
  type ToolCatalogue,
  type ToolHook,
} from '../../hooks/index.js'
import type { RooShell } from './shell.js'

/** What of a running Roo can be held, and what cannot. */
export interface LiveLimits {
  /** Roo's own modules have the governed `fs` ({@link aliasModules}): what it removes, moves and makes itself is staged too. */
  readonly aliased?: boolean
  /**
   * Roo's own terminal runs commands on the disk, uncontained: they are refused unless this says `host`, or there is a shell
   * that contains them.
   */
  readonly commands?: 'refuse' | 'host'
  /** Runs them contained. While it is not in place they are refused, whatever `commands` says. */
  readonly shell?: RooShell
}

/** Refuses calls of a live Roo that would change the disk past the stage, whoever has approved them. */
export class LiveLimitsHook implements ToolHook {
  readonly classification = 'DESTRUCTIVE'
  readonly #limits: LiveLimits
  readonly #catalogue: ToolCatalogue

  constructor(limits: LiveLimits, catalogue: ToolCatalogue) {
    this.#limits = limits
    this.#catalogue = catalogue
  }

  async preExecute(toolName: string, payload: HookPayload): Promise<HookError | undefined> {
    if (toolName === 'execute_command') return this.#command(payload)
    const { aliased = false } = this.#limits
    if (aliased) return undefined
    if (toolName === 'generate_image')
      return past(toolName, 'the image is written by the host itself', 'Ask a person for it.')
    if (
      this.#catalogue
        .of(toolName)
        .writes(payload.params)
        .every(({ effect }) => effect === 'put')
    )
      return undefined
    const hint = 'Change files by it, or remove and move them by run_command.'
    return past(toolName, 'files are removed and moved by the host itself', hint)
  }

  postExecute(toolName: string, payload: HookPayload): void {
    if (toolName === 'execute_command') this.#limits.shell?.leave(payload, payload.outcome === 'done')
  }

  async #command(payload: HookPayload): Promise<HookError | undefined> {
    const { commands = 'refuse', shell } = this.#limits
    if (shell) {
      const why = await shell.enter(payload)
      return why === undefined ? undefined : unshelled(why)
    }
    return commands === 'host' ? undefined : past('execute_command', 'its terminal is not contained', INSTEAD)
  }
}

const INSTEAD = 'Call run_command instead, which is contained.'

/** Why a command the host was going to run is refused after all: its shell was taken from it meanwhile. */
export function lostShell(why: string): string {
  const { code, message } = unshelled(why)
  return buildJsonToolError('execute_command', code, message, { hint: INSTEAD })
}

function unshelled(why: string): HookError {
  const message = `Not Governed: execute_command is not run, as ${why}.`
  return { code: 'unsupported', toolName: 'execute_command', message, details: { hint: INSTEAD } }
}

function past(toolName: string, why: string, hint: string): HookError {
  const message = `Not Governed: ${toolName} would change the disk past the stage, as ${why} here.`
  return { code: 'unsupported', toolName, message, details: { hint } }
}
