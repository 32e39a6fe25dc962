import type { Change, ChangeSet } from '../../index.js'
import { pluralize } from '../output.js'
import type { State } from './state.js'
import type { Line, Span } from './text.js'

/** Names that a line lists before it counts the others. */
const NAMED = 4
/** What a person should not approve among other things without seeing its number. */
const RISKS: readonly (readonly [(change: Change) => boolean, string])[] = [
  [({ kind }) => kind === 'delete', 'deletion'],
  [({ kind, mode }) => kind === 'mode' || (mode?.before != null && mode.after !== null), 'change of mode'],
  [({ kind, flags }) => kind === 'link' || flags.includes('symlink'), 'link'],
  [({ flags }) => flags.includes('binary'), 'binary file'],
  [({ flags }) => flags.includes('protected') || flags.includes('out-of-scope'), 'protected or out of scope'],
]

/** Files in one line: how many, their hunks and lines, what is risky among them, and the first names. */
export function describeFiles(changes: readonly Change[]): string {
  const hunks = changes.reduce((sum, change) => sum + change.hunks.length, 0)
  const { added, removed } = linesOf(changes)
  const risks = RISKS.flatMap(([is, name]) => {
    const count = changes.filter(is).length
    return count === 0 ? [] : [name.includes(' or ') ? `${count} ${name}` : pluralize(count, name)]
  })
  const names = changes.slice(0, NAMED).map(({ path }) => path)
  const more = changes.length > NAMED ? ` and ${changes.length - NAMED} more` : ''
  const counts = [pluralize(changes.length, 'file'), pluralize(hunks, 'hunk'), `+${added} -${removed}`, ...risks]
  return `${counts.join(', ')} (${names.join(', ')}${more})`
}

/** The files of the document, in its order. */
export function filesOf({ document }: State): readonly Change[] {
  const files = new Set(document.stops.flatMap(({ change }) => change ?? []))
  return [...files]
}

/** The place of the cursor's file in the list. */
export function fileAt(state: State): number {
  const change = state.document.stops[state.cursor]?.change
  return Math.max(0, change === undefined ? 0 : filesOf(state).indexOf(change))
}

/** A row for each file: its state, how many of its hunks are decided, its lines, its path. The marked one is within `rows`. */
export function fileRows(state: State, at: number, rows: number): Line[] {
  const files = filesOf(state)
  const top = Math.max(0, Math.min(at - Math.floor(rows / 2), files.length - rows))
  return files.slice(top, top + rows).map((change, index): Line => {
    const { decided, all } = countHunks([change])
    const { added, removed } = linesOf([change])
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

function linesOf(changes: readonly Change[]): { readonly added: number; readonly removed: number } {
  let [added, removed] = [0, 0]
  for (const { hunks } of changes)
    for (const hunk of hunks)
      for (const text of hunk.text.split('\n')) {
        if (text.startsWith('+')) added++
        else if (text.startsWith('-')) removed++
      }
  return { added, removed }
}

/** How many hunks there are, and how many of them have a verdict. A file without hunks counts as one. */
export function countHunks(changes: readonly Change[]): { readonly decided: number; readonly all: number } {
  const states = changes.flatMap(({ hunks, state }) => (hunks.length === 0 ? [state] : hunks.map((hunk) => hunk.state)))
  return { decided: states.filter((state) => state !== 'pending').length, all: states.length }
}

/** Whether every hunk has a verdict, and something is approved. */
export function isDecided({ changes }: ChangeSet): boolean {
  const { decided, all } = countHunks(changes)
  const isApproved = ({ state, hunks }: Change) =>
    state === 'approved' || hunks.some((hunk) => hunk.state === 'approved')
  return decided === all && changes.some(isApproved)
}
