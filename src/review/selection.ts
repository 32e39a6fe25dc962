import { isAbsolute, relative, sep } from 'node:path'
import type { Selection } from '../core/api.js'
import { EscrowError, type Refusal } from '../core/api-error.js'
import { compileGlob } from './glob.js'
import type { HunkRef } from './record-schema.js'

/** A change that a selection can name. */
export interface Selectable {
  readonly path: string
  /** The tool calls that wrote it. */
  readonly calls: readonly string[]
  readonly hunks: readonly HunkRef[]
  /** Whether its hunks can be decided one by one. */
  readonly divisible: boolean
}

/** A selected change. */
export interface Chosen<T> {
  readonly change: T
  /** Undefined: all of the change. */
  readonly hunks?: readonly HunkRef[]
}

/** The session that changes belong to, and the absolute root that absolute paths are under. */
export interface SelectionContext {
  readonly root: string
  readonly sessionId: string
}

/**
 * Returns the changes that a selection names, in the order of `changes`. A string that equals a path names it. Any other string is a
 * glob. A change is chosen as a whole if it is named by path or call, or if its hunks cannot be decided one by one.
 * @throws EscrowError `nothing_selected` with the first name that matches nothing, or for an empty selection; `unsupported`
 *   with each change that an unselected call wrote as well
 */
export function select<T extends Selectable>(
  selection: Selection,
  changes: readonly T[],
  of: SelectionContext,
): Chosen<T>[] {
  const { paths, hunks, calls } = namesOf(selection)
  if (paths.length + hunks.length + calls.length === 0) {
    throw nothingSelected('The selection is empty, so it names no change.', PATHS)
  }
  const named = paths.length === 0 ? new Map<string, T[]>() : byName(changes)
  const whole = new Set<T>([
    ...paths.flatMap((name) => byPath(name, changes, named, of)),
    ...byCalls(calls, changes, of),
  ])
  const parts = new Map<T, Set<string>>()
  const holders = hunks.length === 0 ? new Map<string, T>() : holdersOf(changes)
  for (const id of hunks) {
    const change = holders.get(id)
    if (change === undefined) throw noHunk(id, of)
    if (!change.divisible) whole.add(change)
    else parts.set(change, (parts.get(change) ?? new Set()).add(id))
  }
  return changes.flatMap((change): Chosen<T>[] => {
    const part = parts.get(change)
    if (whole.has(change)) return [{ change }]
    return part === undefined ? [] : [{ change, hunks: change.hunks.filter(({ id }) => part.has(id)) }]
  })
}

/** Whether resolving a selection needs the hunks of each change. */
export function namesHunks(selection: Selection | undefined): boolean {
  return selection !== undefined && namesOf(selection).hunks.length > 0
}

function namesOf(selection: Selection): { paths: string[]; hunks: string[]; calls: string[] } {
  const none = { paths: [], hunks: [], calls: [] }
  if (typeof selection === 'string') return { ...none, paths: [selection] }
  if (Array.isArray(selection)) return { ...none, paths: selection }
  return { paths: selection.paths ?? [], hunks: selection.hunks ?? [], calls: selection.calls ?? [] }
}

/** Replacing a file by a directory is two changes of one path. */
function byName<T extends Selectable>(changes: readonly T[]): Map<string, T[]> {
  const index = new Map<string, T[]>()
  for (const change of changes) {
    const known = index.get(change.path)
    if (known) known.push(change)
    else index.set(change.path, [change])
  }
  return index
}

/** Hunk id → its change. */
function holdersOf<T extends Selectable>(changes: readonly T[]): Map<string, T> {
  const holders = new Map<string, T>()
  for (const change of changes) for (const { id } of change.hunks) if (!holders.has(id)) holders.set(id, change)
  return holders
}

function byPath<T extends Selectable>(
  given: string,
  changes: readonly T[],
  named: ReadonlyMap<string, T[]>,
  { root, sessionId }: SelectionContext,
): T[] {
  const name = relativeName(given, root)
  const equal = named.get(name) ?? []
  const isMatch = equal.length === 0 ? compileGlob(name) : undefined
  const found = isMatch === undefined ? equal : changes.filter(({ path }) => isMatch(path))
  if (found.length > 0) return found
  const below = `${name.replace(/\/+$/, '')}/`
  const hint = changes.some(({ path }) => path.startsWith(below))
    ? `For the changes below it, give '${below}**'.`
    : PATHS
  throw nothingSelected(`No staged change of session '${sessionId}' matches '${name}'.`, hint)
}

/** A path relative to the root, as `changes()` has it. */
export function relativeName(name: string, root: string): string {
  return isAbsolute(name) ? relative(root, name).split(sep).join('/') : name.replace(/^(\.\/+)+/, '')
}

function noHunk(id: string, { sessionId }: SelectionContext): EscrowError {
  const message = `No staged change of session '${sessionId}' has the hunk '${id}'. It may have changed since you saw it.`
  return nothingSelected(message, "'escrow diff' shows each hunk's id after its @@. Nothing was recorded.")
}

function byCalls<T extends Selectable>(
  calls: readonly string[],
  changes: readonly T[],
  { sessionId }: SelectionContext,
): T[] {
  const wanted = new Set(calls)
  const known = new Set(wanted.size === 0 ? [] : changes.flatMap((change) => change.calls))
  for (const call of wanted) {
    if (known.has(call)) continue
    const message = `No staged change of session '${sessionId}' was written by the tool call '${call}'.`
    throw nothingSelected(message, "'escrow diff --by file' names the tool calls of each change. Nothing was recorded.")
  }
  const found = changes.filter((change) => change.calls.some((call) => wanted.has(call)))
  refuseShared(found, wanted)
  return found
}

/** A change that several calls wrote cannot be divided by call. */
function refuseShared(found: readonly Selectable[], wanted: ReadonlySet<string>): void {
  const refused = found.flatMap(({ path, calls }): Refusal[] => {
    const others = calls.filter((call) => !wanted.has(call))
    if (others.length === 0) return []
    const message = `${path} was also written by ${others.map((call) => `'${call}'`).join(', ')}.`
    return [{ path, reason: 'unsupported', message }]
  })
  if (refused.length === 0) return
  const message = `${refused.map((each) => each.message).join(' ')} Nothing was recorded.`
  throw new EscrowError('unsupported', message, { refused, hint: 'Name those calls too, or the path, or its hunks.' })
}

const PATHS =
  "Name a staged path relative to the root, or a glob such as 'src/**'. 'escrow diff --name-only' lists the paths. Nothing was recorded."

function nothingSelected(message: string, hint: string): EscrowError {
  return new EscrowError('nothing_selected', message, { hint })
}
