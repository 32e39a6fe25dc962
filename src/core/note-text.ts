import { isObject } from './is-object.js'

/**
 * The text of a git note of the git-ai standard, authorship/3.0.0: for each file the lines that a session or a person
 * wrote, a divider, and JSON about the sessions and people.
 */

export interface NoteText {
  /** Path below the repository's top → the sessions or people with their lines, in the note's order. */
  readonly files: ReadonlyMap<string, readonly NoteEntry[]>
  readonly about: Readonly<Record<string, unknown>>
}

export interface NoteEntry {
  /** The key of a session, a prompt or a person, and of a session's trace after `::`. */
  readonly owner: string
  /** First and last line, from 1, in rising order. */
  readonly ranges: readonly Range[]
}

export type Range = readonly [first: number, last: number]

export const NOTE_SCHEMA = 'authorship/3.0.0'
const SUPPORTED = /^authorship\/3\./
const ENTRY = /^ {2}(\S{1,200}) ([\d,-]+)$/
/** Levels of objects and lists in the JSON part. Notes of the standard have four. */
const MAX_DEPTH = 100
/** The tables of the JSON part, whose keys entries name. */
const TABLES = ['humans', 'prompts', 'sessions'] as const

/** Undefined for a text that is not a note of the standard. */
export function parseNote(text: string): NoteText | undefined {
  const divider = /^---\r?$/m.exec(text)
  if (divider === null) return undefined
  const about = jsonIn(text.slice(divider.index + divider[0].length))
  if (about === undefined || typeof about.schema_version !== 'string' || !SUPPORTED.test(about.schema_version))
    return undefined
  const files = new Map<string, NoteEntry[]>()
  let entries: NoteEntry[] | undefined
  for (const line of text.slice(0, divider.index).split(/\r?\n/)) {
    if (line === '') continue
    const [, owner, ranges] = ENTRY.exec(line) ?? []
    if (owner === undefined || ranges === undefined) {
      if (line.startsWith(' ')) return undefined
      entries = entriesOf(files, pathIn(line))
      continue
    }
    const parsed = parseRanges(ranges)
    if (entries === undefined || parsed === undefined) return undefined
    entries.push({ owner, ranges: parsed })
  }
  return { files, about }
}

function entriesOf(files: Map<string, NoteEntry[]>, path: string): NoteEntry[] {
  const known = files.get(path) ?? []
  files.set(path, known)
  return known
}

function jsonIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) && !isDeep(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Whether JSON is nested too deeply for `JSON.stringify`, which recurses. `JSON.parse` does not. */
function isDeep(value: object): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}

/** A quoted path is JSON as we write it, or only in quotes as git-ai does. */
function pathIn(line: string): string {
  if (!/^".*"$/.test(line)) return line
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value === 'string') return value
  } catch {
    // Not JSON: the text between the quotes.
  }
  return line.slice(1, -1)
}

function parseRanges(text: string): Range[] | undefined {
  const ranges: Range[] = []
  for (const part of text.split(',')) {
    const [, first = '', last = first] = /^([1-9]\d{0,8})(?:-([1-9]\d{0,8}))?$/.exec(part) ?? []
    if (first === '' || Number(last) < Number(first)) return undefined
    ranges.push([Number(first), Number(last)])
  }
  return ranges
}

/** Always the same text for the same lines, sessions and people. */
export function formatNote({ files, about }: NoteText): string {
  const lines = [...files].sort(byKey).flatMap(([path, entries]) => {
    if (entries.length === 0) return []
    const name = /[\s\p{C}]|^"|^---$/u.test(path) ? JSON.stringify(path) : path
    const byOwner = entries.toSorted((a, b) => byKey([a.owner, a], [b.owner, b]))
    return [name, ...byOwner.map(({ owner, ranges }) => `  ${owner} ${formatRanges(ranges)}`)]
  })
  return `${[...lines, '---', stableJson(about)].join('\n')}\n`
}

function formatRanges(ranges: readonly Range[]): string {
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}

/** Ranges in order, joined where they touch. */
export function joinRanges(ranges: readonly Range[]): Range[] {
  const joined: [number, number][] = []
  for (const [first, last] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const before = joined.at(-1)
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last)
    else joined.push([first, last])
  }
  return joined
}

