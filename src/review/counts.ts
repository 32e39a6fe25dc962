import type { Change } from '../core/api.js'

/** Counts the lines that changes add and remove. */
export function countLines(changes: readonly Change[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0]
  for (const { hunks } of changes) {
    for (const { text } of hunks) {
      // The first line is the hunk's header.
      for (let at = text.indexOf('\n') + 1; at > 0 && at < text.length; at = text.indexOf('\n', at) + 1) {
        if (text[at] === '+') added++
        else if (text[at] === '-') removed++
      }
    }
  }
  return { added, removed }
}
