import type { Keep } from './base.js'
import type { PackRef } from './content.js'
import type { Lower } from './lower.js'
import type { RelPath } from './path.js'
import type { Stage } from './stage.js'
import type { Attribution, Base, EditData, StageEdit } from './stage-edit.js'

/** The lower layer of an overlay, and the callbacks for its edits. */
export interface OverlayOptions {
  readonly lower: Lower
  readonly stage: Stage
  /**
   * Called with each edit before it is applied. Appends it to the durable log, and returns the place of its bytes. Throw to
   * leave the stage unchanged.
   */
  readonly log?: (edit: StageEdit, data: EditData | undefined) => PackRef | undefined
  readonly credit?: () => Attribution
  /** Called before a staged file grows, with its new size in bytes. Throw to refuse the write. */
  readonly room?: (path: RelPath, size: number) => void
  /** Returns the base for a path's first edit that the session knows: the content that its agent last read. */
  readonly knownBase?: (path: RelPath) => Base | undefined
  /** Stores a content before its edit, without blocking the event loop. */
  readonly keepInParts?: (content: Uint8Array) => Promise<PackRef>
  /** Keeps the content of a base, for merges. Returns its digest and place. */
  readonly keep?: Keep
}
