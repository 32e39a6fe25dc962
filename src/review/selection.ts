import { isAbsolute, relative, sep } from 'node:path'
import type { Selection } from '../core/api.js'
import { EscrowError, unsupported } from '../core/api-error.js'
import { compileGlob } from './glob.js'

/**
 * The changes a selection names, in their own order. A string is a path first, and a glob where no path is equal.
 * @param of the session the changes are of, and the absolute root that absolute paths are under
 * @throws `nothing_selected` naming the first string that names no change, or when there is none at all;
 *   `unsupported` for hunks and calls.
 */
export function select<T extends { readonly path: string }>(
  selection: Selection,
  changes: readonly T[],
  { root, sessionId }: { readonly root: string; readonly sessionId: string },
): T[] {
  const names = namesOf(selection)
  if (names.length === 0) throw nothingSelected('The selection is empty, so it names no change.')
  const chosen = new Set<T>()
  for (const name of names) {
    const found = matching(toRelative(name, root), changes)
    if (found.length === 0) throw nothingSelected(`No staged change of session '${sessionId}' matches '${name}'.`)
    for (const change of found) chosen.add(change)
  }
  return changes.filter((change) => chosen.has(change))
}

function namesOf(selection: Selection): string[] {
  if (typeof selection === 'string') return [selection]
  if (Array.isArray(selection)) return selection
  if (selection.hunks !== undefined) throw unsupported('Selecting hunks')
  if (selection.calls !== undefined) throw unsupported('Selecting tool calls')
  return selection.paths ?? []
}

function toRelative(name: string, root: string): string {
  if (isAbsolute(name)) return relative(root, name).split(sep).join('/')
  return name.replace(/^(\.\/+)+/, '')
}

function matching<T extends { readonly path: string }>(name: string, changes: readonly T[]): T[] {
  const equal = changes.filter(({ path }) => path === name)
  const isMatch = equal.length === 0 ? compileGlob(name) : undefined
  return isMatch === undefined ? equal : changes.filter(({ path }) => isMatch(path))
}

function nothingSelected(message: string): EscrowError {
  const hint = "Name a path of changes(), relative to the root, or a glob such as 'src/**'. Nothing was recorded."
  return new EscrowError('nothing_selected', message, { hint })
}
