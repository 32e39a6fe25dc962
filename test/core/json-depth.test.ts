import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isTooDeep, MAX_JSON_DEPTH } from '../../src/core/json-depth.js'

const nestedJson = (depth: number, inner = '') => `${'['.repeat(depth)}${inner}${']'.repeat(depth)}`

describe('isTooDeep', () => {
  it('counts the arrays and objects around a value', () => {
    expect(isTooDeep(nestedJson(MAX_JSON_DEPTH))).toBe(false)
    expect(isTooDeep(nestedJson(MAX_JSON_DEPTH + 1))).toBe(true)
    expect(isTooDeep(nestedJson(MAX_JSON_DEPTH, '{}'))).toBe(true)
    expect(isTooDeep(`[${Array.from({ length: 2000 }, () => '[{}]').join()}]`)).toBe(false)
  })

  it('ignores brackets in a string', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', 'é') }), (text) => {
        const json = JSON.stringify({ [text]: [text, '['.repeat(MAX_JSON_DEPTH)] })
        expect(isTooDeep(json)).toBe(false)
        expect(isTooDeep(`[${json},${nestedJson(MAX_JSON_DEPTH)}]`)).toBe(true)
      }),
    )
  })

  it('stops at the end of a text that is not JSON', () => {
    for (const text of ['', '"', '"\\"', '[]]]', '"]']) expect(isTooDeep(text)).toBe(false)
  })
})
