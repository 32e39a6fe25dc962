import type { HookError, HookPayload, ToolCatalogue, ToolHook } from '../../hooks/index.js'

export interface LiveLimits {
  /** Roo's own modules have the governed `fs` ({@link aliasModules}): what it removes, moves and makes itself is staged too. */
  readonly aliased?: boolean
  /** Roo's own terminal runs commands on the disk, uncontained: they are refused unless this says `host`. */
  readonly commands?: 'refuse' | 'host'
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

  preExecute(toolName: string, { params }: HookPayload): HookError | undefined {
    const { aliased = false, commands = 'refuse' } = this.#limits
    if (toolName === 'execute_command' && commands === 'refuse')
      return past(toolName, 'its terminal is not contained', 'Call run_command instead, which is.')
    if (aliased) return undefined
    if (toolName === 'generate_image')
      return past(toolName, 'the image is written by the host itself', 'Ask a person for it.')
    if (
      this.#catalogue
        .of(toolName)
        .writes(params)
        .every(({ effect }) => effect === 'put')
    )
      return undefined
    const hint = 'Change files by it, or remove and move them by run_command.'
    return past(toolName, 'files are removed and moved by the host itself', hint)
  }

  postExecute(): void {}
}

function past(toolName: string, why: string, hint: string): HookError {
  const message = `Not Governed: ${toolName} would change the disk past the stage, as ${why} here.`
  return { code: 'unsupported', toolName, message, details: { hint } }
}
