import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { attribute } from './support.js'

const spans = (before: string | null, after: string | null): [number, number][] =>
  attribute({
    path: 'a',
    before: before === null ? null : Buffer.from(before),
    after: after === null ? null : Buffer.from(after),
  }).ranges.map(({ startLine, endLine }) => [startLine, endLine])

const hashOf = (content: string): string => `sha256:${createHash('sha256').update(content).digest('hex')}`

describe('attributeFile', () => {
  it.each<[string, string | null, string | null, [number, number][]]>([
    ['a new file', null, 'a\nb\nc\n', [[1, 3]]],
    ['a new file without a final newline', null, 'a\nb', [[1, 2]]],
    ['an empty new file', null, '', []],
    ['a deleted file', 'a\n', null, []],
    ['no change', 'a\nb\n', 'a\nb\n', []],
    ['one line', 'a\nb\nc\n', 'a\nB\nc\n', [[2, 2]]],
    [
      'two places',
      'a\nb\nc\nd\ne\n',
      'A\nb\nc\nd\nE\nf\n',
      [
        [1, 1],
        [5, 6],
      ],
    ],
    ['lines added at the end', 'a\n', 'a\nb\nc\n', [[2, 3]]],
    ['lines removed', 'a\nb\nc\n', 'a\nc\n', []],
    ['line ends changed', 'a\nb\n', 'a\r\nb\r\n', [[1, 2]]],
    ['binary', 'a\n', 'a\0b\n', []],
    ['binary before', 'a\0\n', 'a\n', []],
  ])('%s', (_, before, after, expected) => {
    expect(spans(before, after)).toEqual(expected)
  })

  it('hashes the lines joined by LF, CR removed, no final newline', () => {
    const [range] = attribute({
      path: 'a',
      before: Buffer.from('x\r\n'),
      after: Buffer.from('x\r\né\r\nb\r\n'),
    }).ranges
    expect(range).toEqual({ startLine: 2, endLine: 3, contentHash: hashOf('é\nb') })
  })

  it('hashes the bytes of a file that is not UTF-8', () => {
    const bytes = Buffer.from([0xe9, 0x0a, 0xff])
    const hash = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    expect(attribute({ path: 'a', before: null, after: bytes }).ranges[0]?.contentHash).toBe(hash)
  })

  it('gives moved lines the hash they had', () => {
    const block = 'one\ntwo'
    const [first] = attribute({ path: 'a', before: null, after: Buffer.from(`${block}\n`) }).ranges
    const moved = attribute({ path: 'b', before: Buffer.from('x\ny\n'), after: Buffer.from(`x\n${block}\ny\n`) })
    expect(moved.ranges.map((range) => range.contentHash)).toEqual([first?.contentHash])
  })

  it('keeps the given fields of the file', () => {
    const attribution = {
      path: 'a',
      model: 'm',
      intent: 'INT-2',
      contributor: 'mixed',
      mutationClass: 'AST_REFACTOR',
    } as const
    expect(attribute({ ...attribution, before: null, after: null })).toEqual({ ...attribution, ranges: [] })
  })

  it('gives a large or entirely rewritten file one changed range', () => {
    const big = Array.from({ length: 200_000 }, (_, n) => `line ${n}`)
    const changed = big.with(5, 'new').with(150_000, 'new')
    expect(spans(big.join('\n'), changed.join('\n'))).toEqual([[6, 150_001]])
    const other = Array.from({ length: 9000 }, (_, n) => `other ${n}`)
    expect(spans(big.slice(0, 9000).join('\n'), other.join('\n'))).toEqual([[1, 9000]])
  })

  it('lists each line that the old content lacks, in ascending ranges that are not adjacent', () => {
    const content = fc.array(fc.constantFrom<string>('a', 'b', 'c', 'd', ''), { maxLength: 30 })
    fc.assert(
      fc.property(content, content, (before, after) => {
        const file = { path: 'a', before: Buffer.from(before.join('\n')), after: Buffer.from(after.join('\n')) }
        const { ranges } = attribute(file)
        const afterLines = file.after.toString().split('\n')
        let behind = -1
        for (const range of ranges) {
          expect(range.startLine).toBeGreaterThan(behind + 1)
          expect(range.endLine).toBeGreaterThanOrEqual(range.startLine)
          expect(range.contentHash).toBe(hashOf(afterLines.slice(range.startLine - 1, range.endLine).join('\n')))
          behind = range.endLine
        }
        const isNamed = (n: number): boolean => ranges.some((r) => r.startLine <= n && n <= r.endLine)
        afterLines.forEach((line, n) => {
          if (line !== '' && !before.includes(line)) expect(isNamed(n + 1)).toBe(true)
        })
      }),
    )
  })
})
