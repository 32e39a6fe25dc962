import type { Digest } from './digest.js'
import type { JsonValue } from './json.js'
import type { RelPath } from './path.js'

/** The state of a path that reviews and commits compare. `null` if it is absent. */
export interface FileState {
  readonly type: 'file' | 'dir' | 'symlink'
  /** The digest of a file's bytes or a symlink's target; {@link EMPTY_DIGEST} for a directory. */
  readonly digest: Digest
  /** Permission bits (mode & 0o7777). Always 0o777 for a symlink. */
  readonly mode: number
}

/** Returns whether type, content and permission bits are the same. Null means absent. */
export function sameState(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b
  return a.type === b.type && a.digest === b.digest && a.mode === b.mode
}

/** Returns whether type and content are the same, regardless of permission bits. */
export function sameContent(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b
  return a.type === b.type && a.digest === b.digest
}

/** The kind of a staged change. */
export type StagedKind = 'create' | 'modify' | 'delete' | 'rename' | 'mode' | 'link' | 'mkdir'

/** One path that differs between the stage and its base in the lower layer. */
export interface StagedChange {
  readonly path: RelPath
  /** The old path of a rename. */
  readonly from?: RelPath
  readonly kind: StagedKind
  /** The base: the state that the stage's owner last knew (of a rename: at `from`). */
  readonly before: FileState | null
  readonly after: FileState | null
  /** Whether the lower layer no longer has the base at that path. */
  readonly drifted: boolean
  /** The intent that was active at the last write; undefined if there was none. */
  readonly intentId?: string
  /** The tool calls that wrote the current content, oldest first. */
  readonly calls: readonly string[]
  /** The number of the last edit that wrote it. Smaller numbers are earlier. */
  readonly writtenAt?: number
  /** Its author, by the name of the agent in the stage's log; undefined if there is none. */
  readonly agent?: JsonValue
  /** All names that were staged for one file (link(2)), in the order of linking; absent for a file with one name. */
  readonly links?: readonly RelPath[]
  /** The times (nanoseconds since 1970) that were set by hand after the last write. */
  readonly times?: { readonly atimeNs: bigint; readonly mtimeNs: bigint }
  /** Returns the staged bytes (a symlink's target as UTF-8); empty for deletions and directories. */
  content(): Uint8Array
}
