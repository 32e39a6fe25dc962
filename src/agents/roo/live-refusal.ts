import { buildJsonToolError, type HookResult } from '../../hooks/index.js'

/** A refusal as the JSON text the model reads. */
export function recordOf(tool: string, result: HookResult | undefined): string {
  const { error, message, feedback = [] } = result ?? {}
  if (error) return JSON.stringify({ ...error, ...(feedback.length > 0 && { feedback }) })
  if (result?.allow === true) return buildJsonToolError(tool, 'needs_approval', STOPPED)
  return buildJsonToolError(tool, 'failed', message ?? 'The call was refused.')
}

const STOPPED =
  'Needs Approval: policy asks a person about each such call (approval.modal), and this tool cannot wait for an answer here.'

/** The host prints errors by their `toJSON`: no stack of ours gets to the model. */
export class LiveRefusal extends Error {
  override readonly name = 'LiveRefusal'

  constructor(private readonly record: string) {
    super(record)
  }

  toJSON(): unknown {
    return JSON.parse(this.record)
  }
}
