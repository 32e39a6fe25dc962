import { buildJsonToolError, type HookResult } from '../../hooks/index.js'

/** The refusal of a call as JSON text for the model. */
export function refusalText(tool: string, result: HookResult | undefined): string {
  const { error, message, feedback = [] } = result ?? {}
  if (error) return JSON.stringify({ ...error, ...(feedback.length > 0 && { feedback }) })
  if (result?.allow === true) return buildJsonToolError(tool, 'needs_approval', REFUSED_WITHOUT_RECORD)
  return buildJsonToolError(tool, 'failed', message ?? 'The call was refused.')
}

const REFUSED_WITHOUT_RECORD =
  'Needs Approval: policy asks a person about each such call (approval.modal), and this tool cannot wait for an answer here.'

/** The host prints errors by `toJSON`, so that no stack of ours reaches the model. */
export class LiveRefusal extends Error {
  override readonly name = 'LiveRefusal'

  constructor(private readonly record: string) {
    super(record)
  }

  toJSON(): unknown {
    return JSON.parse(this.record)
  }
}
