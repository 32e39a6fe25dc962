import { expect, it } from 'vitest'
import { nearest } from '../../src/core/nearest.js'

const known = ['agent-1', 'agent-2', 'review', 'undo-4']

it.each([
  ['agnet-1', 'agent-1'],
  ['Agent-2', 'agent-2'],
  ['reviw', 'review'],
  ['rveiew', 'review'],
  ['undo4', 'undo-4'],
])('corrects %s to %s', (word, meant) => {
  expect(nearest(word, known)).toBe(meant)
})

it.each(['', 'x', 'commit', 'agent', 'session-of-yesterday'])('finds no correction for %j', (word) => {
  expect(nearest(word, ['status', 'review'])).toBeUndefined()
})

it('does not correct one number to another', () => {
  expect(nearest('INT-099', ['INT-001', 'INT-090'])).toBeUndefined()
  expect(nearest('INT-01', ['INT-001'])).toBe('INT-001')
  expect(nearest('itn-001', ['INT-001'])).toBe('INT-001')
})

it('prefers the nearer word', () => {
  expect(nearest('ab', ['ac', 'ab'])).toBe('ab')
})
