import { describe, expect, it } from 'vitest'
import { editedLines } from '../../src/trace/authorship.js'
import { attributed } from './support.js'

const bytes = (text: string) => Buffer.from(text)
const edit = (seen: string, made: string) => ({ seen: bytes(seen), made: bytes(made) })
const edited = (landed: string, ...edits: ReturnType<typeof edit>[]) => [...editedLines(edits, bytes(landed))]

describe('editedLines', () => {
  it('are those an edit brought in, wherever they have moved to', () => {
    expect(edited('a\nX\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([1])
    expect(edited('new\na\nX\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([2])
    expect(edited('a\nb\n', edit('a\nb\n', 'a\nb\n'))).toEqual([])
    expect(edited('a\nb\n')).toEqual([])
  })

  it('are theirs no more once the agent has written over them', () => {
    expect(edited('a\nx\nb\n', edit('a\nb\n', 'a\nX\nb\n'))).toEqual([])
  })

  it('add up over several edits, with the agent between them', () => {
    const first = edit('a\nb\nc\n', 'a\nX\nb\nc\n')
    const second = edit('a\nX\nb\nagent\nc\n', 'a\nX\nb\nagent\nc\nY\n')
    expect(edited('a\nX\nb\nagent\nc\nY\nlast\n', first, second)).toEqual([1, 5])
  })
})

describe('attributeFile with edited lines', () => {
  const attribute = (before: string, after: string, lines: number[]) => {
    const { contributor, ranges } = attributed({
      path: 'a',
      before: bytes(before),
      after: bytes(after),
      contributor: 'ai',
      edited: new Set(lines),
    })
    return [contributor, ranges.map((range) => [range.startLine, range.endLine, range.contributor])]
  }

  it('parts a changed range where its author changes', () => {
    expect(attribute('a\n', 'a\n1\n2\n3\n', [2])).toEqual([
      'mixed',
      [
        [2, 2, 'ai'],
        [3, 3, 'human'],
        [4, 4, 'ai'],
      ],
    ])
    expect(attribute('a\n', 'a\n1\n2\n', [1, 2])).toEqual(['human', [[2, 3, 'human']]])
  })

  it('leaves to the agent a file none of whose new lines is a reviewer’s', () => {
    expect(attribute('a\n', 'a\n1\n', [0])).toEqual(['ai', [[2, 2, undefined]]])
  })
})
