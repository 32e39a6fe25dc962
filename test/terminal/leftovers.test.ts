import { describe, expect, it } from 'vitest'
import { commitAll, git, initEmptyRepository } from '../support/git.js'
import { INTENTS, reasonOf } from '../support/workspace.js'
import { site } from './site.js'

/** The files of a command in its layer do not exist for later commands, and a refused file stays at its old path. */

describe('the files that a command wrote', () => {
  it('as an index, with the same entries as on disk, are absent for the next command', async () => {
    const { session, root, write } = await site({ 'src/a': 'a\n', 'src/b': 'b\n' })
    initEmptyRepository(root)
    commitAll(root)
    await session.exec('touch -d 2001-01-01 src/a; git status')
    write('src/b', 'by a person\n')
    git(root, 'add', 'src/b')
    const { stdout } = await session.exec('git diff --cached --name-only')
    expect(stdout).toBe('src/b\n')
  })

  it('and moved in a directory out of scope stay at their old paths', async () => {
    const { session, root } = await site({ 'src/d/a.ts': 'a long enough file\n' }, INTENTS)
    const { effects, refused } = await session.exec('mv src/d moved')
    expect(effects.changes).toEqual([])
    expect(refused.map(({ path }) => path)).toContain('src/d/a.ts')
    expect(session.fs.readFileSync(`${root}/src/d/a.ts`, 'utf8')).toBe('a long enough file\n')
  })

  it('in a directory that was replaced meanwhile are refused', async () => {
    const { session, root } = await site({ 'd/x': 'one\n', 'o/x': 'two\n' })
    let isDone = false
    const swap = () => {
      if (isDone) return
      isDone = true
      session.fs.rmSync(`${root}/d`, { recursive: true })
      session.fs.renameSync(`${root}/o`, `${root}/d`)
    }
    const { refused } = await session.exec('echo begun; sleep 0.5; echo three > d/x', { onOutput: swap })
    expect(refused.map(({ path, reason }) => [path, reason])).toContainEqual(['d/x', 'stale_file'])
    expect(session.fs.readFileSync(`${root}/d/x`, 'utf8')).toBe('two\n')
  })

  it('and git ignores keep no directory that a tool has removed, nor its old mode', async () => {
    const { session, root } = await site({ '.gitignore': '*.log\n', 'e/a': 'a\n' })
    await session.exec('mkdir d; echo x > d/x.log; echo x > e/x.log')
    session.fs.rmSync(`${root}/d`, { recursive: true })
    session.fs.chmodSync(`${root}/e`, 0o750)
    const { effects, refused, stdout } = await session.exec('ls -d d; stat -c %a e; cat e/x.log')
    expect([effects.changes, refused, stdout]).toEqual([[], [], '750\nx\n'])
    expect(session.fs.existsSync(`${root}/d`)).toBe(false)
    expect(session.fs.statSync(`${root}/e`).mode & 0o777).toBe(0o750)
  })

  it('with names that are not UTF-8 are refused once', async () => {
    const { session } = await site()
    const { refused } = await session.exec(
      `perl -e 'open F, ">", "src/\\xff\\xfe"; open F, ">", "src/\\xfd"; open F, ">", "src/plain"'`,
    )
    expect(refused).toEqual([{ path: 'src', reason: 'unsupported', message: 'src contains names that are not UTF-8.' }])
    expect(await session.exec('ls src | wc -l')).toMatchObject({ refused: [], stdout: '4\n' })
  })

  it('and cannot be read are not an effect of the next command, which works', async () => {
    const { session } = await site()
    const deep = `perl -e 'for (1..1400) { mkdir "deep"; chdir "deep" } open F, ">", "file"'`
    expect(await reasonOf(() => session.exec(deep))).toBe('unsupported')
    expect(await session.exec('ls -d deep; echo fine > src/fine')).toMatchObject({ refused: [], kept: [] })
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/fine'])
  })
})
