import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatLesson, isSameLesson, lessonsIn } from '../../src/trace/lessons.js'

const AT = '2026-01-02T03:04:05.000Z'

describe('a lesson as text', () => {
  it('has the agreed format', () => {
    expect(formatLesson({ at: AT, text: 'One.', context: 'CI\nred', intent: 'INT-1' })).toBe(
      `## Lesson Learned (${AT})\n\nOne.\n\n**Context:** CI red (for INT-1)\n\n---\n`,
    )
    expect(formatLesson({ at: AT, text: 'One.' })).toBe(`## Lesson Learned (${AT})\n\nOne.\n\n---\n`)
  })

  it('is read back as one, even with text that looks like two', () => {
    const word = fc.constantFrom('---', '## Lesson Learned (x)', '**Context:** y', '\\---', 'words', '', '# z')
    fc.assert(
      fc.property(fc.array(fc.array(word, { maxLength: 6 }), { maxLength: 4 }), (all) => {
        const texts = all.map((lines) => lines.join('\n').trim())
        const content = texts.map((text) => `between\n${formatLesson({ at: AT, text, intent: 'INT-1' })}`).join('')
        expect(lessonsIn(content).map(({ text }) => text)).toEqual(texts)
        expect(lessonsIn(content).every(({ intent }) => intent === 'INT-1')).toBe(true)
      }),
    )
  })

  it('is the same whatever its layout and case', () => {
    expect([isSameLesson('A  b\n', ' a B'), isSameLesson('a', 'b')]).toEqual([true, false])
  })
})
