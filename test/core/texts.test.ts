import { describe, expect, it } from 'vitest'
import { assertTexts } from '../../src/core/texts.js'

describe('assertTexts', () => {
  it('accepts texts, empty ones too', () => {
    expect(() => assertTexts('a call', { id: '', why: 'because' })).not.toThrow()
  })

  it.each([
    [7, 'number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a'], 'object'],
  ])('names a field that is %j', (id, type) => {
    const message = `The id of a call is a text, not of type ${type}. Nothing was recorded.`
    expect(() => assertTexts('a call', { why: 'because', id })).toThrow(
      expect.objectContaining({ reason: 'unsupported', message }),
    )
  })
})
