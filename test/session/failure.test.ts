import { expect, it } from 'vitest'
import { sessionFailure, unknownSession } from '../../src/session/index.js'

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

it.each([
  ['ENOSPC', 'limit_exceeded', 'Free space on the disk of the state directory, then open the session again.'],
  ['EROFS', 'access_denied', 'Make the state directory writable, then open the session again.'],
])('a session that cannot be saved: %s', (code, reason, hint) => {
  const cause = Object.assign(new Error(`${code}: no write`), { code })
  expect(sessionFailure('agent', cause)).toMatchObject({
    reason,
    hint,
    message: `Session agent cannot be saved: ${code}: no write.`,
  })
})
