import type { BigIntStats } from 'node:fs'
import type { FileState } from '../../overlay/index.js'
import type { CommitProgress } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'

export type JsonObject = Record<string, unknown>

export type CommitOp = 'create' | 'overwrite' | 'delete' | 'mkdir' | 'rmdir' | 'chmod' | 'move'

/** The change of one path. */
export interface CommitEntry {
  /** Relative to the root, `/` between segments. */
  readonly path: string
  readonly op: CommitOp
  /** On a create: the path removed by the same commit whose content this is. On a move: the directory's old path. */
  readonly from?: string
  /** On a change in a directory that the commit moves, and on that directory: the path before the move. */
  readonly at?: string
  /** On a file with several names: the file's id. Entries with one id and one state become one file. */
  readonly file?: string
  /** On such a file: another of its names, which is on disk and stays as it is. */
  readonly linkTo?: string
  /** A move of the same commit makes this change, so it is only checked and recorded. */
  readonly carried?: true
  /** The state that the path must have. */
  readonly old: FileState | null
  readonly new: FileState | null
  /**
   * The stat of a file that was in the state `old`, taken before it was read. While it is the same, the file is not
   * read again.
   */
  readonly readStats?: BigIntStats
  /** Times for a file, set by hand or by the order of writes (nanoseconds since 1970). */
  readonly times?: { readonly atimeNs: bigint; readonly mtimeNs: bigint }
  /** On a create or overwrite: the file's bytes, or a symlink's target as UTF-8. */
  readonly content?: () => Uint8Array
}

export interface CommitInput {
  readonly layout: Layout
  readonly sessionId: string
  readonly entries: readonly CommitEntry[]
  /** Policy, asked again under the commit's lock. */
  gate(entry: CommitEntry): Refusal | undefined
  /**
   * The ledger records of this commit, each with a fixed `id`. The plan stores them, so that recovery can append them.
   * Throws to refuse the commit.
   */
  records(at: { seq: number; tx: string }): JsonObject[]
  /**
   * Notes that the committer writes elsewhere once the commit is done. The plan keeps them, because that may be
   * interrupted.
   */
  notesFor?(tx: string): readonly JsonObject[]
  /** Called last before the commit point. Throws if an approval is no longer in force. */
  assertApproved?(): void
  /**
   * Appends to the ledger. A second append with the same `id` must do nothing.
   * @param isOwn true for this commit's record, false for one of a commit that had to be finished first
   */
  readonly append: (record: JsonObject, isOwn?: boolean) => Promise<void>
  /** Moves the old file away before the new one is put in place: no race, but a moment without the file. */
  readonly strict?: boolean
  /** How many commits, including this one, can be undone from now on. The default is {@link UNDO_COMMITS}. */
  readonly undoable?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CommitProgress) => void
}

/** A path where someone else's version was found after the commit point. Theirs stays, ours is kept in the stage. */
export interface Conflict {
  readonly path: string
  readonly reason: string
}

export interface CommitOutcome {
  readonly seq: number
  readonly tx: string
  readonly committed: string[]
  readonly conflicts: Conflict[]
}

/** One change of a plan, in the order it is applied. */
export interface PlannedChange {
  /** Names its files in the transaction's directory: `<n>.new`, `<n>.old`, `<n>.away`. */
  readonly n: number
  readonly path: string
  readonly op: CommitOp
  readonly old: FileState | null
  readonly new: FileState | null
  /** On a create or a move: the old path. */
  readonly from?: string
  /** A move of the same plan makes this change. */
  readonly carried?: true
  /** On a move: the directory's inode number, by which a second run knows that it was moved. */
  readonly inode?: string
  /** A missing parent directory of another change. */
  readonly implied?: true
}

/** The redo journal of one commit. */
export interface Plan {
  readonly version: 3
  readonly seq: number
  /** The commit's id. */
  readonly tx: string
  /** The transaction's directory under `.orchestration/tx`, and its inode number. */
  readonly dir: { readonly name: string; readonly inode: string }
  readonly sessionId: string
  readonly strict: boolean
  readonly changes: readonly PlannedChange[]
  readonly records: readonly JsonObject[]
  readonly noted?: readonly JsonObject[]
}
