import type { RelPath } from './path.js'
import type { Base } from './stage-edit.js'

/** The nodes to remove from a stage, and the bases of those that stay. */
export interface ReconcilePlan {
  readonly drop: RelPath[]
  readonly point: [RelPath, RelPath | null][]
  readonly hide: RelPath[]
  readonly forget: RelPath[]
  readonly bases: [RelPath, Base][]
}
