import { describe, expect, it } from 'vitest'
import { assertStrings } from '../../src/core/strings.js'

describe('assertStrings', () => {
  it('accepts strings, empty ones too', () => {
    expect(() => assertStrings('a call', { id: '', why: 'because' })).not.toThrow()
  })

  it.each([
    [7, 'number'],
    [null, 'null'],
    [undefined, 'undefined'],
    [['a'], 'object'],
  ])('names a field that is %j', (id, type) => {
    const message = `The id of a call must be a string, not ${type}. Nothing was recorded.`
    expect(() => assertStrings('a call', { why: 'because', id })).toThrow(
      expect.objectContaining({ reason: 'unsupported', message }),
    )
  })
})
