import { defined } from './defined.js'
import type { Denial, DenialReason } from './denials.js'

/** Reasons an API call can fail with, beside those a denial has. */
export type ApiReason =
  | DenialReason
  | 'no_orchestration'
  | 'cross_device'
  | 'session_busy'
  | 'undo_expired'
  | 'ledger_corrupt'
  | 'ledger_fork'
  | 'nothing_selected'

/**
 * One path that a commit did not take, or one effect of a command that was not staged: why, as a reason and in a
 * sentence.
 */
export interface Refusal {
  readonly path: string
  readonly reason: string
  readonly message: string
}

/** A failed call of the public API: what happened, why, and what to do. */
export class EscrowError extends Error {
  override readonly name = 'EscrowError'
  readonly reason: ApiReason
  readonly hint?: string
  /** Of a refused commit: each path that could not be taken. */
  readonly refused?: readonly Refusal[]

  constructor(reason: ApiReason, message: string, more: { hint?: string; refused?: Refusal[]; cause?: unknown } = {}) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.reason = reason
    if (more.hint !== undefined) this.hint = more.hint
    if (more.refused !== undefined) this.refused = more.refused
  }

  toJSON(): Record<string, unknown> {
    return {
      name: this.name,
      reason: this.reason,
      message: this.message,
      ...defined({ hint: this.hint, refused: this.refused }),
    }
  }
}

/** A denial, where it is an API call that is refused. */
export function apiErrorOf({ reason, message, hint }: Denial): EscrowError {
  return new EscrowError(reason, message, hint === undefined ? {} : { hint })
}

/** For what a later room will bring: refused by name. */
export function unsupported(what: string, hint?: string): EscrowError {
  return new EscrowError('unsupported', `${what} is not supported by this version.`, hint === undefined ? {} : { hint })
}
