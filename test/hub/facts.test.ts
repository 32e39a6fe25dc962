import { expect, it } from 'vitest'
import { EMPTY_DIGEST } from '../../overlay/index.js'
import { CHANGE, changeKey, limitFacts, limitSentences, SESSION_FACTS } from '../../src/hub/index.js'
import { createChange } from './fixtures.js'

it('facts are not part of what a verdict applies to', () => {
  const change = createChange('a', { after: EMPTY_DIGEST })
  const changeWithFacts = Object.assign({}, change, {
    facts: ['stop: a guard was removed'],
    risk: 3,
    agent: 'x',
    intent: 'y',
  })
  expect(changeKey(changeWithFacts)).toBe(changeKey(change))
  expect(changeKey(CHANGE.parse(changeWithFacts))).toBe(changeKey(change))
})

it("facts of any length are shortened to the hub's limits, with the number of omitted ones", () => {
  const long = Array.from({ length: 80 }, (_, index) => `${index} ${'x'.repeat(900)}`)
  const intent = { id: 'i'.repeat(900), name: 'n'.repeat(900), scope: long, criteria: long }
  const facts = limitFacts({ agent: 'a'.repeat(900), intents: Array.from({ length: 30 }, () => intent) })
  expect(SESSION_FACTS.safeParse(facts).success).toBe(true)
  const sentences = limitSentences(long)
  expect(
    CHANGE.safeParse(Object.assign({}, createChange('a', { after: EMPTY_DIGEST }), { facts: sentences })).success,
  ).toBe(true)
  expect([sentences.length, sentences[0]?.length, sentences.at(-1)]).toEqual([50, 500, 'and 31 more'])
  expect(limitSentences(['short'])).toEqual(['short'])
})

it('a shortened fact contains no half of a character', () => {
  const [fact = ''] = limitSentences([`${'x'.repeat(498)}😀${'y'.repeat(9)}`])
  expect([fact.isWellFormed(), fact.length]).toEqual([true, 500])
})

it('a path that no disk can have is refused, because it would be displayed as another one', () => {
  for (const path of ['a\ud800', 'a\0', '\udc00/b'])
    expect(CHANGE.safeParse(createChange(path, { after: EMPTY_DIGEST })).success, JSON.stringify(path)).toBe(false)
  for (const from of ['a\ud800', 'a\0']) {
    const renamed = Object.assign(createChange('b', { after: EMPTY_DIGEST }), { kind: 'rename', from })
    expect(CHANGE.safeParse(renamed).success, JSON.stringify(from)).toBe(false)
  }
  expect(CHANGE.safeParse(createChange('a😀', { after: EMPTY_DIGEST })).success).toBe(true)
})
