import type { ChangeSet, Hunk, Selection, Verdict } from '../index.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** Letters of an id that are always shown, even where fewer would do: an id typed by hand may be mistyped. */
const SHORTEST = 4
const PREFIX = 'h_'

/** For each hunk's id a beginning of it that no other hunk of the change set has, without the `h_`. */
export function shortIds(set: ChangeSet): ReadonlyMap<string, string> {
  const ids = hunksOf(set)
    .map(({ id }) => id)
    .sort()
  return new Map(ids.map((id, index) => [id, shortestPrefix(id, ids[index - 1], ids[index + 1])]))
}

function shortestPrefix(id: string, ...neighbours: (string | undefined)[]): string {
  const shared = neighbours.map((other = '') => [...id].findIndex((letter, at) => letter !== other[at]))
  return id.slice(PREFIX.length, Math.max(PREFIX.length + SHORTEST, ...shared.map((length) => length + 1)))
}

export interface Chosen {
  readonly hunk?: readonly string[]
  readonly call?: readonly string[]
}

/** What paths, `--hunk` and `--call` name together; undefined where there is none of them. */
export function selectionOf(paths: string[], { hunk = [], call = [] }: Chosen, set: ChangeSet): Selection | undefined {
  if (hunk.length + call.length === 0) return paths.length === 0 ? undefined : paths
  return {
    ...(paths.length > 0 && { paths }),
    ...(hunk.length > 0 && { hunks: hunk.map((given) => fullId(given, set)) }),
    ...(call.length > 0 && { calls: [...call] }),
  }
}

function fullId(given: string, set: ChangeSet): string {
  const prefix = given.startsWith(PREFIX) ? given : PREFIX + given
  const found = hunksOf(set).filter(({ id }) => id.startsWith(prefix))
  const [only] = found
  if (only !== undefined && found.length === 1) return only.id
  const what = found.length === 0 ? 'No hunk has' : `${found.length} hunks have`
  const message = `${what} an id that begins with '${given}'. Nothing was recorded.`
  throw Object.assign(new Error(message), {
    reason: 'nothing_selected',
    hint: "'escrow diff' shows each hunk's id behind its @@.",
  })
}

function hunksOf(set: ChangeSet): Hunk[] {
  return set.changes.flatMap(({ hunks }) => hunks)
}

/** A line for each path a verdict is on, with the hunks it is limited to; and how much that is, in words. */
export function renderVerdict(verdict: Verdict, set: ChangeSet): { readonly lines: string; readonly amount: string } {
  const short = shortIds(set)
  const named = new Set(verdict.hunks)
  const parts = verdict.paths.map((path) => {
    const hunks = set.changes.flatMap((change) => (change.path === path ? change.hunks : []))
    return { path, hunks: hunks.filter(({ id }) => named.has(id)).map(({ id }) => short.get(id) ?? id) }
  })
  const lines = parts.map(({ path, hunks }) => `${[verdict.verdict, oneLine(path), ...hunks].join('  ')}\n`).join('')
  const whole = parts.filter(({ hunks }) => hunks.length === 0).length
  const words = [...(whole > 0 || named.size === 0 ? [pluralize(whole, 'change')] : [])]
  if (named.size > 0) words.push(pluralize(named.size, 'hunk'))
  return { lines, amount: words.join(' and ') }
}
