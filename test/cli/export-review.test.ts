import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { scene } from '../attacks/kit.js'
import { escrowAt } from './real.js'

async function setUp() {
  const at = scene({ 'src/a.ts': 'a\n' })
  const workspace = await at.open()
  const { fs } = await at.agent(workspace)
  fs.writeFileSync(at.at('src/a.ts'), 'A\n')
  await workspace.close()
  return { at, run: (...argv: string[]) => escrowAt(at.root, argv) }
}

it('writes a page and patches to a new directory, below the directory of the command', async () => {
  const { at, run } = await setUp()
  const done = await run('review', 'one', '--export', 'out/review')
  expect(done).toMatchObject({ code: 0, out: 'Wrote index.html and 1 patch to out/review.\n' })
  const [patch = '', page = '', ...rest] = readdirSync(at.at('out/review')).sort()
  expect([page, rest]).toEqual(['index.html', []])
  expect(readFileSync(at.at(`out/review/${patch}`), 'utf8')).toContain('\n-a\n+A\n')
  expect(readFileSync(at.at('out/review/index.html'), 'utf8')).toContain(`href="${patch}"`)
  expect(readFileSync(at.at('src/a.ts'), 'utf8')).toBe('a\n')
})

it('finds the only session with changes', async () => {
  const { run } = await setUp()
  expect(await run('review', '--export', 'out')).toMatchObject({ code: 0 })
})

it('writes nothing to a directory that has files', async () => {
  const { at, run } = await setUp()
  mkdirSync(at.at('out'))
  writeFileSync(at.at('out/mine'), '')
  const { code, err } = await run('review', 'one', '--export', 'out')
  expect([code, err]).toEqual([1, expect.stringContaining('is not empty. Nothing was written.')])
  expect(readdirSync(at.at('out'))).toEqual(['mine'])
})

it('names a session that does not exist, and an option that needs --export', async () => {
  const { run } = await setUp()
  expect(await run('review', 'none', '--export', 'out')).toMatchObject({ code: 1 })
  const { code, err } = await run('review', 'one', '--per', 'all')
  expect([code, err]).toEqual([2, expect.stringContaining('--export')])
})

it('writes nothing in an agent’s session, which may write nothing past its stage', async () => {
  const { at, run } = await setUp()
  vi.stubEnv('ESCROW_SESSION', 'one')
  try {
    const { code, err } = await run('review', 'one', '--export', 'out')
    expect([code, err]).toEqual([1, expect.stringContaining('access_denied')])
    expect(existsSync(at.at('out'))).toBe(false)
  } finally {
    vi.unstubAllEnvs()
  }
})
