import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../overlay/errno.js'
import type { Session } from '../../src/index.js'
import { startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** Links that an agent creates in its scope. Other tools follow them once they are committed. */

const FILES = {
  'src/auth/a.ts': 'a\n',
  'src/auth/sub/b.ts': 'b\n',
  'src/auth/keys/k.ts': 'k\n',
  'src/billing/pay.ts': 'pay\n',
  '.env': 'S=1\n',
}
const intents = (...scope: string[]) => `active_intents:
  - {id: INT-001, name: Auth, status: IN_PROGRESS, owned_scope: ${JSON.stringify(scope)}}
`

async function scene(scope: string[] = ['src/auth/**'], policy = '') {
  const project = testWorkspace(FILES, intents(...scope))
  if (policy !== '') project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  return { project, workspace, session: await startSession(workspace) }
}

/** Creates and removes a link. Returns `staged`, or the reason or code of the refusal. */
function tryLink(session: Session, target: string, path = 'src/auth/link'): string | undefined {
  try {
    session.fs.symlinkSync(target, path)
    session.fs.unlinkSync(path)
    return 'staged'
  } catch (error) {
    return error instanceof Error && 'reason' in error ? String(error.reason) : codeOf(error)
  }
}

describe('the target of a new link', () => {
  it('must be writable under the intent: a file, or a directory with everything in it', async () => {
    const { session } = await scene()
    const results = [
      'a.ts',
      'sub',
      './sub/b.ts',
      '../auth',
      'absent',
      '../billing',
      '../billing/pay.ts',
      '..',
      '../..',
    ].map((target) => [target, tryLink(session, target)])
    expect(Object.fromEntries(results)).toEqual({
      ...{ 'a.ts': 'staged', sub: 'staged', './sub/b.ts': 'staged', '../auth': 'staged', absent: 'staged' },
      ...{ '../billing': 'scope_violation', '../billing/pay.ts': 'scope_violation' },
      ...{ '..': 'scope_violation', '../..': 'scope_violation' },
    })
    expect(tryLink(session, '../../.env')).toBe('access_denied')
    expect(tryLink(session, '..\\billing')).toBe('scope_violation')
  })

  it('cannot be a directory that contains a path the scope negates', async () => {
    const { session } = await scene(['src/auth/**', '!src/auth/keys/**'])
    expect(tryLink(session, 'keys')).toBe('scope_violation')
    expect(tryLink(session, '../auth')).toBe('scope_violation')
    expect(tryLink(session, 'sub')).toBe('staged')
    expect(tryLink(session, 'a.ts')).toBe('staged')
    const wide = await scene(['**', '!src/billing/**'])
    expect(tryLink(wide.session, '../..')).toBe('scope_violation')
    expect(tryLink(wide.session, '../auth')).toBe('staged')
    expect(tryLink((await scene(['**'])).session, '../..')).toBe('staged')
    const files = await scene(['src/auth/**', 'src/billing/*'])
    expect(tryLink(files.session, '../billing')).toBe('scope_violation')
    expect(tryLink(files.session, '../billing/pay.ts')).toBe('staged')
  })

  it.each(['deny', 'read-only', 'hidden', 'ask'])(
    'cannot be a path with a rule `%s`, or a directory that contains one',
    async (word) => {
      const { session } = await scene(['**'], `access: {src/auth/keys: ${word}, "config/*/prod": deny}\n`)
      const reason = { deny: 'access_denied', 'read-only': 'access_denied', hidden: 'ENOENT', ask: 'needs_approval' }[
        word
      ]
      expect(tryLink(session, 'keys')).toBe(reason)
      expect(tryLink(session, 'keys/k.ts')).toBe(reason)
      expect(tryLink(session, '../auth')).toBe('access_denied')
      expect(tryLink(session, '../../config')).toBe('access_denied')
      expect(tryLink(session, '../billing')).toBe('staged')
    },
  )

  it('cannot be redirected by another link', async () => {
    const { session } = await scene()
    expect(tryLink(session, 'turn/../billing')).toBe('path_escape')
    expect(tryLink(session, './turn/../../../../x')).toBe('path_escape')
    session.fs.symlinkSync('sub', 'src/auth/turn')
    expect(tryLink(session, 'turn/b.ts')).toBe('staged')
  })

  it('is checked both as written and with its links resolved', async () => {
    const { project, session } = await scene()
    fs.symlinkSync('../billing', `${project.root}/src/auth/theirs`)
    fs.symlinkSync('auth', `${project.root}/src/also`)
    expect(tryLink(session, 'theirs')).toBe('scope_violation')
    expect(tryLink(session, 'theirs/pay.ts')).toBe('scope_violation')
    expect(tryLink(session, '../also/a.ts')).toBe('scope_violation')
  })
})

describe('a link created by another operation', () => {
  const linkOutside = (project: TestWorkspace) => fs.symlinkSync('../billing', `${project.root}/src/auth/theirs`)

  it('by a copy or a move is checked by its target from the new place', async () => {
    const { project, session } = await scene()
    linkOutside(project)
    fs.symlinkSync('../../auth/a.ts', `${project.root}/src/auth/sub/up`)
    fs.mkdirSync(`${project.root}/src/auth/sub/deep`)
    fs.symlinkSync('../../../auth/a.ts', `${project.root}/src/auth/sub/deep/up`)
    const { fs: agent } = session
    const operations: (() => void)[] = [
      () => agent.cpSync('src/auth/theirs', 'src/auth/copy', { verbatimSymlinks: true }),
      () => agent.cpSync('src/auth/theirs', 'src/auth/copy'),
      () => agent.cpSync('src/auth/sub/deep', 'src/auth/deep', { recursive: true, verbatimSymlinks: true }),
      () => agent.renameSync('src/auth/sub/up', 'src/auth/up'),
      () => agent.linkSync('src/auth/sub/up', 'src/auth/up'),
    ]
    for (const operation of operations)
      expect(operation, String(operation)).toThrow(expect.objectContaining({ reason: 'scope_violation' }))
    expect((await session.changes()).changes.filter(({ flags }) => flags.includes('symlink'))).toEqual([])
  })

  it('by a command is refused as in a tool call', async () => {
    const { session } = await scene()
    const { refused } = await session.exec(
      'cd src/auth; ln -s ../billing l1; ln -s ../../.env l2; ln -s sub l3; mkdir d; ln -s ../../billing/pay.ts d/l4; ln -s x/../b l5',
    )
    expect(refused.map(({ path, reason }) => [path, reason]).sort()).toEqual([
      ['src/auth/d/l4', 'scope_violation'],
      ['src/auth/l1', 'scope_violation'],
      ['src/auth/l2', 'access_denied'],
      ['src/auth/l5', 'path_escape'],
    ])
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/auth/d', 'src/auth/l3'])
  })
})

it('a link whose target left the scope after it was staged is not committed', async () => {
  const { project, workspace, session } = await scene(['src/**'])
  session.fs.symlinkSync('../billing', 'src/auth/link')
  await session.flush()
  project.write('.orchestration/active_intents.yaml', intents('src/auth/**'))
  const review = await workspace.review('agent')
  await review.approve()
  await expect(review.commit()).rejects.toMatchObject({
    refused: [{ path: 'src/auth/link', reason: 'scope_violation' }],
  })
  expect(fs.existsSync(`${project.root}/src/auth/link`)).toBe(false)
})
