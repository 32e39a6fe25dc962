import type { FileState } from './change.js'
import type { PackRef } from './content.js'
import type { JsonValue } from './json.js'
import type { RelPath } from './path.js'

/** The edits of a stage: what its log holds. Each says what was decided, never what to decide. */

/** What a path held when the stage first touched it. */
export interface Base {
  readonly state: FileState | null
  /** mtimeNs, ctimeNs, size and inode of then: equal means unchanged without a look at the content. */
  readonly stamp?: string
  /** Where the pack keeps the content, for merges once the disk has moved on. */
  readonly kept?: PackSpan
}

/** Bytes in a session's pack. */
export type PackSpan = readonly [offset: number, length: number]

/** Attributes of an inode an edit makes. */
export interface NewInode {
  readonly mode: number
  readonly uid: number
  readonly gid: number
  /** Copied up from this lower path. */
  readonly origin?: string
}

/** Whom an edit is credited to. */
export interface Attribution {
  readonly intent?: string
  readonly call?: string
  /** Which of the agents the log names, from 0. */
  readonly agent?: number
}

export interface EditCommon extends Attribution {
  /** When, in nanoseconds since 1970 (a string: JSON has no bigint). */
  readonly t: string
  /** Bases noted with this edit. */
  readonly bases?: readonly (readonly [path: RelPath, base: Base])[]
  /** The edit takes in the review log up to here: how many records, and the last of these. */
  readonly taken?: { readonly reviewed: number; readonly reviewId?: string }
}

/** What leaves a stage because the disk has it, or a person threw it away. */
export interface SettleStep {
  /** Nodes that leave the stage: the disk has what they held, or a person discarded them. */
  readonly drop: readonly RelPath[]
  /** Places that show a lower path from now on (null: their own name's). */
  readonly point: readonly (readonly [path: RelPath, lower: RelPath | null])[]
  /** Lower names a redirect would show anew: whiteouts from now on. */
  readonly hide: readonly RelPath[]
  readonly forget: readonly RelPath[]
}

/** One line of the stage's log. */
export type StageEdit = EditCommon &
  /** A file's content: all of it, or at a byte offset; with `inode` the file is made. */
  (
    | { readonly op: 'put'; readonly path: RelPath; readonly inode?: NewInode; readonly at?: number }
    /** A directory; `over` says whether the disk's shows below it. */
    | { readonly op: 'mkdir'; readonly path: RelPath; readonly inode: NewInode; readonly over: 'lower' | 'nothing' }
    /** A name goes; `whiteout`: the disk has one there, which is hidden from now on. */
    | { readonly op: 'remove'; readonly path: RelPath; readonly whiteout: boolean }
    /** A name goes elsewhere with all below it. */
    | {
        readonly op: 'move'
        readonly from: RelPath
        readonly to: RelPath
        /** What of the lower layer shows at the place once moved. */
        readonly lower: RelPath | null
        readonly whiteout: boolean
      }
    /** A second name for a file. */
    | { readonly op: 'link'; readonly path: RelPath; readonly existing: RelPath }
    /** A symbolic link. */
    | { readonly op: 'symlink'; readonly path: RelPath; readonly target: string; readonly inode: NewInode }
    /** Attributes; what is absent stays. */
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
    /** What landed or was discarded leaves the stage. */
    | (SettleStep & {
        readonly op: 'settle'
        /** The last commit, and how many review records, the stage has taken in. */
        readonly seq: number
        readonly reviewed: number
        /** The last of these. */
        readonly reviewId?: string
      })
    /** Who works on the stage from now on; what the name says is for others to read. */
    | { readonly op: 'agent'; readonly name: JsonValue }
    /** The stage as it is now is kept as a snapshot. `before`: the tool call that is about to run. */
    | {
        readonly op: 'mark'
        readonly id: string
        readonly name?: string
        readonly before?: string
        readonly tool?: string
        /** In a compacted log, where the stage did not come by the edits before. */
        readonly parent?: string
      }
    /** The tool call a snapshot was made before has ended, and has changed something. */
    | { readonly op: 'called'; readonly id: string }
    /** A snapshot is kept no more; its number is never given again. */
    | { readonly op: 'unmark'; readonly id: string }
    /** Back to a snapshot, less what has landed or was discarded since. */
    | { readonly op: 'travel'; readonly to: string; readonly less: readonly SettleStep[] }
    /** Says nothing of the stage: its line says that all before it is on the medium. */
    | { readonly op: 'synced' }
    | ImageEdit
    /** Something the session must not forget though it changes no file: a denial to report, a word delivered. */
    | { readonly op: 'note'; readonly kind: string; readonly note: JsonValue }
    /** The oldest `count` notes of a kind were dealt with. */
    | { readonly op: 'noted'; readonly kind: string; readonly count: number }
  )

/** What a compacted log is made of: the versions of a stage, each by what differs from the one before. */
export type ImageEdit =
  /** The pack the log's contents lie in, beside it. */
  | { readonly op: 'begin'; readonly pack: string }
  /** An inode, to be named by the grafts that follow. Its content is the edit's. */
  | {
      readonly op: 'inode'
      readonly id: number
      readonly type: 'file' | 'dir' | 'symlink'
      readonly ino: number
      readonly mode: number
      readonly uid: number
      readonly gid: number
      /** Access, change of content, change, birth; nanoseconds since 1970. */
      readonly times: readonly [string, string, string, string]
      readonly names: number
      readonly timed?: true
      readonly target?: string
      readonly origin?: string
      readonly by: Attribution
      readonly at: number
      readonly calls: readonly string[]
    }
  /** A node as it is, its children left as they are; null: there is none, nor anything below it. */
  | { readonly op: 'graft'; readonly path: RelPath; readonly node: GraftedNode | null }
  /** Paths that have no base any more; those that have one are the edit's. */
  | { readonly op: 'bases'; readonly forget: readonly string[] }
  /** The image is complete, and the stage goes on from here. */
  | {
      readonly op: 'resume'
      /** The snapshot it came from. */
      readonly snapshot?: string
      readonly changed: boolean
      /** The highest number a snapshot was given, those that are kept no more among them. */
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

/** An edit's bytes: in hand, or in the pack. */
export type EditData = Uint8Array | PackRef
