import { createTwoFilesPatch } from 'diff'
import { ToolFailure } from '../../hooks/index.js'

export interface Edit {
  readonly oldText: string
  readonly newText: string
}

const lf = (text: string): string => text.replaceAll('\r\n', '\n')

export interface Edited {
  /** With the line ends the file had. */
  readonly content: string
  /** Fenced, in the form of git. */
  readonly diff: string
}

/**
 * Makes edits one after the other: at the first place that has the old text, else at the first lines that are the same but
 * for the blanks around them. Throws {@link ToolFailure} where there is neither.
 */
export function applyEdits(original: string, edits: readonly Edit[], name: string): Edited {
  const before = lf(original)
  const after = edits.reduce(applyEdit, before)
  return {
    content: withEnds(original, after),
    diff: fenceDiff(createTwoFilesPatch(name, name, before, after, 'original', 'modified')),
  }
}

function applyEdit(text: string, edit: Edit): string {
  const [sought, given] = [lf(edit.oldText), lf(edit.newText)]
  const place = text.indexOf(sought)
  if (place !== -1) return text.slice(0, place) + given + text.slice(place + sought.length)
  const [lines, old] = [text.split('\n'), sought.split('\n')]
  const first = lines.findIndex((_, i) => i + old.length <= lines.length && alike(lines, old, i))
  if (first === -1) throw new ToolFailure(`Could not find exact match for edit:\n${edit.oldText}`)
  const made = indentLike(given.split('\n'), old, indentOf(lines[first]))
  return [...lines.slice(0, first), ...made, ...lines.slice(first + old.length)].join('\n')
}

function alike(lines: readonly string[], old: readonly string[], from: number): boolean {
  return old.every((line, i) => line.trim() === lines[from + i]?.trim())
}

function indentOf(line: string | undefined): string {
  return /^\s*/.exec(line ?? '')?.[0] ?? ''
}

/** New lines as deep as the file has them; among themselves as deep as the edit has them. */
function indentLike(given: readonly string[], old: readonly string[], indent: string): string[] {
  return given.map((line, i) => {
    if (i === 0) return indent + line.trimStart()
    const [was, is] = [indentOf(old[i]), indentOf(line)]
    if (was === '' || is === '') return line
    return indent + ' '.repeat(Math.max(0, is.length - was.length)) + line.trimStart()
  })
}

/** Lines no edit has touched keep their ends; the others get the end most lines have. */
function withEnds(original: string, after: string): string {
  if (!original.includes('\r\n')) return after
  const [old, now] = [original.split('\n'), after.split('\n')]
  const crlf = old.filter((line) => line.endsWith('\r')).length
  const end = crlf * 2 >= old.length - 1 ? '\r' : ''
  const same = (a: string | undefined, b: string | undefined) => a !== undefined && lf(`${a}\n`) === `${b}\n`
  const most = Math.min(old.length, now.length)
  let head = 0
  while (head < most && same(old[head], now[head])) head++
  let tail = 0
  while (tail < most - head && same(old[old.length - 1 - tail], now[now.length - 1 - tail])) tail++
  const last = now.length - 1
  const middle = now.slice(head, now.length - tail).map((line, i) => (head + i === last ? line : line + end))
  const first = old.slice(0, head)
  if (head === old.length && head <= last) first.push(`${first.pop() ?? ''}${end}`)
  return [...first, ...middle, ...old.slice(old.length - tail)].join('\n')
}

/** In a fence longer than any in the diff. */
function fenceDiff(diff: string): string {
  let fence = '```'
  while (diff.includes(fence)) fence += '`'
  return `${fence}diff\n${diff}${fence}\n\n`
}
