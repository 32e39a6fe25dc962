import { defined } from '../core/defined.js'
import { DENIAL_CODES, type Denial, type DenialReason, toolError } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { HookError } from './types.js'

/** Returns a denial as the result of a hook. */
export function hookError(tool: string, denial: Denial): HookError {
  return {
    message: denial.message,
    code: denial.reason,
    toolName: tool,
    details: toolError({ ...denial, tool }),
  }
}

/** Returns a hook's error as a denial. A code that is not a denial reason is appended to the message. */
export function refusalOf(tool: string, { code, message, details }: HookError, file: string | undefined): Denial {
  const known = isReason(code)
  const hint = typeof details === 'object' && details !== null && 'hint' in details ? details.hint : undefined
  return {
    reason: known ? code : 'access_denied',
    message: known ? message : `${message} (${code})`,
    tool,
    ...defined({ file }),
    ...(typeof hint === 'string' && { hint }),
  }
}

/** Returns the denial for a hook that threw. */
export function hookFailure(tool: string, hook: object, error: unknown): Denial {
  const what = errorText(error)
  const message = `Hook Failed: ${hook.constructor.name} could not check ${tool} (${what}). The call is refused until that is fixed.`
  return { reason: 'policy_invalid', tool, message }
}

function isReason(code: string): code is DenialReason {
  return Object.hasOwn(DENIAL_CODES, code)
}