/** Merges a newer note of a commit into an old one. The newer note decides each line that it names. */
export function renewNote(commit: string, old: string, renewed: string): string {
  const [before, after] = [parseNote(old), parseNote(renewed)]
  if (before === undefined || after === undefined || !isAbout(before, commit)) return renewed
  const files = new Map<string, readonly NoteEntry[]>()
  for (const [path, entries] of before.files) {
    const newRanges = joinRanges((after.files.get(path) ?? []).flatMap(({ ranges }) => ranges))
    const remaining = entries.map(({ owner, ranges }) => ({ owner, ranges: withoutLines(ranges, newRanges) }))
    files.set(
      path,
      remaining.filter(({ ranges }) => ranges.length > 0),
    )
  }
  return mergeNotes(commit, formatNote({ files, about: before.about }), renewed)
}

/** @param removed sorted and without overlap, as {@link joinRanges} returns them */
function withoutLines(ranges: readonly Range[], removed: readonly Range[]): Range[] {
  return joinRanges(ranges).flatMap(([first, to]) => {
    const parts: Range[] = []
    let from = first
    for (let at = firstEndingAt(removed, from); from <= to; at++) {
      const [start, end] = removed[at] ?? [to + 1, to]
      if (from < start) parts.push([from, Math.min(to, start - 1)])
      from = end + 1
    }
    return parts
  })
}

/** The position of the first of these ranges that ends at or after a line. */
function firstEndingAt(ranges: readonly Range[], line: number): number {
  let [low, high] = [0, ranges.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ranges[middle]?.[1] ?? 0) < line) low = middle + 1
    else high = middle
  }
  return low
}

/** Whether a note was written for a commit. Git copies notes to rewritten commits, with the line numbers of the old ones. */
export function isAbout({ about }: NoteText, commit: string): boolean {
  const base = about.base_commit_sha
  return base === undefined || base === '' || base === commit
}

/**
 * The note of a commit that two clones wrote notes about: the lines, sessions and people of both. The result does not depend
 * on the order. A note that was written for another commit loses to one that was not, and any other text to a note.
 */
export function mergeNotes(commit: string, one: string, other: string): string {
  if (one === other) return one
  const [first, second] = [parseNote(one), parseNote(other)]
  const rank = (note: NoteText | undefined) => (note === undefined ? 0 : isAbout(note, commit) ? 2 : 1)
  if (rank(first) !== rank(second)) return rank(first) > rank(second) ? one : other
  if (first === undefined || second === undefined) return one > other ? one : other
  const files = new Map<string, readonly NoteEntry[]>()
  for (const path of new Set([...first.files.keys(), ...second.files.keys()]))
    files.set(path, mergeEntries([...(first.files.get(path) ?? []), ...(second.files.get(path) ?? [])]))
  return formatNote({ files, about: mergeAbout(first.about, second.about) })
}

function mergeEntries(entries: readonly NoteEntry[]): NoteEntry[] {
  const byOwner = new Map<string, Range[]>()
  for (const { owner, ranges } of entries) {
    const known = byOwner.get(owner) ?? []
    byOwner.set(owner, known)
    for (const range of ranges) known.push(range)
  }
  return [...byOwner].map(([owner, ranges]) => ({ owner, ranges: joinRanges(ranges) }))
}

function mergeAbout(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = mergeTables(one, other)
  for (const name of TABLES) {
    const [first, second] = [one[name], other[name]]
    if (isObject(first) && isObject(second)) merged[name] = mergeTables(first, second)
  }
  return merged
}

/** The fields of both tables. Where they differ, the value with the greater JSON text is kept, whichever table it is in. */
function mergeTables(one: object, other: object): Record<string, unknown> {
  const merged = new Map<string, unknown>()
  for (const [key, value] of [...Object.entries(one), ...Object.entries(other)]) {
    const text = stableJson(value)
    if (!merged.has(key) || text > stableJson(merged.get(key))) merged.set(key, JSON.parse(text))
  }
  return Object.fromEntries(merged)
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : Number(a > b)
}

/** JSON with the keys of each object in order. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) =>
    isObject(each) ? Object.fromEntries(Object.entries(each).sort(byKey)) : each,
  )
}
