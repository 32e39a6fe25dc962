import type { StagedChange } from '../../overlay/index.js'
import type { Change } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { BY_DIFF, BY_EDIT, BY_MERGE } from '../core/hint-commands.js'
import type { BaseDiffs } from './base-diffs.js'
import { byImportance } from './change-set.js'
import { isDivisible, refOf } from './judge.js'
import { entryOf, keyOf, matches } from './record.js'
import type { ChangeRef } from './record-schema.js'
import type { Chosen, Selectable } from './selection.js'

/** A change as a reviewer saw it. Verdicts refer to this version, not to a later one. */
export interface DisplayedChange extends Selectable, ChangeRef {
  readonly drifted: boolean
}

/** @param views the changes as they were displayed; without them no hunk counts as displayed */
export function displayedOf(staged: readonly StagedChange[], views: readonly Change[] = []): DisplayedChange[] {
  const viewOf = new Map(views.map((view) => [viewKey(view), view]))
  return [...staged].sort(byImportance).map((change): DisplayedChange => {
    const view = viewOf.get(viewKey({ path: change.path, kind: change.kind }))
    const [hunks, flags] = [view?.hunks ?? [], view?.flags ?? []]
    const encoding = flags.includes('encoding-changed') ? (['encoding-changed'] as const) : []
    return {
      ...entryOf(change),
      calls: change.calls,
      hunks: hunks.map(refOf),
      divisible: isDivisible(change, { hunks, encoding }),
      drifted: change.drifted || flags.includes('drifted'),
    }
  })
}

/** Replacing a file by a directory is two changes of one path. */
function viewKey({ path, kind }: Pick<Change, 'path' | 'kind'>): string {
  return `${kind} ${path}`
}

/** @throws EscrowError `stale_file` naming each change that is no longer staged as it was displayed. */
export function refuseChanged(
  chosen: readonly Chosen<DisplayedChange>[],
  staged: readonly StagedChange[],
  diffs: BaseDiffs,
): void {
  const now = new Map(staged.map((change) => [keyOf(change), change]))
  const refused = chosen.flatMap(({ change: displayed, hunks }) => {
    const change = now.get(keyOf(displayed))
    if (change === undefined) return [refusal(displayed.path, 'is no longer staged')]
    if (matches(displayed, change)) return []
    const left = hunks && diffs.hunkIds(change)
    if (left !== undefined && hunks?.every(({ id }) => left.has(id))) return []
    return [refusal(displayed.path, 'was changed in the stage')]
  })
  throwIfAny(refused, 'since it was shown', `Look at it again ${BY_DIFF}, then decide.`)
}

const DRIFTED = `First merge it with what is on disk, ${BY_MERGE}.`

/** @throws EscrowError `stale_file` naming each change whose base is no longer on disk. */
export function refuseDrifted(
  chosen: readonly Chosen<DisplayedChange>[],
  drifted: (displayed: DisplayedChange) => boolean,
): void {
  const refused = chosen.flatMap(({ change }) => (drifted(change) ? [refusal(change.path, 'was changed on disk')] : []))
  throwIfAny(refused, 'since the agent read it', DRIFTED)
}

/** @throws EscrowError `stale_file` naming each change whose staged content has conflict markers. */
export function refuseMarked(
  chosen: readonly Chosen<DisplayedChange>[],
  marked: (displayed: DisplayedChange) => boolean,
): void {
  const refused = chosen.flatMap(({ change }) => (marked(change) ? [refusal(change.path, 'has conflict markers')] : []))
  throwIfAny(refused, 'since it was merged', `Resolve the conflict ${BY_EDIT}, then decide.`)
}

function refusal(path: string, what: string): Refusal {
  return { path, reason: 'stale_file', message: `${path} ${what}` }
}

function throwIfAny(found: readonly Refusal[], since: string, hint: string): void {
  if (found.length === 0) return
  const refused = found.map((each) => ({ ...each, message: `${each.message} ${since}.` }))
  const message = `${refused.map((each) => each.message).join(' ')} Nothing was recorded.`
  throw new EscrowError('stale_file', message, { hint, refused })
}
