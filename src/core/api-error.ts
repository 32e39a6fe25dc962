import { defined } from './defined.js'
import type { Denial, DenialReason } from './denials.js'

/** Why an API call failed: a denial's reason, or one of these. */
export type ApiReason =
  | DenialReason
  | 'no_orchestration'
  | 'cross_device'
  | 'session_busy'
  | 'undo_expired'
  | 'ledger_corrupt'
  | 'ledger_fork'
  | 'nothing_selected'
  | 'unticked'

/** A path that a commit refused, or an effect of a command that was refused. `reason` is a code, `message` a sentence. */
export interface Refusal {
  readonly path: string
  readonly reason: string
  readonly message: string
}

interface ErrorDetails {
  readonly hint?: string
  readonly refused?: Refusal[]
  readonly output?: string
  readonly cause?: unknown
}

/** A failed call of the public API, with a reason, a message and a hint. */
export class EscrowError extends Error {
  override readonly name = 'EscrowError'
  readonly reason: ApiReason
  readonly hint?: string
  /** The paths that were refused. */
  readonly refused?: readonly Refusal[]
  /** The output of the program that refused the call, such as a git hook. Not escaped. */
  readonly output?: string

  constructor(reason: ApiReason, message: string, more: ErrorDetails = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.reason = reason
    if (more.hint !== undefined) this.hint = more.hint
    if (more.refused !== undefined) this.refused = more.refused
    if (more.output !== undefined) this.output = more.output
  }

  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      reason: this.reason,
      message: this.message,
      ...defined({ hint: this.hint, refused: this.refused, output: this.output }),
    }
  }
}

/** Returns the error for a denied API call. */
export function apiErrorOf({ reason, message, hint }: Denial): EscrowError {
  return new EscrowError(reason, message, hint === undefined ? {} : { hint })
}

/** Returns the error for a feature that this version does not have. */
export function unsupported(what: string, hint?: string): EscrowError {
  return new EscrowError(
    'unsupported',
    `${what} is not supported by this version of escrowfs.`,
    hint === undefined ? {} : { hint },
  )
}
