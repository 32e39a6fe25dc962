/** A version of a file in git. */
export interface FileVersion {
  /** The full id of the commit that has it. */
  readonly commit: string
  /** Relative to the workspace's root. */
  readonly path: string
  readonly content: Uint8Array
  /** The versions that the commit changed, as positions in the list. None if the commit created the file. */
  readonly parents: readonly number[]
  /**
   * The versions that the commit replaced (by an amend, a rebase or a squash), as positions in the list. Empty if
   * unknown.
   */
  readonly replaced: readonly number[]
  /** The commit's message with its trailers. */
  readonly message: string
  /** The ids of the ledger records about the file that the commit brought with it. Asks git when called. */
  readonly recordIds: () => readonly string[]
  /** When its author wrote it, in milliseconds since 1970. A rebase keeps this time. */
  readonly at: number
  /** The git note of the commit about the authors of its lines, if it has one. */
  readonly note?: CommitNote
}

/** A git note of `refs/notes/ai`. Anybody can write one, so it is a claim without a signature. */
export interface CommitNote {
  readonly text: string
  /** The file as the note names it: relative to the repository's top. */
  readonly path: string
}
