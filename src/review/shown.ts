import type { StagedChange } from '../../overlay/change.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { byImportance } from './change-set.js'
import { entryOf, keyOf, matches, type ReviewEntry } from './record.js'

/** What a person has been shown: a verdict is given on this and on nothing that came after. */
export interface Shown extends ReviewEntry {
  readonly drifted: boolean
}

/** @param drifted the paths whose hunks were taken from a disk that no longer held the base */
export function shownOf(staged: readonly StagedChange[], drifted: ReadonlySet<string>): Shown[] {
  return [...staged]
    .sort(byImportance)
    .map((change) => ({ ...entryOf(change), drifted: change.drifted || drifted.has(change.path) }))
}

/** @throws `stale_file`, naming each, where the stage no longer holds a change as it was shown. */
export function refuseChanged(chosen: readonly Shown[], staged: readonly StagedChange[]): void {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const refused = chosen.flatMap((shown) => {
    const change = now.get(keyOf(shown))
    if (change !== undefined && matches(shown, change)) return []
    return [refusal(shown.path, change === undefined ? 'has left the stage' : 'was changed in the stage')]
  })
  throwIfAny(refused, 'since it was shown')
}

/** @throws `stale_file`, naming each, where the disk no longer holds what a change is based on. */
export function refuseDrifted(chosen: readonly Shown[], drifted: (shown: Shown) => boolean): void {
  const refused = chosen.filter(drifted).map(({ path }) => refusal(path, 'was changed on disk'))
  throwIfAny(refused, 'since the agent read it')
}

function refusal(path: string, what: string): Refusal {
  return { path, reason: 'stale_file', message: `${path} ${what}` }
}

function throwIfAny(found: readonly Refusal[], since: string): void {
  if (found.length === 0) return
  const refused = found.map((each) => ({ ...each, message: `${each.message} ${since}.` }))
  const message = `${refused.map((each) => each.message).join(' ')} Nothing was recorded.`
  throw new EscrowError('stale_file', message, { hint: 'Look at changes() again, then decide.', refused })
}
