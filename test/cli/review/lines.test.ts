import { describe, expect, it } from 'vitest'
import { toDocument } from '../../../src/cli/review/document.js'
import { type LayoutContext, layoutLine } from '../../../src/cli/review/lines.js'
import type { Question } from '../../../src/core/api.js'
import { setOf, widthOf } from './sets.js'

const layoutContext = (columns: number): LayoutContext => ({
  columns,
  charset: 'utf-8',
  colorsOf: () => undefined,
  isNew: () => false,
})

type Chapter = NonNullable<Parameters<typeof layoutLine>[0]['group']>

const rowsOf = (item: Parameters<typeof layoutLine>[0], at: number, columns = 78) =>
  layoutLine(item, at, layoutContext(columns)).map((row) => row.map(({ text }) => text).join(''))

const place = { first: 0, lines: 3 }

describe('the command of a step', () => {
  const runOf = (command: string, end: number | string = 0): Parameters<typeof layoutLine>[0] => {
    const group: Chapter = { title: 'Step 1', changes: [], tools: [], commands: [{ command, end }] }
    return { kind: 'group', ...place, group }
  }

  it('of several lines has one row: its first line, the number of the others, and how it ended', () => {
    expect(rowsOf(runOf('set -e\nnpm ci\nnpm test', 1), 2)).toEqual(['  ran set -e … (2 more lines): exit 1'])
  })

  it('that is long has two rows, the second indented, and shows how it ended', () => {
    const rows = rowsOf(runOf(Array.from({ length: 40 }, (_, index) => `word${index}`).join(' '), 'timeout'), 2)
    expect(rows).toHaveLength(2)
    expect(rows[0]).toMatch(/^ {2}ran word0 word1 /)
    expect(rows[1]).toMatch(/^ {6}word\d+ .*…: timeout$/)
  })

  it.each([20, 40, 78])('is never wider than %i columns, and names control characters', (columns) => {
    const rows = layoutLine(runOf(`a\x1b[2J${'b'.repeat(300)}`), 2, layoutContext(columns))
    for (const row of rows) expect(widthOf(row)).toBeLessThanOrEqual(columns)
    expect(rows.flat().every(({ text }) => !text.includes('\x1b'))).toBe(true)
  })
})

describe('the commands of a step', () => {
  const [change] = setOf({ path: 'a', oldText: 'a\n', newText: 'b\n' }).changes
  const rowsWith = (count: number) => {
    const commands = Array.from({ length: count }, (_, index) => ({ command: `true ${index + 1}`, end: 0 }))
    const chapter: Chapter = { title: 'Step 1', changes: change === undefined ? [] : [change], tools: [], commands }
    const [group] = toDocument([chapter], []).items
    if (group === undefined) throw new Error('no group')
    return Array.from({ length: group.lines - 2 }, (_, index) => rowsOf(group, index + 2)).flat()
  }

  it.each([0, 1, 2, 3])('are all listed if there are %i', (count) => {
    expect(rowsWith(count)).toHaveLength(count)
    expect(rowsWith(count).join('')).not.toContain('other')
  })

  it('are the first two and the number of the others if there are more', () => {
    expect(rowsWith(4)).toEqual(['  ran true 1: exit 0', '  ran true 2: exit 0', '  and 2 other commands'])
    expect(rowsWith(50).at(-1)).toBe('  and 48 other commands')
  })
})

it('the title of a step and the note of a file continue with an indentation', () => {
  const [change] = setOf({ path: 'a', oldText: 'a\n', newText: 'b\n' }).changes
  const long = 'word '.repeat(30).trim()
  const group: Chapter = { title: long, changes: [], tools: [], commands: [] }
  expect(rowsOf({ kind: 'group', ...place, group }, 1)[1]).toMatch(/^ {3}word/)
  if (change === undefined) throw new Error('no change')
  expect(rowsOf({ kind: 'file', ...place, change, notes: [long] }, 1)[1]).toMatch(/^ {4}word/)
})

describe('the question about a command', () => {
  const ask = (command: string): Parameters<typeof layoutLine>[0] => {
    const question: Question = {
      id: 'q',
      at: '',
      key: 'k',
      kind: 'command',
      command,
      cwd: '',
      rules: ['other'],
      why: 'unknown',
    }
    return { kind: 'question', ...place, question }
  }

  it('shows each line of a script in a row of its own, with a mark', () => {
    expect(rowsOf(ask('set -e\n\nrm -r x\x07'), 1)).toEqual([
      '? May it run these 3 lines? other asks: unknown',
      '  | set -e',
      '  | ',
      '  | rm -r x^G',
    ])
  })

  it('loses no character of a long line', () => {
    const word = Array.from({ length: 60 }, (_, index) => `${index}x`).join('')
    const text = rowsOf(ask(`set -e\n${word}`), 1, 40)
      .map((row) => row.replace(/^ {2}\| |^ {6}/, ''))
      .join('')
    expect(text).toContain(word)
  })
})
