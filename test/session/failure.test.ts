import { expect, it } from 'vitest'
import { unknownSession } from '../../src/session/index.js'

it('an unknown session: the first one of a workspace, a similar name, many', () => {
  const first = unknownSession('agent', [])
  expect([first.reason, first.message]).toEqual([
    'nothing_selected',
    'There is no session agent. This workspace has none.',
  ])
  expect(first.hint).toContain('escrow run --session NAME -- PROGRAM')
  expect(unknownSession('agnt', ['agent', 'other']).hint).toBe("Did you mean 'agent'?")
  const many = unknownSession(
    'x',
    Array.from({ length: 20 }, (_, index) => `session-${index}`),
  )
  expect(many.message).toMatch(/session-11, and 8 more\.$/)
  expect(many.hint).toBeUndefined()
})
