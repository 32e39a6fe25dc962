import { diffArrays } from 'diff'
import { linesOf } from './attribution.js'
import { DIFF_EDITS } from './line-hunks.js'

/** A reviewer's edit of a staged file: the content they saw, and the content they made. */
export interface Edit {
  readonly seen: Uint8Array
  readonly made: Uint8Array
}

/**
 * The lines of a content, from 0, that a reviewer's edit added and that still exist. Each edit's new lines are followed
 * from content to content. Content that is entirely different from the one before keeps none of them.
 * @param edits the edits of one file, in order; the agent may have written to the file between them
 */
export function editedLines(edits: readonly Edit[], committed: Uint8Array): ReadonlySet<number> {
  let at: string[] = []
  let edited: ReadonlySet<number> = new Set()
  const follow = (content: Uint8Array, isEdit: boolean) => {
    const next = linesOf(content)
    edited = followLines(at, edited, next, isEdit)
    at = next
  }
  for (const { seen, made } of edits) {
    follow(seen, false)
    follow(made, true)
  }
  if (edits.length > 0) follow(committed, false)
  return edited
}

function followLines(old: string[], edited: ReadonlySet<number>, now: string[], isEdit: boolean): Set<number> {
  const found = new Set<number>()
  const parts = diffArrays(old, now, { maxEditLength: DIFF_EDITS }) ?? []
  let [from, to] = [0, 0]
  for (const { added, removed, count } of parts) {
    for (let line = 0; line < count && !removed; line++) {
      if (added ? isEdit : edited.has(from + line)) found.add(to + line)
    }
    if (!added) from += count
    if (!removed) to += count
  }
  return found
}
