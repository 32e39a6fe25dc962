import { describe, expect, it } from 'vitest'
import { readingsOf } from '../../src/policy/readings.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { access, denial, policyOf, setUp } from './setup.js'

describe('the readings of a name', () => {
  it.each([
    ['src/a.ts', ['src/a.ts']],
    ['src\\a.ts', ['src\\a.ts', 'src/a.ts']],
    ['src/x\\..\\..\\b', ['src/x\\..\\..\\b', 'b']],
    ['src/x\\..', ['src/x\\..', 'src']],
    ['x\\..', ['x\\..', '']],
    ['x\\..\\..\\y', ['x\\..\\..\\y', '../y']],
    ['x\\', ['x\\', 'x']],
  ])('%s', (name, readings) => {
    expect(readingsOf(name)).toEqual(readings)
  })
})

describe('a name with a backslash', () => {
  const reason = (path: string, policy = setUp()) => denial(policy, access('put', path))

  it('must be in scope by each reading', () => {
    expect(reason('src/auth/x\\y.ts')).toBe('stage')
    expect(reason('src/auth/..\\..\\billing\\pay.ts')).toMatchObject({
      reason: 'scope_violation',
      file: 'billing/pay.ts',
    })
    expect(reason('src/auth/x\\..\\secret\\key.ts')).toMatchObject({ reason: 'scope_violation' })
    expect(reason('src/auth\\a.ts')).toMatchObject({ reason: 'scope_violation' })
    expect(reason('src/auth/..\\..\\..\\out')).toMatchObject({ reason: 'path_escape' })
  })

  it('is closed if a rule closes one reading of it', () => {
    const policy = setUp({ policy: () => policyOf('access: {src/auth/keys: deny}\nprotected: [src/auth/kept]\n') })
    expect(reason('src/auth/x\\..\\keys\\a', policy)).toMatchObject({ reason: 'access_denied' })
    expect(reason('src/auth/x\\..\\kept\\a', policy)).toMatchObject({ reason: 'protected_path' })
    expect(reason('src/auth/x\\.env', policy)).toMatchObject({ reason: 'access_denied' })
    expect(denial(policy, access('read', 'src\\auth\\keys\\a'))).toMatchObject({ reason: 'access_denied' })
  })

  it('is flagged, and refused at the commit, if the scope has become narrower', async () => {
    const project = testWorkspace({ 'src/a.ts': 'a\n' })
    const workspace = await project.open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/x\\..\\sub\\b.ts', 'b\n')
    expect(() => session.fs.writeFileSync('src/x\\..\\..\\mail\\m.ts', 'b\n')).toThrow(/Scope Violation.*mail\/m\.ts/)
    project.write(
      '.orchestration/active_intents.yaml',
      project.text('.orchestration/active_intents.yaml').replace('src/**', 'src/x*'),
    )
    const review = await workspace.review('agent')
    expect((await review.changes()).changes).toMatchObject([{ path: 'src/x\\..\\sub\\b.ts', flags: ['out-of-scope'] }])
    await review.approve()
    await expect(review.commit()).rejects.toMatchObject({ refused: [{ reason: 'scope_violation' }] })
  })
})
