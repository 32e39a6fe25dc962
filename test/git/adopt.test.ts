import { writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { importNotes } from '../../src/git/index.js'
import { type AdoptReport, openWorkspace } from '../../src/index.js'
import { trust } from '../support/trust.js'
import { INTENTS, startSession } from '../support/workspace.js'
import { authors, BEGIN, ONE, repository, type TestRepository, TWO, text } from './kit.js'

async function adopt(
  at: TestRepository,
  rewrites: { commit: string; from: string[] }[],
  revisions: string[] = [],
): Promise<AdoptReport> {
  const workspace = await at.open()
  const report = await workspace.adopt({ rewrites, revisions })
  await workspace.close()
  return report
}

/** Squashes two agents' commits, the second of which moved the functions around. Returns the old and the new commit. */
async function squash(at: TestRepository) {
  at.run('checkout', '-q', '-b', 'feature')
  await at.agent('m-1', text(BEGIN, ONE))
  await at.agent('m-2', text(TWO, BEGIN, ONE))
  const old = at.id('HEAD')
  at.run('reset', '-q', '--soft', 'main')
  // A person's formatter at the same time: it is in no record.
  at.write('src/a.ts', text(TWO, '', ONE, BEGIN).replaceAll('  return null', '\treturn null;'))
  at.run('commit', '-q', '-a', '-m', 'squashed')
  return { old, commit: at.id('HEAD') }
}

const RIGHT = [
  ...TWO.map(() => 'ai m-2 Ann'),
  expect.anything(),
  ...ONE.map(() => 'ai m-1 Ann'),
  ...BEGIN.map(() => 'unknown'),
]

describe('adopt', () => {
  it('keeps the authors of short lines after git removed the commits that a squash replaced', async () => {
    const at = repository()
    const { old, commit } = await squash(at)
    expect(await adopt(at, [{ commit, from: [old] }])).toEqual({ written: [commit], left: 0 })
    at.run('checkout', '-q', '-B', 'main', commit)
    at.run('branch', '-q', '-D', 'feature')
    at.collect()
    expect(() => at.id(`${old}^{commit}`)).toThrow()
    expect(await authors(at.root)).toEqual(RIGHT)
    at.run('update-ref', '-d', 'refs/notes/ai')
    expect(await authors(at.root)).not.toEqual(RIGHT)
  })

  it('takes a file whose name is the id of an object for a file', async () => {
    const at = repository()
    at.run('checkout', '-q', '-b', 'feature')
    await at.agent('m-1', text(BEGIN, ONE))
    const old = at.id('HEAD')
    for (const name of ['da39a3ee5e6b4b0d3255bfef95601890afd80709', `:${old}`, old]) at.write(name, 'x\n')
    at.run('add', '.')
    at.run('commit', '-q', '--amend', '-m', 'rewritten')
    const commit = at.id('HEAD')
    expect(await adopt(at, [{ commit, from: [old] }])).toEqual({ written: [commit], left: 0 })
  })

  it('changes nothing when it runs again, and both notes stay when two run at once', async () => {
    const at = repository()
    const { old, commit } = await squash(at)
    await adopt(at, [{ commit, from: [old] }])
    const tip = at.id('refs/notes/ai')
    expect(await adopt(at, [{ commit, from: [old] }])).toEqual({ written: [], left: 0 })
    expect(at.id('refs/notes/ai')).toBe(tip)
    await at.agent('m-3', text('const more = "of the same kind"', TWO), 'src/b.ts')
    await at.agent('m-4', text('const other = "of another kind"'), 'src/c.ts')
    await Promise.all([adopt(at, [], ['HEAD']), adopt(at, [], ['HEAD~1'])])
    expect(at.run('notes', '--ref=ai', 'list').trim().split('\n')).toHaveLength(3)
  })

  it('finds the branch that a forge squashed by its files', async () => {
    const at = repository()
    at.run('checkout', '-q', '-b', 'feature')
    await at.agent('m-1', text(BEGIN, ONE))
    await at.agent('m-2', text(TWO, BEGIN, ONE))
    at.run('checkout', '-q', 'main')
    at.run('merge', '-q', '--squash', 'feature')
    at.run('commit', '-q', '-m', 'A pull request (#1)')
    await adopt(at, [], ['HEAD~1..HEAD'])
    at.run('branch', '-q', '-D', 'feature')
    at.collect()
    const note = at.run('notes', '--ref=ai', 'show')
    expect(note).toMatch(/^src\/a\.ts\n {2}s_\w{14}::t_\w{14} 9-12\n {2}s_\w{14}::t_\w{14} 1-4\n---\n/)
  })

  it('writes paths relative to the repository, if the workspace is a directory of it', async () => {
    const at = repository()
    at.write('pkg/.orchestration/active_intents.yaml', INTENTS)
    at.write('pkg/src/a.ts', text(BEGIN))
    trust(`${at.root}/pkg`)
    at.run('add', 'pkg/src')
    at.run('commit', '-q', '-m', 'package', '--date=2020-01-02T03:04:05Z')
    const workspace = await openWorkspace(`${at.root}/pkg`)
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', text(BEGIN, ONE))
    const review = await workspace.review(session.id)
    await review.approve(undefined, { name: 'Ann' })
    await review.commit({ git: {} })
    await workspace.adopt({ revisions: ['HEAD'] })
    await workspace.close()
    expect(at.run('notes', '--ref=ai', 'show').split('\n')[0]).toBe('pkg/src/a.ts')
    expect(await authors(`${at.root}/pkg`)).toEqual([...BEGIN.map(() => 'unknown'), ...ONE.map(() => 'ai m-1 Ann')])
  })

  it('leaves out arguments that are not commits, and refuses a name that does not exist', async () => {
    const at = repository()
    const blob = at.id('HEAD:src/a.ts')
    const rewrites = [
      { commit: 'f'.repeat(40), from: [] },
      { commit: blob, from: [] },
      { commit: '--output=x', from: ['--all'] },
    ]
    expect(await adopt(at, rewrites)).toEqual({ written: [], left: 0 })
    await expect(adopt(at, [], ['--output=x'])).rejects.toMatchObject({ reason: 'unsupported' })
    await expect(adopt(at, [], ['nowhere'])).rejects.toMatchObject({ reason: 'unsupported' })
  })

  it('says that the repository is of another user, and gives the command of git', async () => {
    const at = repository()
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1')
    onTestFinished(() => void vi.unstubAllEnvs())
    const refusal = {
      message: `git rev-parse failed: detected dubious ownership in repository at '${at.root}'.`,
      hint: expect.stringContaining(`run: git config --global --add safe.directory ${at.root}`),
    }
    await expect(adopt(at, [], ['HEAD'])).rejects.toMatchObject(refusal)
    expect(() => importNotes(at.root, 'refs/notes/other')).toThrow(expect.objectContaining(refusal))
  })

  it('starts no program of the repository', async () => {
    const at = repository()
    const { old, commit } = await squash(at)
    const trap = `${at.root}/trap.sh`
    writeFileSync(trap, `#!/bin/sh\necho ran >> '${at.root}/ran'\n`, { mode: 0o755 })
    const hooks = `${at.root}/.hooks`
    at.write('.hooks/reference-transaction', `#!/bin/sh\necho ran >> '${at.root}/ran'\n`)
    at.run('config', 'core.hooksPath', hooks)
    for (const key of [
      'core.fsmonitor',
      'core.pager',
      'gpg.program',
      'diff.external',
      'core.sshCommand',
      'core.editor',
    ])
      at.run('config', key, trap)
    at.run('config', 'log.showSignature', 'true')
    at.run('config', 'commit.gpgSign', 'true')
    at.write('.gitattributes', '*.ts diff=trap filter=trap\n')
    at.run('config', 'diff.trap.textconv', trap)
    at.run('config', 'filter.trap.smudge', trap)
    expect((await adopt(at, [{ commit, from: [old] }])).written).toEqual([commit])
    await authors(at.root)
    expect(() => at.text('ran')).toThrow()
  })

  it('is refused to an agent', async () => {
    const at = repository()
    const workspace = await at.open()
    process.env.ESCROW_SESSION = 'agent'
    try {
      await expect(workspace.adopt({ revisions: ['HEAD'] })).rejects.toMatchObject({ reason: 'access_denied' })
      await expect(workspace.importNotes('refs/notes/x')).rejects.toMatchObject({ reason: 'access_denied' })
    } finally {
      delete process.env.ESCROW_SESSION
    }
    await startSession(workspace)
  })
})
