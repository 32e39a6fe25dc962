import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { beforeEach, expect, it, vi } from 'vitest'
import { git, initRepository } from '../support/git.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

/** The seconds that each hook was given, and those that it gets here. */
const hooks = vi.hoisted(() => ({ given: [] as (number | undefined)[], seconds: undefined as number | undefined }))
vi.mock('../../src/acceptance/index.js', async (original) => {
  const real = await original<typeof import('../../src/acceptance/index.js')>()
  const runCheck: typeof real.runCheck = (place, check, options) => {
    hooks.given.push(check.timeout)
    return real.runCheck(place, Object.assign({}, check, { timeout: hooks.seconds ?? check.timeout }), options)
  }
  return Object.assign({}, real, { runCheck })
})

beforeEach(() => {
  hooks.given.splice(0)
  hooks.seconds = undefined
})

/** A repository with a hook, in which an agent has changed two files and Ann has approved one of them. */
async function setUpPartlyApproved(hook: string) {
  const project = testWorkspace()
  initRepository(project.root)
  mkdirSync(`${project.root}/.git/hooks`, { recursive: true })
  writeFileSync(`${project.root}/.git/hooks/pre-commit`, `#!/bin/sh\n${hook}\n`)
  chmodSync(`${project.root}/.git/hooks/pre-commit`, 0o755)
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'approved\n')
  session.fs.writeFileSync('src/b.ts', 'not approved\n')
  session.fs.writeFileSync('src/new.ts', 'not approved\n')
  const review = await workspace.review(session.id)
  await review.approve({ paths: ['src/a.ts'] }, { name: 'Ann' })
  const run = (...args: string[]) => git(project.root, ...args).trimEnd()
  return { ...project, run, session, commit: () => review.commit({ git: { hooks: true } }) }
}

it('shows the pre-commit hook the approved changes, and no other staged change', async () => {
  const inspectScript =
    'git diff --cached --name-status; git status --porcelain -uall; cat src/a.ts src/b.ts; ls src; exit 1'
  const { run, commit, text } = await setUpPartlyApproved(inspectScript)
  const { output } = await failure(commit)
  expect(output).toBe('M\tsrc/a.ts\nM  src/a.ts\napproved\nb\na.ts\nb.ts\nsub\n')
  expect([run('status', '--porcelain'), text('src/a.ts')]).toEqual(['', 'a one\na two\n'])
})

it('commits what is approved once the hook agrees; the rest stays staged', async () => {
  const { run, commit, session } = await setUpPartlyApproved('! grep -r "not approved" src')
  const { git: made } = await commit()
  expect(made?.hooksLeft).toEqual([])
  expect(run('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.ts')
  expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/b.ts', 'src/new.ts'])
  expect(hooks.given).toEqual([600])
})

it('refuses the commit if the hook takes too long, and leaves no trace of it', async () => {
  const { root, run, commit, text } = await setUpPartlyApproved('echo begun; touch ../slow; sleep 600')
  hooks.seconds = 1
  const head = run('rev-parse', 'HEAD')
  expect(await failure(commit)).toMatchObject({
    reason: 'unsupported',
    message: 'The pre-commit hook refused the commit, so nothing was committed: it took longer than 10 minutes',
    output: 'begun\n',
  })
  expect([run('rev-parse', 'HEAD'), run('status', '--porcelain')]).toEqual([head, ''])
  expect([text('src/a.ts'), existsSync(`${root}/../slow`)]).toEqual(['a one\na two\n', false])
})
