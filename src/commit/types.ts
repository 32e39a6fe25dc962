import type { BigIntStats } from 'node:fs'
import type { FileState } from '../../overlay/index.js'
import type { CommitProgress } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'

export type JsonObject = Record<string, unknown>

export type CommitOp = 'create' | 'overwrite' | 'delete' | 'mkdir' | 'rmdir' | 'chmod' | 'move'

/** One path to take to the disk. */
export interface CommitEntry {
  /** Relative to the root, `/` between segments. */
  readonly path: string
  readonly op: CommitOp
  /** Of a create: the path removed by the same commit whose content this is. Of a move: the directory's old path. */
  readonly from?: string
  /** Of a change in a directory the commit moves, and of that directory: where it stands until then. */
  readonly at?: string
  /** Of a file of several names: which file it is. Entries of one word, and of one state, become one file. */
  readonly file?: string
  /** Of such a file: another name of it, on disk already, that the commit leaves as it is. */
  readonly linkTo?: string
  /** A move of the same commit does it: it is checked, and recorded, and nothing more is to do. */
  readonly carried?: true
  /** What must stand there for the change to be taken. */
  readonly old: FileState | null
  readonly new: FileState | null
  /** Of a file read moments ago and seen to be `old`: how it looked before that. While it looks so, it is not read again. */
  readonly look?: BigIntStats
  /** Of a file that is to have certain times: set by hand, or by the order of writes (nanoseconds since 1970). */
  readonly times?: { readonly atimeNs: bigint; readonly mtimeNs: bigint }
  /** Of a create or overwrite: the file's bytes, or a symlink's target as UTF-8. */
  readonly content?: () => Uint8Array
}

export interface CommitInput {
  readonly layout: Layout
  readonly sessionId: string
  readonly entries: readonly CommitEntry[]
  /** Policy, asked once more under the commit's lock. */
  gate(entry: CommitEntry): Refusal | undefined
  /**
   * The ledger records of this commit, each with a fixed `id`: they are stored in the plan, so that recovery can append
   * them. Throws what refuses the commit.
   */
  records(at: { seq: number; tx: string }): JsonObject[]
  /** What the one who commits writes down elsewhere once it is done: kept in the plan for who finds that it was not. */
  notesFor?(tx: string): readonly JsonObject[]
  /** Asked last before the commit point: throws where what was approved is so no more. */
  assertApproved?(): void
  /**
   * Appends to the ledger; a second append of the same `id` must do nothing.
   * @param isOwn of this very commit, and not of one that had to be finished first.
   */
  readonly append: (record: JsonObject, isOwn?: boolean) => Promise<void>
  /** Takes the old file away before the new one is put in place: no window, but a moment without the file. */
  readonly strict?: boolean
  /** How many commits, this one included, can be undone from now on. {@link UNDO_COMMITS} unless told. */
  readonly undoable?: number
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CommitProgress) => void
}

/** A path where someone else's version was found after the commit point: theirs stands, ours is kept in the stage. */
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
  /** Of a create or a move: where it was before. */
  readonly from?: string
  /** Done by a move of the same plan. */
  readonly carried?: true
  /** Of a move: the directory's inode number, by which a second run knows that it was moved. */
  readonly inode?: string
  /** A parent directory nobody asked for by name. */
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
