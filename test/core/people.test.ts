import { describe, expect, it } from 'vitest'
import { checkedAgent, checkedReviewer, type Reviewer } from '../../src/core/people.js'

/** What untyped code may give for a value of a type. */
const untyped = <T>(text: string): T => JSON.parse(text)

describe('checkedReviewer', () => {
  it('keeps the name and the email, and no other field', () => {
    const account = { name: 'Ada', email: 'ada@example.org', id: 7 }
    expect(checkedReviewer(account)).toEqual({ name: 'Ada', email: 'ada@example.org' })
    expect(checkedReviewer({ name: 'Ada' })).toEqual({ name: 'Ada' })
  })

  it.each(['"Ada"', 'null', '{}', '{"name":5}', '{"name":"Ada","email":5}'])('refuses %s', (text) => {
    expect(() => checkedReviewer(untyped<Reviewer>(text))).toThrow(
      expect.objectContaining({ reason: 'unsupported', hint: "Give { name: 'Ada' }, and an email if there is one." }),
    )
  })
})

describe('checkedAgent', () => {
  it('keeps the known fields that have a value', () => {
    expect(checkedAgent(untyped('{"model":"m","tool":"t","toolVersion":"1","conversation":"c","id":7}'))).toEqual({
      ...{ model: 'm', tool: 't', toolVersion: '1', conversation: 'c' },
    })
    expect(checkedAgent({})).toEqual({})
  })

  it.each(['"claude"', 'null', '{"model":5}', '{"toolVersion":["1"]}'])('refuses %s', (text) => {
    expect(() => checkedAgent(untyped(text))).toThrow(expect.objectContaining({ reason: 'unsupported' }))
  })
})
