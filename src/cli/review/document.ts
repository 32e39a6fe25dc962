import type { Change, ChangeGroup, ChangeSet, Hunk, Question } from '../../index.js'
import { flagReasons } from '../../surface/index.js'

/** A change set as one long text, of which only what is seen is ever laid out. Lines are counted, not made. */
export interface Document {
  readonly items: readonly Item[]
  /** What a person decides on, one after the other. */
  readonly stops: readonly Stop[]
  readonly lines: number
}

export interface Item {
  readonly kind: 'question' | 'group' | 'file' | 'hunk'
  /** Its first line in the document, and how many it has. */
  readonly first: number
  readonly lines: number
  readonly group?: ChangeGroup
  readonly change?: Change
  readonly hunk?: Hunk
  readonly question?: Question
  /** The stop it belongs to, if any. */
  readonly stop?: number
}

export interface Stop {
  /** The same as long as what is decided on is the same. */
  readonly key: string
  readonly item: number
  readonly change?: Change
  readonly hunk?: Hunk
  readonly question?: Question
}

/** UTF-16 units of one line that are laid out at a time: a longer one is shown as several. */
const CHUNK = 1_000

export function toDocument(groups: readonly ChangeGroup[], questions: readonly Question[]): Document {
  const items: Item[] = []
  const stops: Stop[] = []
  let lines = 0
  const add = (item: Omit<Item, 'first'>) => {
    items.push({ ...item, first: lines })
    lines += item.lines
  }
  for (const question of questions) {
    stops.push({ key: `question ${question.id}`, item: items.length, question })
    add({ kind: 'question', lines: 3, question, stop: stops.length - 1 })
  }
  for (const group of groups) {
    add({ kind: 'group', lines: 2, group })
    for (const change of group.changes) {
      const whole = change.hunks.length === 0
      if (whole) stops.push({ key: changeKey(change), item: items.length, change })
      add({ kind: 'file', lines: 1 + notesOf(change).length, group, change, ...(whole && { stop: stops.length - 1 }) })
      for (const hunk of change.hunks) {
        stops.push({ key: `${changeKey(change)} ${hunk.id}`, item: items.length, change, hunk })
        add({ kind: 'hunk', lines: linesIn(hunk.text), group, change, hunk, stop: stops.length - 1 })
      }
    }
  }
  return { items, stops, lines }
}

/** Two changes have one key where a person sees the same: same place, same bytes on both sides. */
export function changeKey({ path, from = '', kind, before, after, mode }: Change): string {
  return JSON.stringify([path, from, kind, before, after, mode?.before ?? null, mode?.after ?? null])
}

/** What else there is to say of a file, a line each. */
export function notesOf(change: Change): string[] {
  const { from, mode, flags, kind, hunks } = change
  const octal = (bits: number | null) => (bits === null ? 'none' : bits.toString(8).padStart(3, '0'))
  return [
    ...flagReasons(change),
    ...(from === undefined ? [] : [`renamed from ${from}`]),
    ...(mode === undefined || kind === 'mkdir' ? [] : [`mode ${octal(mode.before)} to ${octal(mode.after)}`]),
    ...(flags.includes('binary') ? ['not shown: it is no text'] : []),
    ...(flags.includes('large') && hunks.length === 0 ? ['not shown: it is too large'] : []),
    ...classNotes(change),
  ]
}

/** A class is worth a line where it says something: a proven refactoring, or that the agent declared another one. */
function classNotes({ mutation, flags }: Change): string[] {
  if (mutation === undefined) return []
  const { class: measured, rule, detail, declared } = mutation
  const differs = flags.includes('class-disagrees')
  if (!differs && measured !== 'AST_REFACTOR') return []
  return [
    `measured ${measured} (${rule}): ${detail}`,
    ...(differs && declared !== undefined ? [`declared ${declared}`] : []),
  ]
}

/** The item that has a line of the document, and which of its lines it is. */
export function lineAt(document: Document, line: number): { readonly item: Item; readonly at: number } | undefined {
  let [low, high] = [0, document.items.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((document.items[middle]?.first ?? 0) <= line) low = middle
    else high = middle - 1
  }
  const item = document.items[low]
  return item === undefined || line < 0 || line >= document.lines ? undefined : { item, at: line - item.first }
}

/** Lines of a hunk's text as they are laid out: a long one counts as several. */
function linesIn(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const length = (end < 0 ? text.length : end) - at
    count += Math.max(1, Math.ceil(length / CHUNK))
    at += length + 1
  }
  return count
}

/** A line of a hunk as it is laid out: which of its text's lines, and from which unit of it on. */
export interface HunkLine {
  readonly text: string
  readonly index: number
  readonly from: number
}

const LAID_OUT = new WeakMap<Hunk, readonly HunkLine[]>()

/** Made when the hunk is first seen, and kept with it. */
export function hunkLines(hunk: Hunk): readonly HunkLine[] {
  const known = LAID_OUT.get(hunk)
  if (known !== undefined) return known
  const lines = hunk.text.split('\n').slice(0, -1).flatMap(chunks)
  LAID_OUT.set(hunk, lines)
  return lines
}

function chunks(text: string, index: number): HunkLine[] {
  const count = Math.max(1, Math.ceil(text.length / CHUNK))
  return Array.from({ length: count }, (_, each) => {
    const from = each * CHUNK
    return { text: text.slice(from, from + CHUNK), index, from }
  })
}

export function countStates({ changes }: ChangeSet): Readonly<Record<Change['state'], number>> {
  const counts = { pending: 0, approved: 0, rejected: 0 }
  for (const { state } of changes) counts[state]++
  return counts
}
