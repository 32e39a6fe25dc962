import type { Change, ChangeSet, Hunk, Selection, Verdict } from '../index.js'
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

/**
 * Combines paths and `--hunk`, or takes `--call` alone, as a selection. Hunks of named files are only these hunks, as in `git add --patch`.
 * @returns undefined if all are empty
 * @throws Error `nothing_selected` for a path and a hunk that do not fit together
 */
export function selectionOf(
  paths: string[],
  { hunk = [], call = [] }: SelectionOptions,
  set: ChangeSet,
): Selection | undefined {
  if (hunk.length + call.length === 0) return paths.length === 0 ? undefined : paths
  if (call.length > 0) return { calls: [...call] }
  const hunks = hunk.map((typed) => fullId(typed, set))
  if (paths.length > 0) assertTogether(paths, hunks, set)
  return { hunks }
}

/** Fails unless each hunk is in a named file, and each named file has one of the hunks. */
function assertTogether(paths: readonly string[], hunks: readonly string[], set: ChangeSet): void {
  const names = new Set(paths.map((path) => path.replace(/^\.\//, '')))
  const holders = set.changes
    .filter(({ hunks: own }) => own.some(({ id }) => hunks.includes(id)))
    .map(({ path }) => path)
  const other = holders.find((path) => !names.has(path))
  if (other !== undefined) throw nothingSelected(`A hunk is in ${other}, which is not named.`, HUNKS_ALONE)
  const without = [...names].find((path) => !holders.includes(path))
  if (without !== undefined) throw nothingSelected(`No hunk that you named is in ${without}.`, HUNKS_ALONE)
}

const HUNKS_ALONE =
  'A path with --hunk means only these hunks of that file. Give --hunk without paths, or run it twice.'

function fullId(typed: string, set: ChangeSet): string {
  const prefix = typed.startsWith(PREFIX) ? typed : PREFIX + typed
  const found = hunksOf(set).filter(({ id }) => id.startsWith(prefix))
  const [only] = found
  if (only !== undefined && found.length === 1) return only.id
  const what = found.length === 0 ? 'No hunk has' : `${found.length} hunks have`
  throw nothingSelected(
    `${what} an id that begins with '${typed}'.`,
    "'escrow diff' shows each hunk's id after its @@.",
  )
}

function nothingSelected(what: string, hint: string): Error {
  return Object.assign(new Error(`${what} Nothing was recorded.`), { reason: 'nothing_selected', hint })
}

function hunksOf(set: ChangeSet): Hunk[] {
  return set.changes.flatMap(({ hunks }) => hunks)
}

/** Renders a verdict: a line for each path, with its hunks if only some were selected, and the total amount. */
export function renderVerdict(verdict: Verdict, set: ChangeSet): { readonly lines: string; readonly amount: string } {
  const short = shortIds(set)
  const ids = new Set(verdict.hunks)
  const selected = new Map<string, string[]>()
  for (const { path, hunks } of set.changes) {
    const own = hunks.filter(({ id }) => ids.has(id)).map(({ id }) => short.get(id) ?? id)
    selected.set(path, [...(selected.get(path) ?? []), ...own])
  }
  const parts = verdict.paths.map((path) => ({ path, hunks: selected.get(path) ?? [] }))
  const lines = parts.map(({ path, hunks }) => `${[verdict.verdict, oneLine(path), ...hunks].join('  ')}\n`).join('')
  const whole = parts.filter(({ hunks }) => hunks.length === 0).length
  const amounts = [...(whole > 0 || ids.size === 0 ? [pluralize(whole, 'change')] : [])]
  if (ids.size > 0) amounts.push(pluralize(ids.size, 'hunk'))
  return { lines, amount: amounts.join(' and ') }
}

/** The changes that a verdict is not about. */
export function leftOut({ changes }: ChangeSet, verdict: Verdict): Change[] {
  const paths = new Set(verdict.paths)
  return changes.filter(({ path }) => !paths.has(path))
}
