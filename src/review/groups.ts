import type { Change, ChangeGroup, ChangeSet } from '../core/api.js'

/** What a person must not overlook, the gravest first: that something goes, then flags. */
const TITLES: Readonly<Record<string, string>> = {
  delete: 'Deletions',
  'class-disagrees': 'Declared otherwise than measured',
  conflict: 'Conflicts',
  'out-of-scope': 'Out of scope',
  protected: 'Protected paths',
  drifted: 'Changed on disk since',
}
const GRAVE = Object.keys(TITLES)

/** What a group's `attention` says to a person. */
export function attentionTitle(attention: string): string {
  return TITLES[attention] ?? attention
}

/**
 * The changes of a set in the order a person should read them: deletions, then those with a flag of warning (one group
 * for each), then the rest by the intent they were made for and the tool call that made them first.
 */
export function groupChanges({ changes }: ChangeSet): ChangeGroup[] {
  const groups = new Map<string, ChangeGroup & { readonly changes: Change[] }>()
  const keyed = changes.map((change) => ({ change, key: keyOf(change) }))
  for (const { change, key } of keyed.sort(byKey)) {
    const text = JSON.stringify(key)
    const group = groups.get(text) ?? { ...titleOf(change), changes: [] }
    groups.set(text, group)
    group.changes.push(change)
  }
  return [...groups.values()]
}

function titleOf(change: Change): Omit<ChangeGroup, 'changes'> {
  const attention = attentionOf(change)
  if (attention !== undefined) return { attention }
  const { intentId, calls: [callId] = [] } = change
  return { ...(intentId !== undefined && { intentId }), ...(callId !== undefined && { callId }) }
}

/** Why a change comes before others. */
function attentionOf({ kind, flags }: Change): string | undefined {
  return GRAVE.find((reason) => (reason === 'delete' ? kind === 'delete' : flags.includes(reason)))
}

/** Groups in order: equal keys are one group. */
function keyOf(change: Change): readonly string[] {
  const attention = attentionOf(change)
  if (attention !== undefined) return [String(GRAVE.indexOf(attention))]
  return ['9', change.intentId ?? '', change.calls?.[0] ?? '']
}

interface Keyed {
  readonly change: Change
  readonly key: readonly string[]
}

function byKey(a: Keyed, b: Keyed): number {
  const [first, second] = [
    [...a.key, a.change.path],
    [...b.key, b.change.path],
  ]
  const at = first.findIndex((each, index) => each !== second[index])
  return at < 0 ? 0 : (first[at] ?? '') < (second[at] ?? '') ? -1 : 1
}
