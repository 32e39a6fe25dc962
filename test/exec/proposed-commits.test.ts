import { describe, expect, it } from 'vitest'
import { git } from '../support/git.js'
import { site } from '../terminal/site.js'

describe('git commits of a program in the mount', () => {
  it('are kept as proposals with their messages, and the repository stays unchanged', async () => {
    const { session, root, text } = await site({ 'src/a': 'a\n' })
    git(root, 'init', '-q', '-b', 'main')
    git(root, 'add', 'src')
    git(root, 'commit', '-q', '-m', 'Start')
    const before = git(root, 'rev-parse', 'HEAD')
    const commit = 'git -c user.name=A -c user.email=a@b.c commit -q'
    const script = `echo b > 'src/b c' && git add src && ${commit} -m 'Add b' -m 'It was missing.' && echo 2 > src/a && ${commit} -am 'Change a'`
    const { exitCode, commits, effects } = await (await session.start(script)).wait()
    expect(exitCode).toBe(0)
    expect(commits?.map(({ message, paths }) => [message, paths])).toEqual([
      ['Add b\n\nIt was missing.', ['src/b c']],
      ['Change a', ['src/a']],
    ])
    expect(effects.changes.map(({ path }) => path).sort()).toEqual(['src/a', 'src/b c'])
    expect(git(root, 'rev-parse', 'HEAD')).toBe(before)
    await session.flush()
    expect(text('.orchestration/agent_trace.jsonl')).toContain('"message":"Change a"')
  })

  it('are also found in a repository without a commit', async () => {
    const { session, root } = await site({ 'src/a': 'a\n' })
    git(root, 'init', '-q', '-b', 'main')
    const script = 'git add src && git -c user.name=A -c user.email=a@b.c commit -q -m First'
    const { commits } = await (await session.start(script)).wait()
    expect(commits?.map(({ message }) => message)).toEqual(['First'])
  })

  it('are none if the program only read', async () => {
    const { session, root } = await site({ 'src/a': 'a\n' })
    git(root, 'init', '-q', '-b', 'main')
    git(root, 'add', 'src')
    git(root, 'commit', '-q', '-m', 'Start')
    expect((await (await session.start('git status && git log')).wait()).commits).toBeUndefined()
  })

  it('include tags whose messages are too long to read', async () => {
    const { session, root } = await site({ 'src/a': 'a\n' })
    git(root, 'init', '-q', '-b', 'main')
    git(root, 'add', 'src')
    git(root, 'commit', '-q', '-m', 'Start')
    const commit = 'git -c user.name=A -c user.email=a@b.c commit -q --allow-empty'
    const long = '{ printf "Long\\n\\n"; head -c 2000000 /dev/zero | tr "\\0" x; }'
    const script = `${commit} -m Short && git tag v1 && ${long} | ${commit} -F -`
    const { exitCode, commits, gitRefs } = await (await session.start(script)).wait()
    expect(exitCode).toBe(0)
    expect(commits?.[0]?.message).toBe('Short')
    expect(gitRefs?.map(({ ref }) => ref)).toEqual(['refs/tags/v1'])
  })
})
