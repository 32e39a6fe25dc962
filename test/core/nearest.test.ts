import { expect, it } from 'vitest'
import { nearest } from '../../src/core/nearest.js'

const known = ['agent-1', 'agent-2', 'review', 'undo-4']

it.each([
  ['agnet-1', 'agent-1'],
  ['Agent-2', 'agent-2'],
  ['reviw', 'review'],
  ['rveiew', 'review'],
  ['undo4', 'undo-4'],
])('takes %s for %s', (word, meant) => {
  expect(nearest(word, known)).toBe(meant)
})

it.each(['', 'x', 'commit', 'agent', 'session-of-yesterday'])('takes %j for nothing', (word) => {
  expect(nearest(word, ['status', 'review'])).toBeUndefined()
})

it('takes no other number for a mistake', () => {
  expect(nearest('INT-099', ['INT-001', 'INT-090'])).toBeUndefined()
  expect(nearest('INT-01', ['INT-001'])).toBe('INT-001')
  expect(nearest('itn-001', ['INT-001'])).toBe('INT-001')
})

it('prefers what is nearer', () => {
  expect(nearest('ab', ['ac', 'ab'])).toBe('ab')
})
