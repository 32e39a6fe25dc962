import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { type Site, site } from './site.js'

const FILES = {
  'src/log': 'one\n',
  'src/dir/a': 'a\n',
  'src/dir/b': 'b\n',
  '.gitignore': 'out/\n',
  'out/kept': 'k\n',
}

/** Runs a script in which `pause` waits until a person has changed the workspace. */
async function runWith({ session, root }: Site, script: string, change: (root: string) => void) {
  const pause = 'pause() { echo ready; while [ -z "$go" ]; do sleep 0.01; done; }'
  const command = await session.start(`trap 'go=1' USR1; ${pause}; ${script}`)
  while (!command.read().text.includes('ready')) await wait(10)
  change(root)
  command.kill('SIGUSR1')
  const { effects, refused } = await command.wait()
  return {
    changes: effects.changes.map(({ kind, path }) => `${kind} ${path}`),
    refused: refused.map(({ path, reason }) => `${reason} ${path}`).sort(),
  }
}

describe.each(PROVIDERS)('what a person removes while a command runs in %s', (provider) => {
  withProvider(provider)

  it.each([
    ['an append', 'echo two >> src/log'],
    ['new content', 'echo two > src/log'],
    ['a replacement', 'echo two > src/new; mv src/new src/log'],
    ['a new mode', 'chmod 600 /proc/self/fd/7'],
  ])('a file is not created again by %s', async (_, change) => {
    const fixture = await site(FILES)
    const result = await runWith(fixture, `exec 7< src/log; pause; ${change}`, (root) => fs.rmSync(`${root}/src/log`))
    expect(result).toEqual({ changes: [], refused: ['stale_file src/log'] })
    expect(fixture.session.fs.existsSync('src/log')).toBe(false)
  })

  it('a file is not changed that was created again with the same content, or that has another name now', async () => {
    const again = await site(FILES)
    const same = await runWith(again, 'pause; echo two >> src/log', (root) => {
      fs.rmSync(`${root}/src/log`)
      fs.writeFileSync(`${root}/src/log`, 'one\n')
    })
    expect(same).toEqual({ changes: [], refused: ['stale_file src/log'] })
    const renamed = await site(FILES)
    const result = await runWith(renamed, 'pause; echo two >> src/log', (root) =>
      fs.renameSync(`${root}/src/log`, `${root}/src/other`),
    )
    expect(result).toEqual({ changes: [], refused: ['stale_file src/log'] })
    expect(renamed.session.fs.readFileSync('src/other', 'utf8')).toBe('one\n')
  })

  it.each([
    ['removed', (root: string) => fs.rmSync(`${root}/src/dir`, { recursive: true })],
    ['renamed', (root: string) => fs.renameSync(`${root}/src/dir`, `${root}/src/other`)],
  ])('a directory that was %s is not created again', async (_, change) => {
    const fixture = await site(FILES)
    const result = await runWith(fixture, 'ls src/dir; pause; mkdir -p src/dir; echo x >> src/dir/a', change)
    expect(result.changes).toEqual([])
    expect(result.refused).toContain('stale_file src/dir/a')
    expect(fixture.session.fs.existsSync('src/dir')).toBe(false)
  })

  it('does not refuse a new file in the same directory, nor a deletion of the same file', async () => {
    const fixture = await site(FILES)
    const result = await runWith(
      fixture,
      'pause; echo x > src/own; mkdir src/new; echo y > src/new/y; rm -f src/log',
      (root) => {
        fs.rmSync(`${root}/src/log`)
        fs.writeFileSync(`${root}/src/of-a-person`, '')
      },
    )
    expect(result).toEqual({ changes: ['create src/new/y', 'create src/own'], refused: [] })
  })

  it('does not refuse a file that the command itself removed, and creates again after a commit', async () => {
    const fixture = await site(FILES)
    const { session, workspace } = fixture
    const pause = `trap 'go=1' USR1; rm src/log; echo ready; while [ -z "$go" ]; do sleep 0.01; done`
    const command = await session.start(`${pause}; echo two > src/log`)
    while (!command.read().text.includes('ready')) await wait(10)
    await command.ingest()
    const review = await workspace.review(session.id)
    await review.approve()
    await review.commit()
    expect(fs.existsSync(`${fixture.root}/src/log`)).toBe(false)
    command.kill('SIGUSR1')
    expect(await command.wait()).toMatchObject({ refused: [] })
    expect(session.fs.readFileSync('src/log', 'utf8')).toBe('two\n')
  })

  it('does not refuse a file that was removed in the stage before, if the removal is committed meanwhile', async () => {
    const fixture = await site(FILES)
    const { session, root, workspace } = fixture
    session.fs.rmSync(`${root}/src/log`)
    const pause = `trap 'go=1' USR1; echo ready; while [ -z "$go" ]; do sleep 0.01; done`
    const command = await session.start(`${pause}; echo two > src/log`)
    while (!command.read().text.includes('ready')) await wait(10)
    const review = await workspace.review(session.id)
    await review.approve()
    await review.commit()
    expect(fs.existsSync(`${root}/src/log`)).toBe(false)
    command.kill('SIGUSR1')
    expect(await command.wait()).toMatchObject({ refused: [] })
    expect(session.fs.readFileSync('src/log', 'utf8')).toBe('two\n')
  })
})
