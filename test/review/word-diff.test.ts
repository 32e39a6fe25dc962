import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wordDiff } from '../../src/review/word-diff.js'

const markedWords = (text: string) =>
  wordDiff(text).map((spans, index) => spans.map(({ from, to }) => (text.split('\n')[index] ?? '').slice(from, to)))

it('marks the changed words if as many lines were added as removed', () => {
  const text = '@@ -1,3 +1,3 @@\n const a = 1\n-return total(price, tax)\n-end\n+return total(price, rate)\n+stop\n'
  expect(markedWords(text)).toEqual([[], [], ['tax'], [], ['rate'], []])
})

it('marks nothing if the numbers of lines differ', () => {
  expect(markedWords('@@ -1 +1,2 @@\n-one two\n+one three\n+four\n')).toEqual([[], [], [], []])
  expect(markedWords('@@ -0,0 +1 @@\n+one\n')).toEqual([[], []])
})

it("ignores git's note on a missing final newline", () => {
  const text = '@@ -1 +1 @@\n-let a = 1\n\\ No newline at end of file\n+let a = 2\n\\ No newline at end of file\n'
  expect(markedWords(text)).toEqual([[], ['1'], [], ['2'], []])
})

it('skips long lines and long runs', () => {
  const long = 'x '.repeat(600)
  expect(markedWords(`@@ -1 +1 @@\n-${long}a\n+${long}b\n`)).toEqual([[], [], []])
  const run = (mark: string, word: string) => `${mark}same same ${word}\n`.repeat(101)
  expect(markedWords(`@@ -1,101 +1,101 @@\n${run('-', 'a')}${run('+', 'b')}`).flat()).toEqual([])
})

it('marks nothing in a line with too many changed words, because the comparison takes long', () => {
  const wordLine = (changed: number) =>
    Array.from({ length: 200 }, (_, index) => (index < changed * 3 && index % 3 === 0 ? 'b' : 'a'))
  const hunk = (changed: number) => `@@ -1 +1 @@\n-${wordLine(0).join(' ')}\n+${wordLine(changed).join(' ')}\n`
  expect(wordDiff(hunk(30)).flat()).toHaveLength(60)
  expect(wordDiff(hunk(31)).flat()).toEqual([])
})

it('without the marked spans both sides are equal, and no span leaves its line', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '(', '.', 'é', '𝒳') })
  fc.assert(
    fc.property(fc.array(fc.tuple(line, line), { minLength: 1, maxLength: 4 }), (pairs) => {
      const text = `@@\n${pairs.map(([old]) => `-${old}\n`).join('')}${pairs.map(([, now]) => `+${now}\n`).join('')}`
      const spans = wordDiff(text)
      const lines = text.split('\n')
      const rest = (index: number) => {
        let left = ''
        let at = 1
        for (const { from, to } of spans[index] ?? []) {
          expect(from).toBeGreaterThanOrEqual(at)
          expect(to).toBeGreaterThan(from)
          left += (lines[index] ?? '').slice(at, from)
          at = to
        }
        expect(at).toBeLessThanOrEqual((lines[index] ?? '').length)
        return left + (lines[index] ?? '').slice(at)
      }
      for (const [index] of pairs.entries()) {
        const [old, now] = [1 + index, 1 + pairs.length + index]
        if (spans[old]?.length || spans[now]?.length) expect(rest(old)).toBe(rest(now))
      }
    }),
  )
})
