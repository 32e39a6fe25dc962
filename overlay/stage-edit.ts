import type { FileState } from './change.js'
import type { PackRef } from './content.js'
import type { JsonValue } from './json.js'
import type { RelPath } from './path.js'

/**
 * The edits of a stage, as its log stores them. Each is the result of a decision, and never leaves one to the replay.
 */

/** The state of a path when the stage first edited it. */
export interface Base {
  readonly state: FileState | null
  /** Its mtimeNs, ctimeNs, size and inode: an equal stamp means unchanged without reading the content. */
  readonly stamp?: string
  /** The place of its content in the pack, for merges once the disk has changed. */
  readonly kept?: PackSpan
}

/** Bytes in a session's pack. */
export type PackSpan = readonly [offset: number, length: number]

/** The attributes of an inode that an edit makes. */
export interface NewInode {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** The lower path that it was copied up from. */
  readonly origin?: string
}

/** The author of an edit. */
export interface Attribution {
  readonly intent?: string
  readonly call?: string
  /** The index of the agent in the log's list, from 0. */
  readonly agent?: number
}

export interface EditCommon extends Attribution {
  /** The time in nanoseconds since 1970 (a string, because JSON has no bigint). */
  readonly t: string
  /** Bases that are recorded with this edit. */
  readonly bases?: readonly (readonly [path: RelPath, base: Base])[]
  /**
   * The position in the review log that is reconciled with this edit: the number of records, and the id of the last
   * one.
   */
  readonly taken?: { readonly reviewed: number; readonly reviewId?: string }
}

/** Nodes that leave a stage because the disk has their content, or a person discarded them. */
export interface SettleStep {
  /** Nodes to drop. */
  readonly drop: readonly RelPath[]
  /** Places that show another lower path from now on (null: that of their own name). */
  readonly point: readonly (readonly [path: RelPath, lower: RelPath | null])[]
  /** Lower names that a redirect would show again: they become whiteouts. */
  readonly hide: readonly RelPath[]
  readonly forget: readonly RelPath[]
}

/** One line of the stage's log. */
export type StageEdit = EditCommon &
  /** Sets a file's content, all of it or at a byte offset. With `inode` it creates the file. */
  (
    | { readonly op: 'put'; readonly path: RelPath; readonly inode?: NewInode; readonly at?: number }
    /** Creates a directory. `over`: whether the disk's entries show in it. */
    | { readonly op: 'mkdir'; readonly path: RelPath; readonly inode: NewInode; readonly over: 'lower' | 'nothing' }
    /** Removes a name. `whiteout`: hides the disk's entry of that name. */
    | { readonly op: 'remove'; readonly path: RelPath; readonly whiteout: boolean }
    /** Moves a name with everything below it. */
    | {
        readonly op: 'move'
        readonly from: RelPath
        readonly to: RelPath
        /** The lower path that shows at the new place. */
        readonly lower: RelPath | null
        readonly whiteout: boolean
      }
    /** Adds a second name for a file. */
    | { readonly op: 'link'; readonly path: RelPath; readonly existing: RelPath }
    /** Creates a symbolic link. */
    | { readonly op: 'symlink'; readonly path: RelPath; readonly target: string; readonly inode: NewInode }
    /** Sets attributes; absent ones stay. */
    | {
        readonly op: 'setattr'
        readonly path: RelPath
        readonly mode?: number
        readonly uid?: number
        readonly gid?: number
        readonly atimeNs?: string
        readonly mtimeNs?: string
        readonly size?: number
      }
    /** Reconciles with commits and discards. */
    | (SettleStep & {
        readonly op: 'settle'
        /** The last commit, and the number of review records, that the stage is reconciled with. */
        readonly seq: number
        readonly reviewed: number
        /** The id of the last review record. */
        readonly reviewId?: string
      })
    /** Sets the agent of the next edits. The log does not interpret the name. */
    | { readonly op: 'agent'; readonly name: JsonValue }
    /** Creates a snapshot. `before`: the tool call that follows. */
    | {
        readonly op: 'mark'
        readonly id: string
        readonly name?: string
        readonly before?: string
        readonly tool?: string
        /** Only in a compacted log, which lacks the earlier edits that show it. */
        readonly parent?: string
      }
    /** The tool call after a snapshot has ended, and has changed something. */
    | { readonly op: 'called'; readonly id: string }
    /** Deletes a snapshot, whose number is not used again. */
    | { readonly op: 'unmark'; readonly id: string }
    /** Restores a snapshot, without the paths that were committed or discarded since. */
    | { readonly op: 'travel'; readonly to: string; readonly less: readonly SettleStep[] }
    /** Changes nothing. Its line shows that all lines before it are on the medium. */
    | { readonly op: 'synced' }
    | ImageEdit
    /** Stores a note that must survive a crash, such as a denial to report. Changes no file. */
    | { readonly op: 'note'; readonly kind: string; readonly note: JsonValue }
    /** Acknowledges the oldest `count` notes of a kind. */
    | { readonly op: 'noted'; readonly kind: string; readonly count: number }
  )

/** The edits of a compacted log: the versions of a stage, each as its difference from the one before. */
export type ImageEdit =
  /** Names the pack of the log's contents, in the same directory. */
  | { readonly op: 'begin'; readonly pack: string }
  /** Defines an inode for later grafts. Its content is the edit's. */
  | {
      readonly op: 'inode'
      readonly id: number
      readonly type: 'file' | 'dir' | 'symlink'
      readonly ino: number
      readonly mode: number
      readonly uid: number
      readonly gid: number
      /** The times of access, content change, change and birth, in nanoseconds since 1970. */
      readonly times: readonly [string, string, string, string]
      readonly names: number
      readonly timed?: true
      readonly target?: string
      readonly origin?: string
      readonly by: Attribution
      readonly at: number
      readonly calls: readonly string[]
    }
  /** Sets a node without its children; null removes it with everything below. */
  | { readonly op: 'graft'; readonly path: RelPath; readonly node: GraftedNode | null }
  /** Removes the bases of paths, and adds the edit's own. */
  | { readonly op: 'bases'; readonly forget: readonly string[] }
  /** Ends the image. */
  | {
      readonly op: 'resume'
      /** The snapshot that the stage is based on. */
      readonly snapshot?: string
      readonly changed: boolean
      /** The highest number of any snapshot, including deleted ones. */
      readonly made?: number
      readonly edits: number
      readonly nextIno: number
    }

export interface GraftedNode {
  readonly whiteout?: true
  readonly lower?: RelPath | null
  readonly inode?: number
  readonly by?: Attribution
  readonly at?: number
}

/** An edit's bytes, in memory or in the pack. */
export type EditData = Uint8Array | PackRef
