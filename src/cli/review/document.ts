import type { Change, ChangeSet, Hunk, Question } from '../../index.js'
import {
  type Chapter,
  classLabel,
  countLines,
  flagReasons,
  foldReason,
  foldTitle,
  rejectionLines,
  riskLines,
} from '../../surface/index.js'

/** A change set as one long text. Lines are only counted here; the visible ones are laid out on demand. */
export interface Document {
  readonly items: readonly Item[]
  /** The questions, hunks and files that a person decides on, in order. */
  readonly stops: readonly Stop[]
  readonly lines: number
}

export interface Item {
  readonly kind: 'question' | 'group' | 'file' | 'hunk'
  /** The number of its first line in the document, from 0, and its number of lines. */
  readonly first: number
  readonly lines: number
  readonly group?: Chapter
  readonly change?: Change
  readonly hunk?: Hunk
  readonly question?: Question
  /** The lines below a file's name. */
  readonly notes?: readonly string[]
  /** The index of its stop, if it has one. */
  readonly stop?: number
}

export interface Stop {
  /** Stays the same while the content to decide on does. */
  readonly key: string
  readonly item: number
  readonly change?: Change
  readonly hunk?: Hunk
  readonly question?: Question
  /** Its hunks are hidden, so a verdict on it is one on unread content. */
  readonly folded?: true
}

/** The longest line that is laid out whole, in UTF-16 units. A longer one is split. */
const CHUNK = 1_000

/** Lines below a chapter's title: its commands, or the first ones and the number of the others. */
const COMMAND_LINES = 3

/** The commands that are listed below a chapter's title, and the number of those that are not. */
export function listCommands({ commands }: Chapter): { readonly shown: Chapter['commands']; readonly others: number } {
  const shown = commands.length > COMMAND_LINES ? commands.slice(0, COMMAND_LINES - 1) : commands
  return { shown, others: commands.length - shown.length }
}

/**
 * @param opened paths of files that the reviewer has unfolded
 * @param more lines below the names of files, by path
 */
export function toDocument(
  chapters: readonly Chapter[],
  questions: readonly Question[],
  opened: ReadonlySet<string> = new Set(),
  more: ReadonlyMap<string, readonly string[]> = new Map(),
): Document {
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
  for (const group of chapters) {
    add({ kind: 'group', lines: 2 + Math.min(group.commands.length, COMMAND_LINES), group })
    for (const change of group.changes) {
      const folded = group.folded === true && !opened.has(change.path)
      const whole = folded || change.hunks.length === 0
      const notes = folded ? [foldNote(change)] : [...(more.get(change.path) ?? []), ...notesOf(change)]
      if (whole) stops.push({ key: changeKey(change), item: items.length, change, ...(folded && { folded }) })
      add({ kind: 'file', lines: 1 + notes.length, group, change, notes, ...(whole && { stop: stops.length - 1 }) })
      for (const hunk of folded ? [] : change.hunks) {
        stops.push({ key: `${changeKey(change)} ${hunk.id}`, item: items.length, change, hunk })
        add({ kind: 'hunk', lines: countLayoutLines(hunk.text), group, change, hunk, stop: stops.length - 1 })
      }
    }
  }
  return { items, stops, lines }
}

/** Identifies a change by its paths, kind, modes and the content of both sides. */
export function changeKey({ path, from = '', kind, before, after, mode }: Change): string {
  return JSON.stringify([path, from, kind, before, after, mode?.before ?? null, mode?.after ?? null])
}

/** The line below the name of a folded file. */
export function foldNote(change: Change): string {
  const reason = foldReason(change)
  const { added, removed } = countLines([change])
  return `folded${reason === undefined ? '' : ` (${foldTitle(reason)})`}: +${added} -${removed}, f shows it`
}

/** Notes on a file, one per line: flags, rename, modes, content that is not shown, change class. */
function notesOf(change: Change): string[] {
  const { from, mode, flags, kind, hunks } = change
  return [
    ...rejectionLines(change),
    ...riskLines(change),
    ...flagReasons(change),
    ...(from === undefined ? [] : [`renamed from ${from}`]),
    ...(mode === undefined || kind === 'mkdir' ? [] : [describeMode(mode)]),
    ...(flags.includes('binary') ? ['not shown: it is not text'] : []),
    ...(flags.includes('large') && hunks.length === 0 ? ['not shown: it is too large'] : []),
    ...classNotes(change),
  ]
}

/** In git's words: `new file mode 644`, `deleted file mode 644`, `mode 644 to 755`. */
function describeMode({ before, after }: NonNullable<Change['mode']>): string {
  const octal = (bits: number | null) => (bits ?? 0).toString(8).padStart(3, '0')
  if (before === null) return `new file mode ${octal(after)}`
  return after === null ? `deleted file mode ${octal(before)}` : `mode ${octal(before)} to ${octal(after)}`
}

function classNotes(change: Change): string[] {
  const label = classLabel(change)
  if (label === undefined) return []
  const { measured, rule, detail, declared } = label
  return [`measured ${measured} (${rule}): ${detail}`, ...(declared === undefined ? [] : [`declared ${declared}`])]
}

/** Finds the item of a document line, and the line's index within it. */
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

/** Counts the laid-out lines of a hunk's text. A split line counts once per part. */
function countLayoutLines(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; ) {
    const end = text.indexOf('\n', at)
    const length = (end < 0 ? text.length : end) - at
    count += Math.max(1, Math.ceil(length / CHUNK))
    at += length + 1
  }
  return count
}

/** A laid-out line: `index` is the line of the hunk's text, `from` the UTF-16 offset in it. */
export interface HunkLine {
  readonly text: string
  readonly index: number
  readonly from: number
}

const LINES_OF_HUNK = new WeakMap<Hunk, readonly HunkLine[]>()

/** The laid-out lines of a hunk, cached for as long as the hunk exists. */
export function hunkLines(hunk: Hunk): readonly HunkLine[] {
  const known = LINES_OF_HUNK.get(hunk)
  if (known !== undefined) return known
  const lines = hunk.text.split('\n').slice(0, -1).flatMap(chunks)
  LINES_OF_HUNK.set(hunk, lines)
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
