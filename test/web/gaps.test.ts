import { structuredPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import type { Hunk } from '../../src/index.js'
import { gapsOf, plainLines } from '../../src/web/gaps.js'
import { Slots } from '../../web/src/gaps.js'

const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const numberedLines = Array.from({ length: 60 }, (_, index) => `line ${index}`)

function hunksOf(before: string, after: string): Hunk[] {
  return structuredPatch('a', 'a', before, after, '', '', { context: 3 }).hunks.map((hunk, index) => ({
    oldStart: hunk.oldStart,
    oldLines: hunk.oldLines,
    newStart: hunk.newStart,
    newLines: hunk.newLines,
    id: `${index}`,
    text: '',
    state: 'pending',
  }))
}

describe('gaps', () => {
  it.each([
    ['two changes', numberedLines, numberedLines.map((line, index) => (index === 10 || index === 40 ? 'new' : line))],
    ['lines taken out and put in', numberedLines, ['top', ...numberedLines.slice(0, 20), ...numberedLines.slice(25)]],
    ['a change in the first and in the last line', numberedLines, ['x', ...numberedLines.slice(1, -1), 'y']],
    ['an empty text before', [], numberedLines],
  ])('have the unchanged lines of both sides, and no other: %s', (_, before, after) => {
    const hunks = hunksOf(text(before), text(after))
    const gaps = gapsOf(hunks, after.length)
    expect(gaps).toHaveLength(hunks.length + 1)
    for (const { old, fresh, lines } of gaps)
      expect(after.slice(fresh, fresh + lines)).toEqual(before.slice(old, old + lines))
    const shownLines = hunks.reduce((sum, { newLines }) => sum + newLines, 0)
    expect(gaps.reduce((sum, { lines }) => sum + lines, shownLines)).toBe(after.length)
  })

  it('count no line after the last line break', () => {
    expect([plainLines('a\nb\n'), plainLines('a\nb'), plainLines('')]).toEqual([['a', 'b'], ['a', 'b'], []])
  })
})

describe('the rows of a diff', () => {
  const all = (slots: Slots) => Array.from({ length: slots.total }, (_, index) => slots.at(index))

  it('have a fold for each gap with hidden lines, and each row of the server once', () => {
    const slots = new Slots([0, 4], 9, [10, 0, 5], new Map())
    expect(all(slots).map(({ kind }) => kind)).toEqual(['fold', ...Array(9).fill('row'), 'fold'])
    expect([slots.heads, slots.tall]).toEqual([
      [1, 5],
      [0, 1, 5, 10],
    ])
    for (let row = 0; row < 9; row++) expect(slots.at(slots.indexOf(row))).toEqual({ kind: 'row', row })
  })

  it('have the opened lines of a gap around its fold, and no fold once all are open', () => {
    const opened = new Map([
      [0, { top: 0, bottom: 2 }],
      [1, { top: 1, bottom: 2 }],
    ])
    const slots = new Slots([0, 3], 6, [4, 3, 0], opened)
    expect(all(slots)).toEqual([
      { kind: 'fold', gap: 0, hidden: 2 },
      { kind: 'line', gap: 0, line: 2 },
      { kind: 'line', gap: 0, line: 3 },
      ...[0, 1, 2].map((row) => ({ kind: 'row', row })),
      ...[0, 1, 2].map((line) => ({ kind: 'line', gap: 1, line })),
      ...[3, 4, 5].map((row) => ({ kind: 'row', row })),
    ])
    expect(slots.rowNear(7)).toBe(2)
  })
})
