import { expect, it } from 'vitest'
import { clientOf } from '../../src/cli/hook-answer.js'

it('knows the line of a hook as clients are told it, and leaves every other to the parser', () => {
  expect(clientOf(['hook', 'claude'])).toBe('claude')
  expect(clientOf(['hook', 'cline'])).toBe('cline')
  const others = [[], ['hook'], ['hook', 'nobody'], ['hook', 'toString'], ['hook', '--help'], ['status', 'claude']]
  const longer = [
    ['hook', 'claude', '--help'],
    ['hook', 'claude', '--session', 'a'],
    ['-C', '.', 'hook', 'claude'],
    ['hook', 'claude', 'gemini'],
  ]
  for (const line of [...others, ...longer]) expect(clientOf(line), line.join(' ')).toBeUndefined()
})
