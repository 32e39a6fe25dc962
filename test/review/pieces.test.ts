import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffFile } from '../../src/review/diff.js'

const bytes = (text: string) => Buffer.from(text)
const idsOf = (before: string, after: string, splits?: Set<string>) =>
  diffFile(bytes(before), bytes(after), 'a', splits).hunks.map(({ id }) => id)

describe('a split hunk', () => {
  const before = 'a\nb\nc\nd\ne\nf\n'
  const after = 'A\nb\nc\nD\ne\nF\n'

  it('is split at unchanged lines, and the pieces are adjacent', () => {
    const [whole = ''] = idsOf(before, after)
    const pieces = diffFile(bytes(before), bytes(after), 'a', new Set([whole])).hunks
    expect(pieces.map(({ text }) => text)).toEqual([
      '@@ -1,2 +1,2 @@\n-a\n+A\n b\n',
      '@@ -3,3 +3,3 @@\n c\n-d\n+D\n e\n',
      '@@ -6,1 +6,1 @@\n-f\n+F\n',
    ])
    expect(pieces.map(({ partOf }) => partOf)).toEqual([whole, whole, whole])
  })

  it('identifies a piece without a line around it by its position', () => {
    const after = 'X\ny\nnew\n'
    const last = (before: string) => diffFile(bytes(before), bytes(after), 'a', new Set(idsOf(before, after))).hunks[1]
    expect([last('w\ny\n')?.text, last('v\ny\n')?.text]).toEqual(Array(2).fill('@@ -2,0 +3,1 @@\n+new\n'))
    expect(last('w\ny\n')?.id).not.toBe(last('v\ny\n')?.id)
  })

  it('has parts with unique ids that together produce the new content', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
      .chain((lines) => fc.constantFrom(lines.join('\n'), lines.map((line) => `${line}\n`).join('')))
    fc.assert(
      fc.property(text, text, fc.array(fc.boolean(), { maxLength: 12 }), (before, after, wanted) => {
        const splits = new Set(idsOf(before, after))
        const diff = diffFile(bytes(before), bytes(after), 'a', splits)
        const ids = diff.hunks.map(({ id }) => id)
        expect(new Set(ids).size).toBe(ids.length)
        expect(Buffer.from(diff.take(new Set(ids))).toString()).toBe(after)
        const some = ids.filter((_, index) => wanted[index])
        const taken = Buffer.from(diff.take(new Set(some))).toString()
        const left = diffFile(bytes(taken), bytes(after), 'a').hunks
        if (some.length < ids.length) expect(left.length).toBeGreaterThan(0)
        for (const hunk of diff.hunks) expect(hunk.text).toMatch(/^[-+]/m)
      }),
    )
  })
})
