import { describe, expect, it } from 'vitest'
import { editedLines } from '../../src/trace/authorship.js'
import { attribute } from './support.js'

const bytes = (text: string) => Buffer.from(text)
const edit = (before: string, after: string) => ({ seen: bytes(before), made: bytes(after) })
const editedLineNumbers = (landed: string, ...edits: ReturnType<typeof edit>[]) => [
  ...editedLines(edits, bytes(landed)),
]

describe('editedLines', () => {
  it('are the lines that an edit added, also after a move', () => {
    expect(editedLineNumbers('a\nX\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([1])
    expect(editedLineNumbers('new\na\nX\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([2])
    expect(editedLineNumbers('a\nb\n', edit('a\nb\n', 'a\nb\n'))).toEqual([])
    expect(editedLineNumbers('a\nb\n')).toEqual([])
  })

  it('are lost once the agent overwrites them', () => {
    expect(editedLineNumbers('a\nx\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([])
  })

  it('add up over several edits, with writes of the agent in between', () => {
    const first = edit('a\nb\nc\n', 'a\nX\nb\nc\n')
    const second = edit('a\nX\nb\nagent\nc\n', 'a\nX\nb\nagent\nc\nY\n')
    expect(editedLineNumbers('a\nX\nb\nagent\nc\nY\nlast\n', first, second)).toEqual([1, 5])
  })
})

describe('attributeFile with edited lines', () => {
  const attributeLines = (before: string, after: string, lines: number[]) => {
    const { contributor, ranges } = attribute({
      path: 'a',
      before: bytes(before),
      after: bytes(after),
      contributor: 'ai',
      edited: new Set(lines),
    })
    return [contributor, ranges.map((range) => [range.startLine, range.endLine, range.contributor])]
  }

  it('splits a changed range where its author changes', () => {
    expect(attributeLines('a\n', 'a\n1\n2\n3\n', [2])).toEqual([
      'mixed',
      [
        [2, 2, 'ai'],
        [3, 3, 'human'],
        [4, 4, 'ai'],
      ],
    ])
    expect(attributeLines('a\n', 'a\n1\n2\n', [1, 2])).toEqual(['human', [[2, 3, 'human']]])
  })

  it('attributes a file without a reviewer’s lines to the agent', () => {
    expect(attributeLines('a\n', 'a\n1\n', [0])).toEqual(['ai', [[2, 2, undefined]]])
  })
})
