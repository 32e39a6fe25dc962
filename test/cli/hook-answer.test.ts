import { expect, it } from 'vitest'
import { hookClient } from '../../src/cli/hook-answer.js'

it('recognizes the command line of an installed hook, and passes every other one to the parser', () => {
  expect(hookClient(['hook', 'claude'])).toBe('claude')
  expect(hookClient(['hook', 'cline'])).toBe('cline')
  const others = [[], ['hook'], ['hook', 'nobody'], ['hook', 'toString'], ['hook', '--help'], ['status', 'claude']]
  const longer = [
    ['hook', 'claude', '--help'],
    ['hook', 'claude', '--session', 'a'],
    ['-C', '.', 'hook', 'claude'],
    ['hook', 'claude', 'gemini'],
  ]
  for (const line of [...others, ...longer]) expect(hookClient(line), line.join(' ')).toBeUndefined()
})
