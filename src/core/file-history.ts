/** A version of a file in git. */
export interface FileVersion {
  /** The full id of the commit that has it. */
  readonly commit: string
  /** Relative to the workspace's root. */
  readonly path: string
  readonly content: Uint8Array
  /** The versions that the commit changed, as positions in the list. None if the commit created the file. */
  readonly parents: readonly number[]
  /** The commit's message with its trailers. */
  readonly message: string
  /** The ids of the ledger records about the file that the commit brought with it. Asks git when called. */
  readonly recordIds: () => readonly string[]
  /** When its author wrote it, in milliseconds since 1970. A rebase keeps this time. */
  readonly at: number
}
