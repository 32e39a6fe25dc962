/**
 * `fenced`: the session's lease has passed to another owner or is over. `held`: another host has the session. `superseded`: there is a
 * newer submission. `behind`: the ledger has another head. `missing`: contents must be sent first. `away`: the database does not answer.
 */
export type HubErrorCode =
  | 'fenced'
  | 'held'
  | 'superseded'
  | 'behind'
  | 'missing'
  | 'not_found'
  | 'refused'
  | 'invalid'
  | 'away'

/** A request that the hub refuses, with what to do. */
export class HubError extends Error {
  override readonly name = 'HubError'
  constructor(
    readonly code: HubErrorCode,
    message: string,
    /** For `missing`: the digests. For `behind`: the hash of the head, if there is one. */
    readonly details: readonly string[] = [],
  ) {
    super(message)
  }
}
