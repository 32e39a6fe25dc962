import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { git } from '../support/git.js'
import { check, createHonestPullRequest, type Repository, removeTemplates, repositoryAt } from './repository.js'

afterAll(removeTemplates)

const pathsIn = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

describe('settings of git that change what it prints', () => {
  it.each([
    ['diff.relative', 'true'],
    ['trailer.separators', '='],
    ['core.commentChar', 'T'],
    ['i18n.logOutputEncoding', 'UTF-16'],
  ])('%s hides nothing', async (key, value) => {
    const pr = await createHonestPullRequest()
    pr.git('config', key, value)
    const { problems, notes, files } = await check(pr, { cwd: join(pr.root, 'src'), requireTrailers: true })
    expect([problems, notes, pathsIn(files)]).toEqual([[], [], ['docs/x.md', 'src/a.ts']])
  })

  it.each(['GIT_LITERAL_PATHSPECS', 'GIT_ICASE_PATHSPECS'])('%s hides nothing', async (name) => {
    const pr = await createHonestPullRequest()
    vi.stubEnv(name, '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { problems, files } = await check(pr)
    expect([problems, pathsIn(files)]).toEqual([[], ['docs/x.md', 'src/a.ts']])
  })
})

it('a repository of another user is refused in the words of git', async () => {
  const pr = await createHonestPullRequest()
  vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
  onTestFinished(() => void vi.unstubAllEnvs())
  await expect(check(pr)).rejects.toMatchObject({
    message: `Git knows no commit HEAD here: detected dubious ownership in repository at '${pr.root}'`,
    hint: expect.stringContaining(`run: git config --global --add safe.directory ${pr.root}`),
  })
})

it('a name of white space alone is checked', async () => {
  const pr = await createHonestPullRequest()
  for (const name of [' ', '\n', '\u00a0']) pr.write(name, 'x\n')
  pr.commit()
  expect(pathsIn((await check(pr)).files)).toEqual(expect.arrayContaining([' ', '\n', '\u00a0']))
})

it('a name that no disk could hold is checked', async () => {
  const pr = await createHonestPullRequest()
  const name = `src/${'z'.repeat(300)}`
  pr.git('update-index', '--add', '--cacheinfo', `100644,${pr.git('rev-parse', 'HEAD:docs/x.md').trim()},${name}`)
  pr.git('commit', '-q', '-m', 'a long name')
  expect(pathsIn((await check(pr)).files)).toEqual(['docs/x.md', 'src/a.ts', name])
})

it('a submodule is named as not checked, whatever .gitmodules says', async () => {
  const pr = await createHonestPullRequest()
  pr.write('.gitmodules', '[submodule "m"]\n\tpath = m\n\turl = ./m\n\tignore = all\n')
  pr.git('add', '.gitmodules')
  pr.git('update-index', '--add', '--cacheinfo', `160000,${pr.git('rev-parse', 'HEAD').trim()},m`)
  pr.git('commit', '-q', '-m', 'a submodule')
  expect((await check(pr)).notes).toEqual(['m is not a regular file, and was not checked.'])
})

describe('a shallow clone', () => {
  it('is checked if it has all commits since the base', async () => {
    const pr = await createHonestPullRequest()
    const { problems, files } = await check(shallowClone(pr, 3), { base: 'origin/main' })
    expect([problems, pathsIn(files)]).toEqual([[], ['docs/x.md', 'src/a.ts']])
  })

  it('is refused if a merged branch began before its oldest commit', async () => {
    const pr = await createHonestPullRequest()
    pr.git('checkout', '-q', '-b', 'long', 'main')
    for (const n of [1, 2, 3, 4, 5]) pr.git('commit', '-q', '--allow-empty', '-m', `step ${n}`)
    pr.git('checkout', '-q', 'work')
    pr.git('merge', '-q', '--no-edit', 'long')
    await expect(check(shallowClone(pr, 4), { base: 'origin/main' })).rejects.toMatchObject({
      reason: 'unsupported',
      message: 'This clone is shallow, and lacks commits of the pull request.',
    })
    expect((await check(shallowClone(pr, 9), { base: 'origin/main' })).problems).toEqual([])
  })

  it('without the commit that the pull request began from has no common ancestor', async () => {
    const pr = await createHonestPullRequest()
    await expect(check(shallowClone(pr, 1), { base: 'origin/main' })).rejects.toMatchObject({
      message: 'The pull request and its target branch have no common ancestor here.',
      hint: expect.stringContaining('--unshallow'),
    })
  })
})

function shallowClone({ root }: Repository, depth: number): Repository {
  const to = `${root}-depth-${depth}`
  onTestFinished(() => rmSync(to, { recursive: true, force: true }))
  git(tmpdir(), 'clone', '-q', '--depth', String(depth), '--no-single-branch', `file://${root}`, to)
  return repositoryAt(to)
}
