import { expect, test } from 'vitest'
import { asRelPath } from '../../overlay/index.js'
import type { Session } from '../../src/index.js'
import { LocalSession } from '../../src/session/session.js'
import { scene } from './kit.js'

const refusals = (commit: Promise<unknown>) =>
  commit.then(
    () => 'committed',
    (error: { refused?: { path: string; reason: string }[]; reason?: string }) =>
      error.refused?.map(({ path, reason }) => `${path}: ${reason}`) ?? error.reason,
  )

async function approveWork(s: ReturnType<typeof scene>, work: (session: Session) => void) {
  const workspace = await s.open()
  const session = await s.agent(workspace)
  work(session)
  await session.flush()
  const review = await workspace.review('one')
  await review.changes()
  await review.approve()
  return { workspace, session, review }
}

test('a rule added after a write applies to its commit', async () => {
  const s = scene({ 'src/secret/a.ts': 'a\n', 'src/b.ts': 'b\n' })
  const { review } = await approveWork(s, ({ fs }) => {
    fs.writeFileSync('src/secret/a.ts', 'changed\n')
    fs.writeFileSync('src/b.ts', 'changed\n')
  })
  s.write('.orchestration/policy.yaml', 'protected: [src/secret]\n')
  expect(await refusals(review.commit())).toEqual(['src/secret/a.ts: protected_path'])
  s.write('.orchestration/policy.yaml', 'access: { src/b.ts: read-only }\n')
  expect(await refusals(review.commit())).toEqual(['src/b.ts: access_denied'])
  expect(s.read('src/b.ts')).toBe('b\n')
})

test('an invalid policy.yaml blocks every commit', async () => {
  const s = scene({ 'src/b.ts': 'b\n' })
  const { review } = await approveWork(s, ({ fs }) => fs.writeFileSync('src/b.ts', 'changed\n'))
  s.write('.orchestration/policy.yaml', 'acess: {}\n')
  expect(await refusals(review.commit())).toEqual(['src/b.ts: policy_invalid'])
  expect(s.read('src/b.ts')).toBe('b\n')
  const problem = await (await s.open()).policyProblem()
  expect(problem).toContain('line 1, column 1: unknown key `acess`')
  await expect(review.commit()).rejects.toMatchObject({ hint: expect.stringMatching(/^Correct that file/) })
  s.write('.orchestration/policy.yaml', 'access: {}\n')
  expect(await (await s.open()).policyProblem()).toBeUndefined()
  expect((await review.commit()).committed).toEqual(['src/b.ts'])
})

test('deletions and renames are checked against the scope of their intent at the commit', async () => {
  const intents = (scope: string) =>
    `active_intents:\n  - id: INT-001\n    name: W\n    status: IN_PROGRESS\n    owned_scope: [${scope}]\n`
  const s = scene({ 'src/a/x.ts': 'x\n', 'src/b/y.ts': 'y\n', 'src/d/z.ts': 'z\n' }, intents('"src/**"'))
  const { review } = await approveWork(s, ({ fs }) => {
    fs.unlinkSync('src/a/x.ts')
    fs.renameSync('src/b/y.ts', 'src/b/w.ts')
    fs.renameSync('src/d', 'src/e')
  })
  s.write('.orchestration/active_intents.yaml', intents('"src/none/**"'))
  const refused = await refusals(review.commit())
  expect(refused).toContain('src/a/x.ts: scope_violation')
  expect(refused).toContain('src/b/w.ts: scope_violation')
  expect(refused).toContain('src/e/z.ts: scope_violation')
})

test('a file written under one intent and moved under another is checked against the second', async () => {
  const s = scene(
    { 'src/a/x.ts': 'x\n', 'lib/keep.ts': '' },
    `active_intents:
  - { id: INT-A, name: A, status: IN_PROGRESS, owned_scope: ["src/a/**"] }
  - { id: INT-B, name: B, status: IN_PROGRESS, owned_scope: ["src/**"] }
`,
  )
  const workspace = await s.open()
  const session = await s.agent(workspace, 'one', 'INT-A')
  session.fs.writeFileSync('src/a/new.ts', 'new\n')
  await session.selectIntent('INT-B')
  session.fs.renameSync('src/a/new.ts', 'src/moved.ts')
  await session.flush()
  expect(await s.release('one')).toEqual(['src/moved.ts'])
})

test('a change whose neighbour was reverted is still committed under its intent', async () => {
  const s = scene({ 'src/d/a.ts': 'a\n', 'src/d/b.ts': 'b\n', 'src/e/x.ts': 'x\n', 'src/e/y.ts': 'y\n' })
  const { session } = await approveWork(s, ({ fs }) => {
    fs.rmSync('src/d', { recursive: true })
    fs.renameSync('src/e', 'src/f')
  })
  await session.revert(['src/d/a.ts', 'src/f/x.ts'])
  await session.flush()
  expect((await s.release('one')).sort()).toEqual(['src/d/b.ts', 'src/f/y.ts'])
  expect([s.exists('src/d/a.ts'), s.exists('src/d/b.ts'), s.exists('src/e/x.ts')]).toEqual([true, false, true])
})

test.each([
  ['../../etc', 'path_escape'],
  ['/etc/passwd', 'path_escape'],
  ['../.git/hooks', 'protected_path'],
])('a link to %s is not committed, even if it was staged without a check', async (target, reason) => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const { review } = await approveWork(s, (session) => {
    if (session instanceof LocalSession) session.store.overlay.symlink(target, asRelPath('src/l'))
  })
  expect(await refusals(review.commit())).toEqual([`src/l: ${reason}`])
  expect(s.exists('src/l')).toBe(false)
})
