import { type FsError, fsError } from '../../overlay/errno.js'
import { defined } from './defined.js'

/**
 * Denials: the one vocabulary of refusals. A rule makes a {@link Denial}; the fs face turns it into an Error in Node's
 * shape, an adapter into a `tool_error` record, the ledger into a `denied` record.
 */

/** reason → the errno code an fs call fails with. */
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

/** Why something was refused, in one word. The same word stands in the fs error, the tool result and the ledger. */
export type DenialReason = keyof typeof DENIAL_CODES

/** A refusal: what was refused, why, and what to do next. */
export interface Denial {
  readonly reason: DenialReason
  /** A whole sentence for the model: what was refused and why. Ends with a full stop. */
  readonly message: string
  /** What to do next. */
  readonly hint?: string
  readonly intentId?: string
  /** Workspace-relative where the path is inside, else as given. */
  readonly file?: string
  readonly tool?: string
  /** Of `needs_approval`: the rule that wants a person's word. Not told to the model. */
  readonly rule?: string
  /** The name that rule is about: of a path reached through a link, either of its two. */
  readonly ruleName?: string
}

/** The record a model sees for a denial. */
export interface ToolError {
  readonly type: 'tool_error'
  readonly tool?: string
  readonly reason: string
  readonly intent_id?: string
  readonly file?: string
  readonly message: string
  readonly hint?: string
}

/** A denial as the record a tool answers its model with. */
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

/** A denial as an fs error: Node's own shape plus `reason` and `hint`. `toJSON()` has no stack and the bare message. */
export interface DenialError extends FsError {
  readonly reason: DenialReason
  readonly hint?: string
  readonly denial: Denial
  toJSON(): Record<string, unknown>
}

export function denialError(denial: Denial, syscall: string, path?: string, dest?: string): DenialError {
  const code = DENIAL_CODES[denial.reason]
  // A hidden path must not be told from an absent one.
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

/** The denial behind an error of `session.fs`, or undefined where the error is another. */
export function denialOf(error: unknown): Denial | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  return (error as { denial?: Denial }).denial
}

/** Thrown by a guard below the face; the face adds the system call and the path as asked. */
export class Denied extends Error {
  override readonly name = 'Denied'
  constructor(readonly denial: Denial) {
    super(denial.message)
  }
}
