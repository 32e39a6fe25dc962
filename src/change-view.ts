import { diffStage, type Overlay, type StagedChange } from '../overlay/index.js'
import type { ChangeSet } from './core/api.js'
import type { Policy } from './policy/index.js'
import { toChangeSet } from './review/change-set.js'
import type { ReviewRecord } from './review/record.js'
import { verdictState } from './review/verdicts.js'

/** What is staged, as both sides see it: the agent by `session.changes()`, the person by `review.changes()`. */
export function changeSetOf(overlay: Overlay, policy: Policy, reviews: readonly ReviewRecord[]): ChangeSet {
  return toChangeSet(diffStage(overlay).changes, {
    before: (change) => beforeOf(overlay, change),
    flags: (change) => flagsOf(policy, change),
    verdicts: verdictState(reviews),
  })
}

/** The bytes on disk a change would replace (a link's target); null where there are none. */
export function beforeOf(overlay: Overlay, change: StagedChange): Uint8Array | null {
  const path = change.from ?? change.path
  const type = overlay.lower.typeOf(path)
  if (type === 'file') return overlay.lower.read(path)
  return type === 'symlink' ? Buffer.from(overlay.lower.readlink(path)) : null
}

export function flagsOf(policy: Policy, change: StagedChange): string[] {
  const paths = change.from === undefined ? [change.path] : [change.path, change.from]
  return [...new Set(paths.flatMap((path) => policy.flags(path, change.intentId)))]
}
