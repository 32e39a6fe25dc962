import type { Change, ChangeGroup, ChangeSet } from '../core/api.js'
import { defined } from '../core/defined.js'

/** Changes that a person must not overlook, most severe first: deletions, then flags. */
const TITLES: Readonly<Record<string, string>> = {
  delete: 'Deletions',
  'class-disagrees': 'Declared otherwise than measured',
  conflict: 'Conflicts',
  'out-of-scope': 'Out of scope',
  protected: 'Protected paths',
  drifted: 'Changed on disk',
}
const GRAVE = Object.keys(TITLES)

/** The headings of groups that need attention. */
export function attentionTitle(attention: string): string {
  return TITLES[attention] ?? attention
}

/**
 * Groups the changes of a set in reading order: deletions, then one group for each warning flag, then the rest in the order
 * of time, by the tool call that first wrote them. Within a group, changes are sorted by path.
 */
export function groupChanges({ changes }: ChangeSet): ChangeGroup[] {
  const times = timesOfCalls(changes)
  const placed = changes.map((change) => ({ change, ...placeOf(change, times) }))
  const began = new Map<string, number>()
  for (const { key, time } of placed) began.set(key, Math.min(began.get(key) ?? time, time))
  const keyed = placed.map((each) => ({ ...each, time: began.get(each.key) ?? each.time }))
  const groups = new Map<string, ChangeGroup & { readonly changes: Change[] }>()
  for (const { change, key } of keyed.sort(byPlace)) {
    const group = groups.get(key) ?? { ...titleOf(change), changes: [] }
    groups.set(key, group)
    group.changes.push(change)
  }
  return [...groups.values()]
}

function titleOf(change: Change): Omit<ChangeGroup, 'changes'> {
  const attention = attentionOf(change)
  if (attention !== undefined) return { attention }
  const { intentId, calls: [callId] = [] } = change
  return { ...defined({ intentId, callId }) }
}

/** The reason to list a change before others. */
export function attentionOf({ kind, flags }: Pick<Change, 'kind' | 'flags'>): string | undefined {
  return GRAVE.find((reason) => (reason === 'delete' ? kind === 'delete' : flags.includes(reason)))
}

/** A change's group, and the position of the group: by rank, then by time. */
interface Place {
  readonly key: string
  readonly rank: number
  readonly time: number
}

function placeOf(change: Change, times: ReadonlyMap<string, number>): Place {
  const attention = attentionOf(change)
  if (attention !== undefined) return { key: attention, rank: GRAVE.indexOf(attention), time: 0 }
  const { intentId = '', calls: [call] = [] } = change
  const key = JSON.stringify([intentId, call ?? ''])
  return { key, rank: GRAVE.length, time: call === undefined ? (change.writtenAt ?? 0) - 1 : (times.get(call) ?? 0) }
}

/**
 * The latest time at which each call can have written. The stage keeps the number of a file's last edit, and the file's calls in order. So
 * a call wrote no later than the earliest of these numbers among its files.
 */
function timesOfCalls(changes: readonly Change[]): ReadonlyMap<string, number> {
  const times = new Map<string, number>()
  // Calls of one file that nothing else dates keep their order: the fraction is below the distance of two edits.
  for (const { calls = [], writtenAt = 0 } of changes)
    for (const [at, call] of calls.entries())
      times.set(call, Math.min(times.get(call) ?? Number.POSITIVE_INFINITY, writtenAt - 1 + (at + 1) / calls.length))
  return times
}

interface Keyed extends Place {
  readonly change: Change
}

function byPlace(a: Keyed, b: Keyed): number {
  if (a.rank !== b.rank || a.time !== b.time) return a.rank - b.rank || a.time - b.time
  const [first, second] = [
    [a.key, a.change.path],
    [b.key, b.change.path],
  ]
  const at = first.findIndex((each, index) => each !== second[index])
  return at < 0 ? 0 : (first[at] ?? '') < (second[at] ?? '') ? -1 : 1
}
