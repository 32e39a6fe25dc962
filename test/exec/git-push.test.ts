import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../support/facade.js'
import { git } from '../support/git.js'
import { site } from '../terminal/site.js'

const PUSHES = [
  'git push origin main',
  'git -C . push',
  "sh -c 'git push origin HEAD'",
  'git send-pack ../bare main',
  'git status && git push --force',
  'git remote-https origin https://example.com/x.git',
]

async function repository() {
  const fixture = await site({ 'src/a': 'a\n' })
  git(fixture.root, 'init', '-q', '-b', 'main')
  git(fixture.root, 'add', 'src')
  git(fixture.root, 'commit', '-q', '-m', 'Start')
  git(fixture.root, 'remote', 'add', 'origin', 'https://example.com/x.git')
  return fixture
}

describe('a push of the agent', () => {
  it.each(PUSHES)('asks a person and does not run without an answer: %s', async (line) => {
    const { session, workspace } = await repository()
    await expect(session.exec(line)).rejects.toMatchObject({ reason: 'needs_approval' })
    const review = await workspace.review(session.id)
    expect((await review.questions()).map((each) => each.kind === 'command' && each.command)).toEqual([line])
  })

  it('is refused with a hint who can push', async () => {
    const { session } = await repository()
    await expect(session.exec('git push')).rejects.toMatchObject({
      message: expect.stringContaining('sends commits to another machine'),
      hint: expect.stringContaining('escrow commit --git'),
    })
  })

  it.each([
    ['an alias', 'git config alias.up "$p"; git up origin main'],
    ['a script', 'echo "git $p origin main" > src/up; sh src/up'],
    ['another url', 'git $p https://example.com/y.git main'],
  ])('by %s within a command fails, and says who can push', async (_, line) => {
    const { session } = await repository()
    const { exitCode, stderr } = await session.exec(`p=$(printf pu; printf sh); ${line}`)
    expect(exitCode).not.toBe(0)
    expect(stderr).toContain('a-person-has-to-push-after-escrow-commit')
  })

  it('to a directory outside of the workspace fails', async () => {
    const { session } = await repository()
    const { path: bare, dispose } = tempDir()
    onTestFinished(dispose)
    git(bare, 'init', '-q', '--bare')
    const pack = `git pack-objects --all --stdout < /dev/null > /dev/null; git -C ${bare} update-ref refs/heads/x HEAD`
    const { exitCode } = await session.exec(`p=$(printf pu; printf sh); git $p ${bare} main || { ${pack}; }`)
    expect(exitCode).not.toBe(0)
    expect(git(bare, 'for-each-ref')).toBe('')
  })

  it('follows a rule for the network without a question', async () => {
    const { session, write } = await repository()
    write('.orchestration/policy.yaml', 'terminal: {classes: {network: allow}}\n')
    expect((await session.exec('git push origin main')).exitCode).not.toBe(0)
    write('.orchestration/policy.yaml', 'terminal: {classes: {network: deny}}\n')
    await expect(session.exec('git push')).rejects.toMatchObject({ reason: 'access_denied' })
  })
})
