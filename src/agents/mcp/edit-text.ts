import { createTwoFilesPatch } from 'diff'
import { ToolFailure } from '../../hooks/index.js'
import { createFinder } from '../../surface/index.js'

export interface Edit {
  readonly oldText: string
  readonly newText: string
}

/** The limit of inserted and deleted lines of a diff. Its cost grows with their square. */
const EDIT_LIMIT = 4_000

const normalizeLineEnds = (text: string): string => text.replaceAll('\r\n', '\n')

export interface EditResult {
  /** With the line ends of the file. */
  readonly content: string
  /** A fenced git diff. */
  readonly diff: string
}

/**
 * Makes edits one after the other. Each replaces the first exact match of the old text, else the first lines that are equal
 * except for surrounding blanks. @throws ToolFailure if there is neither
 */
export function applyEdits(original: string, edits: readonly Edit[], name: string): EditResult {
  const before = normalizeLineEnds(original)
  const after = edits.reduce(applyEdit, before)
  return {
    content: restoreLineEnds(original, after),
    diff: diffOf(name, before, after),
  }
}

function diffOf(name: string, before: string, after: string): string {
  const options = { maxEditLength: EDIT_LIMIT }
  const diff = createTwoFilesPatch(name, name, before, after, 'original', 'modified', options)
  return diff === undefined ? `More than ${EDIT_LIMIT} lines changed, too many to show as a diff.\n` : fenceDiff(diff)
}

function applyEdit(text: string, edit: Edit): string {
  const [oldText, given] = [normalizeLineEnds(edit.oldText), normalizeLineEnds(edit.newText)]
  const place = createFinder(oldText)(text)
  if (place !== -1) return text.slice(0, place) + given + text.slice(place + oldText.length)
  const [lines, old] = [text.split('\n'), oldText.split('\n')]
  const first = createFinder(old.map(trim))(lines.map(trim))
  if (first === -1) throw new ToolFailure(`Could not find exact match for edit:\n${edit.oldText}`)
  const reindented = reindent(given.split('\n'), old, indentOf(lines[first]))
  return [...lines.slice(0, first), ...reindented, ...lines.slice(first + old.length)].join('\n')
}

const trim = (line: string): string => line.trim()

function indentOf(line: string | undefined): string {
  return /^\s*/.exec(line ?? '')?.[0] ?? ''
}

/** Indents new lines as the file is indented, and relative to each other as in the edit. */
function reindent(lines: readonly string[], old: readonly string[], indent: string): string[] {
  return lines.map((line, i) => {
    if (i === 0) return indent + line.trimStart()
    const [was, is] = [indentOf(old[i]), indentOf(line)]
    if (was === '' || is === '') return line
    return indent + ' '.repeat(Math.max(0, is.length - was.length)) + line.trimStart()
  })
}

/** Restores the line ends of untouched lines; other lines get the most frequent one. */
function restoreLineEnds(original: string, after: string): string {
  if (!original.includes('\r\n')) return after
  const [old, now] = [original.split('\n'), after.split('\n')]
  const crlf = old.filter((line) => line.endsWith('\r')).length
  const end = crlf * 2 >= old.length - 1 ? '\r' : ''
  const same = (a: string | undefined, b: string | undefined) =>
    a !== undefined && normalizeLineEnds(`${a}\n`) === `${b}\n`
  const shorter = Math.min(old.length, now.length)
  let head = 0
  while (head < shorter && same(old[head], now[head])) head++
  let tail = 0
  while (tail < shorter - head && same(old[old.length - 1 - tail], now[now.length - 1 - tail])) tail++
  const last = now.length - 1
  const middle = now.slice(head, now.length - tail).map((line, i) => (head + i === last ? line : line + end))
  const first = old.slice(0, head)
  if (head === old.length && head <= last) first.push(`${first.pop() ?? ''}${end}`)
  return [...first, ...middle, ...old.slice(old.length - tail)].join('\n')
}

/** Uses a fence that is longer than any in the diff. */
function fenceDiff(diff: string): string {
  let fence = '```'
  while (diff.includes(fence)) fence += '`'
  return `${fence}diff\n${diff}${fence}\n\n`
}
