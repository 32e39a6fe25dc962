import type { ChangeSet, Hunk, Selection, Verdict } from '../index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** The minimum length of a short id. A shorter one could match another hunk after a typing error. */
const MIN_ID_LENGTH = 4
const PREFIX = 'h_'

/** Maps each hunk's id to a unique prefix of it within the change set, without the `h_`. */
export function shortIds(set: ChangeSet): ReadonlyMap<string, string> {
  const ids = hunksOf(set)
    .map(({ id }) => id)
    .sort()
  return new Map(ids.map((id, index) => [id, shortestPrefix(id, ids[index - 1], ids[index + 1])]))
}

function shortestPrefix(id: string, ...neighbours: (string | undefined)[]): string {
  const shared = neighbours.map((other = '') => [...id].findIndex((letter, at) => letter !== other[at]))
  return id.slice(PREFIX.length, Math.max(PREFIX.length + MIN_ID_LENGTH, ...shared.map((length) => length + 1)))
}

export interface SelectionOptions {
  readonly hunk?: readonly string[]
  readonly call?: readonly string[]
}

/** Combines paths, `--hunk` and `--call` into a selection. Undefined if all are empty. */
export function selectionOf(
  paths: string[],
  { hunk = [], call = [] }: SelectionOptions,
  set: ChangeSet,
): Selection | undefined {
  if (hunk.length + call.length === 0) return paths.length === 0 ? undefined : paths
  return {
    ...(paths.length > 0 && { paths }),
    ...(hunk.length > 0 && { hunks: hunk.map((typed) => fullId(typed, set)) }),
    ...(call.length > 0 && { calls: [...call] }),
  }
}

function fullId(typed: string, set: ChangeSet): string {
  const prefix = typed.startsWith(PREFIX) ? typed : PREFIX + typed
  const found = hunksOf(set).filter(({ id }) => id.startsWith(prefix))
  const [only] = found
  if (only !== undefined && found.length === 1) return only.id
  const what = found.length === 0 ? 'No hunk has' : `${found.length} hunks have`
  const message = `${what} an id that begins with '${typed}'. Nothing was recorded.`
  throw Object.assign(new Error(message), {
    reason: 'nothing_selected',
    hint: "'escrow diff' shows each hunk's id behind its @@.",
  })
}

function hunksOf(set: ChangeSet): Hunk[] {
  return set.changes.flatMap(({ hunks }) => hunks)
}

/** Renders a verdict: a line for each path, with its hunks if only some were selected, and the total amount. */
export function renderVerdict(verdict: Verdict, set: ChangeSet): { readonly lines: string; readonly amount: string } {
  const short = shortIds(set)
  const named = new Set(verdict.hunks)
  const parts = verdict.paths.map((path) => {
    const hunks = set.changes.flatMap((change) => (change.path === path ? change.hunks : []))
    return { path, hunks: hunks.filter(({ id }) => named.has(id)).map(({ id }) => short.get(id) ?? id) }
  })
  const lines = parts.map(({ path, hunks }) => `${[verdict.verdict, oneLine(path), ...hunks].join('  ')}\n`).join('')
  const whole = parts.filter(({ hunks }) => hunks.length === 0).length
  const amounts = [...(whole > 0 || named.size === 0 ? [pluralize(whole, 'change')] : [])]
  if (named.size > 0) amounts.push(pluralize(named.size, 'hunk'))
  return { lines, amount: amounts.join(' and ') }
}
