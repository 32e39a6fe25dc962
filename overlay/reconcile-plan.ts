import type { RelPath } from './path.js'
import type { Base } from './stage-edit.js'

/** What is to leave a stage, and the bases of what stays. */
export interface ReconcilePlan {
  readonly drop: RelPath[]
  readonly point: [RelPath, RelPath | null][]
  readonly hide: RelPath[]
  readonly forget: RelPath[]
  readonly bases: [RelPath, Base][]
}
