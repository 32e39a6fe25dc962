import { expect, it } from 'vitest'
import { HubError } from '../../src/hub/index.js'
import { toFailure } from '../../src/hub-server/failure.js'

it('an unexpected error is reported to the operator, and its answer reveals nothing about the database', () => {
  const reported: unknown[] = []
  const error = new Error('password authentication failed for user "hub"')
  expect(toFailure(error, (each) => reported.push(each))).toMatchObject({ status: 500, failure: { code: 'failed' } })
  expect(JSON.stringify(toFailure(error, () => undefined))).not.toContain('password')
  expect(reported).toEqual([error])
})

it.each(['ECONNREFUSED', 'CONNECT_TIMEOUT', 'CONNECTION_CLOSED', '57P01', '08006', '53300'])(
  'an unavailable database (%s) is reported as such',
  (code) => {
    const error = Object.assign(new Error('10.0.0.7:5432'), { code })
    expect(toFailure(error, () => undefined)).toMatchObject({ status: 503, failure: { code: 'away' } })
  },
)

it.each(['53100', 'ENOSPC', 'EDQUOT'])("a full disk (%s) is reported as such, without the operator's paths", (code) => {
  const error = Object.assign(new Error('could not extend file "base/5/16391"'), { code })
  expect(toFailure(error, () => undefined)).toEqual({
    status: 503,
    failure: {
      code: 'away',
      message: "The disk of the hub's database is full. Its operator must free space on it; then try again.",
    },
  })
})

it('a refusal is returned unchanged', () => {
  const failure = toFailure(new HubError('missing', 'Send them.', ['d']), () => expect.unreachable())
  expect(failure).toEqual({ status: 422, failure: { code: 'missing', message: 'Send them.', details: ['d'] } })
})
