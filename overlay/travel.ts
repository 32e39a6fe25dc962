import { stateNow } from './base.js'
import type { FileState } from './change.js'
import { sameState } from './change.js'
import { mergedState } from './diff.js'
import { Overlay } from './overlay.js'
import type { RelPath } from './path.js'
import { type Landed, type Settlement, settleDiscarded, settleLanded, tidy } from './settle.js'
import type { Version } from './snapshot.js'
import { Stage } from './stage.js'
import type { SettleStep } from './stage-edit.js'
import { takeBack } from './take-back.js'

/** What has happened to a session's changes since a snapshot. */
export interface Since {
  readonly landed: readonly Landed[]
  readonly discarded: readonly { readonly path: RelPath; readonly from?: RelPath; readonly after: FileState | null }[]
}

export interface TravelPlan {
  readonly less: SettleStep[]
  /** Paths that do not go back: the session's own commits changed them since. */
  readonly kept: RelPath[]
}

/**
 * What of a snapshot does not come back. A path that this session's commits have changed since shows the disk: neither
 * is a base of then taken for the present one, nor what was committed staged to be undone. What other sessions committed
 * and what a person discarded leaves the stage as it would have at the time.
 */
export function planTravel({ lower }: Overlay, version: Version, { landed, discarded }: Since): TravelPlan {
  if (landed.length === 0 && discarded.length === 0) return { less: [], kept: [] }
  const there = new Overlay({ lower, stage: Stage.of(version) })
  const less: SettleStep[] = []
  const take = ({ drop, point, hide, forget }: Settlement) => {
    if (drop.length + point.length + hide.length + forget.length === 0) return
    less.push({ drop, point, hide, forget })
    const { settledSeq: seq, reviewed } = there.stage
    there.apply({ op: 'settle', t: '0', drop, point, hide, forget, seq, reviewed })
  }
  const own = landed.filter((each) => each.own).map(({ path }) => path)
  const kept = own.filter((path) => !sameState(mergedState(there, path), stateNow(lower, path, { state: null })))
  take(takeBack(there, new Set(own)))
  take(
    settleLanded(
      there,
      landed.filter((each) => !each.own),
    ),
  )
  take(settleDiscarded(there, discarded))
  take(tidy(there))
  return { less, kept: [...new Set(kept)].sort() }
}
