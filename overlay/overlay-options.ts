import type { Keep } from './base.js'
import type { PackRef } from './content.js'
import type { Lower } from './lower.js'
import type { RelPath } from './path.js'
import type { Stage } from './stage.js'
import type { Attribution, Base, EditData, StageEdit } from './stage-edit.js'

/** What an overlay stands on, and who is told of its edits. */
export interface OverlayOptions {
  readonly lower: Lower
  readonly stage: Stage
  /**
   * Called with each edit before it is applied: the durable log, which answers where it keeps the bytes. A throw leaves
   * the stage as it was.
   */
  readonly log?: (edit: StageEdit, data: EditData | undefined) => PackRef | undefined
  readonly credit?: () => Attribution
  /** Told how many bytes a staged file is going to have, before it has. A throw leaves the stage as it was. */
  readonly room?: (path: RelPath, size: number) => void
  /** The base the session knows for a path it is about to touch first (what its agent last read). */
  readonly knownBase?: (path: RelPath) => Base | undefined
  /** Stores a content before the edit that is to have it, without holding the event loop up. */
  readonly keepInParts?: (content: Uint8Array) => Promise<PackRef>
  /** Keeps the content of a base, for merges; answers what was kept, and where. */
  readonly keep?: Keep
}
