import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

const refusal = (path: string, special: string) => ({
  path,
  reason: 'unsupported',
  message: `${special} is a FIFO, a socket or a device on disk, which only a person can remove.`,
})

describe.each(PROVIDERS)('a FIFO in a workspace is not removed by a command in %s', (provider) => {
  withProvider(provider)

  it.each([
    ['that puts a directory in its place', 'rm -f src/f; mkdir src/f; echo x > src/f/x', ['src/f', 'src/f/x']],
    ['that puts a file in its place', 'rm -f src/f; echo x > src/f', ['src/f']],
    ['that puts a link in its place', 'rm -f src/f; ln -s a src/f', ['src/f']],
  ])('%s, which is refused', async (_, script, paths) => {
    const { session, root } = await site({ 'src/a': 'a\n' })
    spawnSync('mkfifo', [`${root}/src/f`])
    const { effects, refused } = await session.exec(script)
    expect(effects.changes).toEqual([])
    expect(refused).toEqual(paths.map((path) => refusal(path, 'src/f')))
    expect((await session.changes()).changes).toEqual([])
  })

  it('that removes its directory: the other files are removed', async () => {
    const { session, root, workspace } = await site({ 'src/d/a': 'a\n', 'src/b': 'b\n' })
    spawnSync('mkfifo', [`${root}/src/d/f`])
    const { effects, refused } = await session.exec('rm -r src/d')
    expect(effects.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(['delete src/d/a'])
    expect(refused).toEqual([refusal('src/d/f', 'src/d/f')])
    const review = await workspace.review(session.id)
    await review.approve()
    expect(await review.commit()).toMatchObject({ committed: ['src/d/a'], conflicts: [] })
    expect(fs.readdirSync(`${root}/src/d`)).toEqual(['f'])
  })
})

it('a command that removes a FIFO in a workspace is told that it stays', async () => {
  const { session, root } = await site({ 'src/a': 'a\n' })
  spawnSync('mkfifo', [`${root}/src/f`])
  const { refused, summary } = await session.exec('rm src/f')
  expect(refused).toEqual([refusal('src/f', 'src/f')])
  expect(summary).toContain('src/f')
  expect((await session.exec('ls src')).stdout).toBe('a\nf\n')
})
