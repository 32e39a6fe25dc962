import type { Change, ChangeSet } from '../../index.js'
import { pluralize } from '../output.js'
import type { State } from './state.js'
import type { Line, Span } from './text.js'

/** Names that a line lists. It counts the others. */
const MAX_NAMES = 4
/** Risky kinds of change, which a confirmation counts separately. */
const RISKS: readonly (readonly [(change: Change) => boolean, string])[] = [
  [({ kind }) => kind === 'delete', 'deletion'],
  [({ kind, mode }) => kind === 'mode' || (mode?.before != null && mode.after !== null), 'change of mode'],
  [({ kind, flags }) => kind === 'link' || flags.includes('symlink'), 'link'],
  [({ flags }) => flags.includes('binary'), 'binary file'],
  [({ flags }) => flags.includes('protected') || flags.includes('out-of-scope'), 'protected or out of scope'],
]

/** Describes changes in one line: the numbers of files, hunks, lines and risky changes, and the first paths. */
export function describeFiles(changes: readonly Change[]): string {
  const hunks = changes.reduce((sum, change) => sum + change.hunks.length, 0)
  const { added, removed } = countLines(changes)
  const risks = RISKS.flatMap(([is, name]) => {
    const count = changes.filter(is).length
    return count === 0 ? [] : [name.includes(' or ') ? `${count} ${name}` : pluralize(count, name)]
  })
  const names = changes.slice(0, MAX_NAMES).map(({ path }) => path)
  const more = changes.length > MAX_NAMES ? ` and ${changes.length - MAX_NAMES} more` : ''
  const counts = [pluralize(changes.length, 'file'), pluralize(hunks, 'hunk'), `+${added} -${removed}`, ...risks]
  return `${counts.join(', ')} (${names.join(', ')}${more})`
}

/** The files of the document, in its order. */
export function filesOf({ document }: State): readonly Change[] {
  const files = new Set(document.stops.flatMap(({ change }) => change ?? []))
  return [...files]
}

/** The index of the cursor's file in the list. */
export function cursorFileIndex(state: State): number {
  const change = state.document.stops[state.cursor]?.change
  return Math.max(0, change === undefined ? 0 : filesOf(state).indexOf(change))
}

/** A row for each file: state, decided hunks, lines, path. Returns at most `rows` rows, with the one at index `at` among them. */
export function fileRows(state: State, at: number, rows: number): Line[] {
  const files = filesOf(state)
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), files.length - rows))
  return files.slice(top, top + rows).map((change, index): Line => {
    const { decided, all } = countHunks([change])
    const { added, removed } = countLines([change])
    const isMarked = top + index === at
    const spans: Span[] = [
      { text: isMarked ? '> ' : '  ', style: isMarked ? 'mark' : 'plain' },
      {
        text: change.state.padEnd(9),
        style: change.state === 'approved' ? 'ok' : change.state === 'rejected' ? 'no' : 'plain',
      },
      { text: `${decided}/${all}`.padStart(7), style: 'dim' },
      { text: `+${added}`.padStart(7), style: 'ok' },
      { text: ` -${removed}`.padEnd(8), style: 'no' },
      { text: change.path, style: isMarked ? 'bold' : 'plain' },
    ]
    return spans
  })
}

function countLines(changes: readonly Change[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0]
  for (const { hunks } of changes)
    for (const hunk of hunks)
      for (const text of hunk.text.split('\n')) {
        if (text.startsWith('+')) added++
        else if (text.startsWith('-')) removed++
      }
  return { added, removed }
}

/** Counts all hunks, and those that have a verdict. A file without hunks counts as one. */
export function countHunks(changes: readonly Change[]): { readonly decided: number; readonly all: number } {
  const states = changes.flatMap(({ hunks, state }) => (hunks.length === 0 ? [state] : hunks.map((hunk) => hunk.state)))
  return { decided: states.filter((state) => state !== 'pending').length, all: states.length }
}

/** True if every hunk has a verdict and at least one is approved. */
export function isDecided({ changes }: ChangeSet): boolean {
  const { decided, all } = countHunks(changes)
  const isApproved = ({ state, hunks }: Change) =>
    state === 'approved' || hunks.some((hunk) => hunk.state === 'approved')
  return decided === all && changes.some(isApproved)
}
