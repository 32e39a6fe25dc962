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

it('prefers what is nearer', () => {
  expect(nearest('ab', ['ac', 'ab'])).toBe('ab')
})
