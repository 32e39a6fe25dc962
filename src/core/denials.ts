import { type FsError, fsError } from '../../overlay/errno.js'
import { defined } from './defined.js'

/**
 * The denial of a call. A rule returns a {@link Denial}. The fs facade turns it into an Error in Node's shape, an adapter into a
 * `tool_error` record, the ledger into a `denied` record.
 */

/** The error code of a denied fs call, by reason. */
export const DENIAL_CODES = {
  missing_intent_id: 'EACCES',
  missing_mutation_class: 'EACCES',
  unknown_intent: 'EACCES',
  not_trusted: 'EACCES',
  intent_not_active: 'EACCES',
  intent_ignored: 'EACCES',
  scope_violation: 'EACCES',
  protected_path: 'EPERM',
  path_escape: 'EPERM',
  access_denied: 'EACCES',
  needs_approval: 'EACCES',
  hidden: 'ENOENT',
  stale_file: 'ESTALE',
  claimed: 'EBUSY',
  user_rejected: 'ECANCELED',
  policy_invalid: 'EIO',
  ledger_unavailable: 'EIO',
  limit_exceeded: 'EDQUOT',
  unsupported: 'ENOSYS',
} as const

/** The reason of a denial. The fs error, the tool result and the ledger record contain the same word. */
export type DenialReason = keyof typeof DENIAL_CODES

/** A denial: the refused call, the reason, and the next step. */
export interface Denial {
  readonly reason: DenialReason
  /** A full sentence for the model, with the refused call and the reason. Ends with a full stop. */
  readonly message: string
  /** The next step, for the model. */
  readonly hint?: string
  readonly intentId?: string
  /** The path: relative to the root if it is inside the workspace, else as given. */
  readonly file?: string
  readonly tool?: string
  /** For `needs_approval`: the rule that requires a person's answer. The model does not get it. */
  readonly rule?: string
  /** The path that the rule matched. If the path leads through a link, this is either of its two names. */
  readonly ruleName?: string
}

/** The denial record for a model. */
export interface ToolError {
  readonly type: 'tool_error'
  readonly tool?: string
  readonly reason: string
  readonly intent_id?: string
  readonly file?: string
  readonly message: string
  readonly hint?: string
}

/** Converts a denial to the record for a model. */
export function toolError(denial: Denial): ToolError {
  return {
    type: 'tool_error',
    ...defined({ tool: denial.tool }),
    reason: denial.reason,
    ...defined({ intent_id: denial.intentId, file: denial.file }),
    message: denial.message,
    ...defined({ hint: denial.hint }),
  }
}

/** A denial as an fs error: the shape of Node's errors, plus `reason` and `hint`. `toJSON()` leaves out the stack. */
export interface DenialError extends FsError {
  readonly reason: DenialReason
  readonly hint?: string
  readonly denial: Denial
  toJSON(): Record<string, unknown>
}

export function denialError(denial: Denial, syscall: string, path?: string, dest?: string): DenialError {
  const code = DENIAL_CODES[denial.reason]
  // A hidden path must look exactly like an absent one.
  if (denial.reason === 'hidden') return fsError(code, syscall, path, dest) as DenialError
  const error = fsError(code, syscall, path, dest, denial.message)
  const json = () => ({
    name: 'Error',
    code,
    errno: error.errno,
    syscall,
    ...defined({ path, dest }),
    ...toolError(denial),
  })
  Object.defineProperties(error, {
    reason: { value: denial.reason, enumerable: true },
    ...(denial.hint !== undefined && { hint: { value: denial.hint, enumerable: true } }),
    denial: { value: denial },
    toJSON: { value: json },
  })
  return error as DenialError
}

/** Returns the denial that caused an error of `session.fs`, or undefined for any other error. */
export function denialOf(error: unknown): Denial | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  return (error as { denial?: Denial }).denial
}

/** Thrown by a guard below the fs facade. The facade adds the system call and the requested path. */
export class Denied extends Error {
  override readonly name = 'Denied'
  constructor(
    readonly denial: Denial,
    /** The error that the caller gets in place of the denial: that of an absent file, for a hidden one. */
    readonly shown?: Error,
  ) {
    super(denial.message)
  }
}
