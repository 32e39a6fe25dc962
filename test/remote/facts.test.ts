import { expect, it } from 'vitest'
import { limitAll } from '../../src/remote/facts.js'
import { createChange } from '../hub/fixtures.js'

it('facts over the limit of a request are omitted, first those about the changes with the least risk', () => {
  const facts = Array.from({ length: 50 }, () => 'x'.repeat(500))
  const changes = Array.from({ length: 60 }, (_, index) =>
    Object.assign(createChange(`${index}`, { risk: index % 3 }), { facts }),
  )
  const limited = limitAll(changes)
  expect(limited.map(({ path }) => path)).toEqual(changes.map(({ path }) => path))
  const withFacts = limited.filter((each) => each.facts !== undefined)
  expect(JSON.stringify(withFacts.map((each) => each.facts)).length).toBeLessThan(1024 * 1024)
  expect([withFacts.length, Math.min(...withFacts.map(({ risk }) => risk))]).toEqual([41, 0])
  expect(limited.filter(({ risk, facts: left }) => risk === 2 && left === undefined)).toEqual([])
})
