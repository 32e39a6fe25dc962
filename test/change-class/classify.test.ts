import { describe, expect, it } from 'vitest'
import { classify, MAX_BYTES } from '../../src/change-class/classify.js'
import { PAIRS } from './pairs/index.js'

const classifyTexts = (path: string, before: string | Uint8Array, after: string | Uint8Array) =>
  classify({ path, before: Buffer.from(before), after: Buffer.from(after) })

describe('classify', () => {
  it('is correct about every labelled refactoring, in both directions', async () => {
    const wrong: string[] = []
    for (const { path, label, why, before, after } of PAIRS) {
      if (label === 'refactor') continue
      for (const sides of [
        [before, after],
        [after, before],
      ] as const) {
        const { class: word, rule } = await classifyTexts(path, ...sides)
        if (word === 'AST_REFACTOR') wrong.push(`${path}: ${why} (${rule})`)
      }
    }
    expect(wrong).toEqual([])
  })

  it('recognizes most refactorings', async () => {
    const refactorings = PAIRS.filter(({ label }) => label === 'refactor')
    const missed: string[] = []
    for (const { path, why, before, after } of refactorings) {
      const found = await classifyTexts(path, before, after)
      if (found.class !== 'AST_REFACTOR') missed.push(`${path}: ${why} (${found.rule}: ${found.detail})`)
    }
    expect(missed).toEqual([])
  })

  it('is tested on many pairs of many languages', () => {
    expect(PAIRS.length).toBeGreaterThanOrEqual(200)
    expect(new Set(PAIRS.map(({ path }) => path)).size).toBeGreaterThanOrEqual(8)
    expect(new Set(PAIRS.map(({ before, after }) => `${before}\0${after}`)).size).toBe(PAIRS.length)
  })

  it.each([
    ['src/a.ts', `/*${'\n'.repeat(400_000)}*/ a()\n`],
    ['src/a.ts', `/* ${'a'.repeat(400_000)} */ a()\n`],
    ['src/a.ts', `let ${'a = b + '.repeat(300)}c\n`],
    ['src/a.yaml', `a: 1 ${'#'.repeat(200_000)}\n`],
    ['src/a.go', `package a\n${'\n'.repeat(400_000)}`],
  ])('ends for text that is made to be slow: %s (%#)', async (path, text) => {
    const found = await classifyTexts(path, text, `${text}\n`)
    expect(['AST_REFACTOR', 'UNVERIFIED']).toContain(found.class)
  })

  it.each([
    ['src/a.unknown', 'a', 'b', 'language'],
    ['src/a.ts', 'let a = (', 'let a = 1', 'syntax'],
    ['src/a.ts', 'let a = 1', 'let a = (', 'syntax'],
    ['src/a.ts', new Uint8Array([0xff, 0xfe]), 'let a = 1', 'encoding'],
    ['src/a.ts', 'let a = 1', 'let a = 1\0', 'encoding'],
    ['src/a.ts', 'let a = 1', ' '.repeat(MAX_BYTES + 1), 'size'],
    ['src/a.ts', 'let a = 1', `let a = ${'['.repeat(5_000)}1${']'.repeat(5_000)}`, 'size'],
    ['src/a.json', '{"a": 1}', '{"a": 1,}', 'doubt'],
    ['src/a.yaml', 'a: &x 1\nb: *x\n', 'a: &x 1\nb:  *x\n', 'doubt'],
    // Readers of YAML 1.1 end the comment there, and find a key.
    ['src/a.yaml', 'a: 1\n', '# tidy\radmin: true\na: 1\n', 'doubt'],
    ['src/a.yaml', 'a: 1\n', '# tidy\u0085admin: true\na: 1\n', 'doubt'],
    ['src/a.yaml', 'a: 1\n', '# tidy\u2028admin: true\na: 1\n', 'doubt'],
    ['src/a.yaml', 'a: 1\n', '# tidy\u2029admin: true\na: 1\n', 'doubt'],
    ['src/a.py', 'if a:\n    b()\n    c()\n', 'if a:\n\tb()\n        c()\n', 'doubt'],
  ])('answers unverified if it cannot decide: %s (%#)', async (path, before, after, rule) => {
    expect(await classifyTexts(path, before, after)).toMatchObject({ class: 'UNVERIFIED', rule })
  })
})
