import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { check, createHonestPullRequest, LEDGER, type Repository, removeTemplates, repository } from './repository.js'

afterAll(removeTemplates)

const pathsIn = (files: readonly { readonly path: string }[]) => files.map(({ path }) => path)

describe('the name of the target branch', () => {
  it.each([
    ['main', 'refs/tags/main'],
    ['origin/main', 'refs/tags/origin/main'],
    ['main~0', 'refs/tags/main'],
    ['abcdef', 'refs/tags/abcdef'],
  ])('%s is refused if %s has another commit', async (base, tag) => {
    const pr = await createHonestPullRequest()
    for (const branch of ['refs/remotes/origin/main', 'refs/heads/abcdef']) pr.git('update-ref', branch, 'main')
    pr.git('config', 'core.warnAmbiguousRefs', 'false')
    pr.git('update-ref', tag, 'HEAD')
    await expect(check(pr, { base })).rejects.toMatchObject({
      reason: 'unsupported',
      message: `${base} is ambiguous: a branch and a tag have this name, for example.`,
      hint: expect.stringContaining('refs/heads/'),
    })
    const { files } = await check(pr, { base: 'refs/heads/main' })
    expect(pathsIn(files)).toEqual(['docs/x.md', 'src/a.ts'])
  })

  it('may be a tag of a tag, and a branch with the name HEAD changes nothing', async () => {
    const pr = await createHonestPullRequest()
    pr.git('tag', '-a', '-m', 'one', 'one', 'main')
    pr.git('tag', '-a', '-m', 'two', 'two', 'one')
    pr.git('update-ref', 'refs/heads/HEAD', 'main')
    expect(pathsIn((await check(pr, { base: 'two' })).files)).toEqual(['docs/x.md', 'src/a.ts'])
  })
})

describe('a pull request', () => {
  it('cannot cut records of the target branch that it merged across', async () => {
    const pr = await crissCross()
    expect((await check(pr)).problems).toEqual([])
    pr.git('checkout', '-q', 'first-work', '--', LEDGER)
    pr.commit('Cut')
    expect((await check(pr)).problems).not.toEqual([])
  })

  it('may be an octopus merge', async () => {
    const pr = await createHonestPullRequest()
    for (const name of ['b', 'c']) {
      pr.git('checkout', '-q', '-b', name, 'main')
      pr.write(`src/${name}.ts`, 'by hand\n')
      pr.commit()
    }
    pr.git('checkout', '-q', 'work')
    pr.git('merge', '-q', '--no-edit', 'b', 'c')
    const { problems, files } = await check(pr, { requireTrailers: true })
    expect([problems, pathsIn(files)]).toEqual([[], ['docs/x.md', 'src/a.ts', 'src/b.ts', 'src/c.ts']])
  })

  it.each(['replace', 'graft', 'commit graph'])('is read without what a %s says', async (kind) => {
    const pr = await createHonestPullRequest()
    const [head = '', main = ''] = pr.git('rev-parse', 'HEAD', 'main').split('\n')
    pr.git('commit-graph', 'write', '--reachable')
    if (kind === 'replace') pr.git('replace', main, head)
    if (kind === 'graft') {
      mkdirSync(join(pr.root, '.git/info'), { recursive: true })
      writeFileSync(join(pr.root, '.git/info/grafts'), `${main} ${head}\n${head}\n`)
    }
    const { problems, files } = await check(pr, { requireTrailers: true })
    expect([problems, pathsIn(files)]).toEqual([[], ['docs/x.md', 'src/a.ts']])
  })

  it.each(['true', 'false'])('is read the same if log.follow is %s', async (value) => {
    const pr = await createHonestPullRequest()
    await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'agent\n'), 'none')
    pr.git('config', 'log.follow', value)
    expect((await check(pr, { requireTrailers: true })).problems).toEqual([expect.stringContaining('has no')])
  })

  it('may have a folded trailer', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'agent\n'))
    const [head = ''] = /\d+:[0-9a-f]{64}/.exec(pr.git('show', '-s', '--format=%B')) ?? []
    pr.git('commit', '-q', '--amend', '-m', `work\n\nsigned-off-by: Me\ntrace-head:\n ${head}`)
    expect((await check(pr, { requireTrailers: true })).problems).toEqual([])
  })

  it.each(['GIT_GRAFT_FILE', 'GIT_DIFF_OPTS', 'GIT_EXTERNAL_DIFF', 'GIT_INDEX_FILE', 'GIT_NOGLOB_PATHSPECS'])(
    'is read the same if %s is set',
    async (name) => {
      const pr = await createHonestPullRequest()
      vi.stubEnv(name, name === 'GIT_DIFF_OPTS' ? '-u9' : name === 'GIT_NOGLOB_PATHSPECS' ? '1' : '/dev/null')
      onTestFinished(() => void vi.unstubAllEnvs())
      const { problems, files } = await check(pr)
      expect([problems, files.map(({ path, lines }) => `${path} ${lines}`)]).toEqual([
        [],
        ['docs/x.md 1', 'src/a.ts 3'],
      ])
    },
  )
})

/** A branch and its target that merged each other: both have two best common ancestors. */
async function crissCross(): Promise<Repository> {
  const pr = await repository()
  pr.git('checkout', '-q', 'main')
  await pr.agent(({ fs }) => fs.writeFileSync('src/main.ts', 'agent\n'), 'none')
  pr.git('checkout', '-q', 'work')
  pr.write('src/work.ts', 'by hand\n')
  // Of several bases git names the newest first.
  vi.stubEnv('GIT_COMMITTER_DATE', '2050-01-01T00:00:00Z')
  onTestFinished(() => void vi.unstubAllEnvs())
  pr.commit()
  vi.unstubAllEnvs()
  pr.git('branch', 'first-work')
  pr.git('merge', '-q', '--no-edit', 'main')
  pr.git('checkout', '-q', 'main')
  pr.git('merge', '-q', '--no-edit', 'first-work')
  pr.git('commit', '-q', '--allow-empty', '-m', 'later')
  pr.git('checkout', '-q', 'work')
  return pr
}
