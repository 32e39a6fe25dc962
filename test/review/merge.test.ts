import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasMarkers, mergeContents } from '../../src/review/merge.js'

const names = { ours: 'agent', theirs: 'disk' }
const merge = (ours: string | Buffer, base: string | Buffer, theirs: string | Buffer) => {
  const bytes = (content: string | Buffer) => (typeof content === 'string' ? Buffer.from(content) : content)
  const merged = mergeContents(bytes(ours), bytes(base), bytes(theirs), names)
  return merged && { ...merged, content: Buffer.from(merged.content).toString() }
}
const numberedLines = (count: number, edit: (line: number) => string | undefined = () => undefined) =>
  Array.from({ length: count }, (_, line) => `${edit(line) ?? `line ${line}`}\n`).join('')

describe('mergeContents', () => {
  it('takes the side that changed if the other did not', () => {
    const [ours, theirs] = [
      numberedLines(9, (n) => (n === 1 ? 'A' : undefined)),
      numberedLines(9, (n) => (n === 7 ? 'B' : undefined)),
    ]
    const both = numberedLines(9, (n) => (n === 1 ? 'A' : n === 7 ? 'B' : undefined))
    expect(merge(ours, numberedLines(9), theirs)).toEqual({ content: both, conflict: false })
  })

  it('puts both between markers if they changed the same lines, and once if they are equal', () => {
    const base = 'a\nb\nc\n'
    const conflict = 'a\n<<<<<<< agent\nB\n=======\n<>\n>>>>>>> disk\nc\n'
    expect(merge('a\nB\nc\n', base, 'a\n<>\nc\n')).toEqual({ content: conflict, conflict: true })
    expect(merge('a\nB\nc\n', base, 'a\nB\nc\n')).toEqual({ content: 'a\nB\nc\n', conflict: false })
    expect(merge('a\nb\nX\n', base, 'b\nX\n')).toEqual({ content: 'b\nX\n', conflict: false })
  })

  it('keeps line ends, and ends each side of a conflict', () => {
    expect(merge('a\r\nB', 'a\r\nb', 'a\r\nC')?.content).toBe(
      'a\r\n<<<<<<< agent\r\nB\r\n=======\r\nC\r\n>>>>>>> disk\r\n',
    )
    expect(merge('A\nb\nc\nd', 'a\nb\nc\nd', 'a\nb\nc\nD')?.content).toBe('A\nb\nc\nD')
  })

  it('only merges text of one encoding', () => {
    const wide = (content: string) => Buffer.from(`\uFEFF${content}`, 'utf16le')
    const merged = mergeContents(wide('A\nb\nc\n'), wide('a\nb\nc\n'), wide('a\nb\nC\n'), names)
    expect(merged).toEqual({ content: wide('A\nb\nC\n'), conflict: false })
    expect(merge(wide('A\n'), 'a\n', 'b\n')).toBeUndefined()
    expect(merge('A\0', 'a\0', 'b\0')).toBeUndefined()
    expect(merge('', 'a\n', 'b\n')?.conflict).toBe(true)
  })

  it('treats names of methods as plain lines', () => {
    expect(merge('constructor', 'toString', 'toString')?.content).toBe('constructor')
    expect(
      merge('x\n__proto__\nb\nconstructor', 'x\n__proto__\nb\nconstructor\nz', 'y\n__proto__\nb\nconstructor\nz')
        ?.content,
    ).toContain('__proto__')
  })

  it('gives up on a costly merge by a count, not by time', () => {
    const other = (word: string) => numberedLines(5_000, (n) => `${word} ${n}`)
    expect(merge(other('a'), other('b'), other('c'))).toBeUndefined()
    const same = 'same\n'.repeat(3_000)
    expect(merge(`a\n${same}end\n`, `c\n${same}end\n`, 'c\nend\n')).toBeUndefined()
  })

  it('does not depend on the length between the changes', () => {
    const long = (edit: number, by: string) => numberedLines(50_000, (n) => (n === edit ? by : undefined))
    expect(merge(long(3, 'A'), long(-1, ''), long(49_990, 'B'))?.conflict).toBe(false)
    const same = 'same\n'.repeat(100_000)
    expect(merge(`a\n${same}b\n`, `c\n${same}b\n`, `c\n${same}d\n`)).toEqual({
      content: `a\n${same}d\n`,
      conflict: false,
    })
  })

  it('loses no line of either side, and takes a side unchanged if the other has not changed', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '}', ''), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''))
    fc.assert(
      fc.property(text, text, text, (ours, base, theirs) => {
        expect(merge(ours, base, base)).toEqual({ content: ours, conflict: false })
        expect(merge(base, base, theirs)).toEqual({ content: theirs, conflict: false })
        const merged = merge(ours, base, theirs)
        const addedLines = (side: string) => side.split('\n').filter((line) => line !== '' && !base.includes(line))
        for (const line of [...addedLines(ours), ...addedLines(theirs)]) expect(merged?.content).toContain(line)
        expect(merged?.conflict).toBe(hasMarkers(Buffer.from(merged?.content ?? '')))
        const turned = merge(theirs, base, ours)
        if (merged?.conflict === false) expect(turned).toEqual(merged)
      }),
      { numRuns: 500 },
    )
  })
})

describe('hasMarkers', () => {
  it('needs all three, in order, each on a separate line', () => {
    const has = (text: string) => hasMarkers(Buffer.from(text))
    expect(has('x\n<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n')).toBe(true)
    expect(has('<<<<<<< a\r\n=======\r\n>>>>>>> b')).toBe(true)
    expect(has('Title\n=======\n')).toBe(false)
    expect(has('=======\n<<<<<<< a\n>>>>>>> b\n')).toBe(false)
    expect(has(' <<<<<<< a\n=======\n>>>>>>> b\n')).toBe(false)
  })
})
