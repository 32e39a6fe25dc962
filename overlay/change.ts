import type { Digest } from './digest.js'
import type { JsonValue } from './json.js'
import type { RelPath } from './path.js'

/** What stands at a path, as far as reviews and commits compare it. Absent is `null`. */
export interface FileState {
  readonly type: 'file' | 'dir' | 'symlink'
  /** Of a file's bytes, of a symlink's target; a directory has {@link EMPTY_DIGEST}. */
  readonly digest: Digest
  /** Permission bits (mode & 0o7777). Always 0o777 for a symlink. */
  readonly mode: number
}

/** Same type, content and permission bits; null stands for nothing there. */
export function sameState(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b
  return a.type === b.type && a.digest === b.digest && a.mode === b.mode
}

/** Same type and content, whatever the permission bits. */
export function sameContent(a: FileState | null, b: FileState | null): boolean {
  if (a === null || b === null) return a === b
  return a.type === b.type && a.digest === b.digest
}

/** What a staged change does to its path. */
export type StagedKind = 'create' | 'modify' | 'delete' | 'rename' | 'mode' | 'link' | 'mkdir'

/** One path that differs between the stage and the lower layer the stage was based on. */
export interface StagedChange {
  readonly path: RelPath
  /** Of a rename: where it was. */
  readonly from?: RelPath
  readonly kind: StagedKind
  /** The base: what the stage's owner knew to stand there (for a rename: at `from`). */
  readonly before: FileState | null
  readonly after: FileState | null
  /** True when the lower layer no longer holds the base at that path. */
  readonly drifted: boolean
  /** The intent active at the last write; undefined where there was none. */
  readonly intentId?: string
  /** The tool calls that wrote what stands there, the earliest first. */
  readonly calls: readonly string[]
  /** The number of the last edit that wrote it: of two changes the smaller was written earlier. */
  readonly writtenAt?: number
  /** Who wrote it, as the stage's log names them; undefined where it does not say. */
  readonly agent?: JsonValue
  /** The other names that were staged to the same file (link(2)), the first of all of them first; absent for a file of one name. */
  readonly links?: readonly RelPath[]
  /** The times (nanoseconds since 1970) it was given by hand after its content was written. */
  readonly times?: { readonly atimeNs: bigint; readonly mtimeNs: bigint }
  /** The staged bytes (a symlink's target as UTF-8); empty for deletions and directories. */
  content(): Uint8Array
}
