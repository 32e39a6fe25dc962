import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { scene } from '../attacks/kit.js'
import { escrowAt } from './real.js'

async function setUp() {
  const fixture = scene({ 'src/a.ts': 'a\n' })
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace)
  fs.writeFileSync(fixture.at('src/a.ts'), 'A\n')
  await workspace.close()
  return { fixture, run: (...argv: string[]) => escrowAt(fixture.root, argv) }
}

it('writes a page and patches to a new directory, below the directory of the command', async () => {
  const { fixture, run } = await setUp()
  const done = await run('review', 'one', '--export', 'out/review')
  expect(done).toMatchObject({ code: 0, out: 'Wrote index.html and 1 patch to out/review.\n' })
  const [patch = '', page = '', ...rest] = readdirSync(fixture.at('out/review')).sort()
  expect([page, rest]).toEqual(['index.html', []])
  expect(readFileSync(fixture.at(`out/review/${patch}`), 'utf8')).toContain('\n-a\n+A\n')
  expect(readFileSync(fixture.at('out/review/index.html'), 'utf8')).toContain(`href="${patch}"`)
  expect(readFileSync(fixture.at('src/a.ts'), 'utf8')).toBe('a\n')
})

it('finds the only session with changes', async () => {
  const { run } = await setUp()
  expect(await run('review', '--export', 'out')).toMatchObject({ code: 0 })
})

it('writes nothing to a directory that has files', async () => {
  const { fixture, run } = await setUp()
  mkdirSync(fixture.at('out'))
  writeFileSync(fixture.at('out/mine'), '')
  const { code, err } = await run('review', 'one', '--export', 'out')
  expect([code, err]).toEqual([1, expect.stringContaining('is not empty. Nothing was written.')])
  expect(readdirSync(fixture.at('out'))).toEqual(['mine'])
})

it('names a session that does not exist, and an option that needs --export', async () => {
  const { run } = await setUp()
  expect(await run('review', 'none', '--export', 'out')).toMatchObject({ code: 1 })
  const { code, err } = await run('review', 'one', '--per', 'all')
  expect([code, err]).toEqual([2, expect.stringContaining('--export')])
})

it('writes nothing in an agent’s session, which may write nothing past its stage', async () => {
  const { fixture, run } = await setUp()
  vi.stubEnv('ESCROW_SESSION', 'one')
  try {
    const { code, err } = await run('review', 'one', '--export', 'out')
    expect([code, err]).toEqual([1, expect.stringContaining('access_denied')])
    expect(existsSync(fixture.at('out'))).toBe(false)
  } finally {
    vi.unstubAllEnvs()
  }
})
