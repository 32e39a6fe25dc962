import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { nameInWorkspace } from '../../src/cli/typed-path.js'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { site } from '../terminal/site.js'
import { escrowAt } from './real.js'

const FILES = { 'src/a.ts': 'a\n', 'src/lib/b.ts': 'b\n', 'a.md': '' }

describe('a typed path', () => {
  const known = new Set(['src/a.ts', 'src/lib/b.ts', 'a.md', 'src/a.md'])
  const resolveFrom = (directory: string) => (typed: string) =>
    nameInWorkspace(typed, { root: '/w', directory }, (name) => known.has(name))

  it('is relative to the root if it names something there', () => {
    expect(['src/a.ts', './src/a.ts', '/w/src/a.ts', 'a.md'].map(resolveFrom('/w/src'))).toEqual([
      'src/a.ts',
      'src/a.ts',
      'src/a.ts',
      'a.md',
    ])
  })

  it('is relative to the directory of the command otherwise', () => {
    expect(['a.ts', './a.ts', 'lib/b.ts', '../src/a.ts'].map(resolveFrom('/w/src'))).toEqual([
      'src/a.ts',
      'src/a.ts',
      'src/lib/b.ts',
      'src/a.ts',
    ])
  })

  it('never names a file next to the root', () => {
    const found = nameInWorkspace('../b.ts', { root: '/w', directory: '/w/src' }, (name) =>
      ['../b.ts', 'b.ts'].includes(name),
    )
    expect(found).toBe('b.ts')
  })

  it('stays as typed if neither has such a name, or it is outside', () => {
    expect(['none.ts', '../../etc/passwd', '..'].map(resolveFrom('/w/src'))).toEqual([
      'none.ts',
      '../../etc/passwd',
      '..',
    ])
  })
})

describe('a command below the root', () => {
  it('explains, blames and lists the file of its directory', async () => {
    const { root } = testWorkspace(FILES, INTENTS)
    symlinkSync(join(root, 'src'), join(root, 'link'))
    for (const directory of ['src', 'link']) {
      const below = join(root, directory)
      expect(JSON.parse((await escrowAt(below, ['why', 'lib/b.ts', '--json'])).out).path).toBe('src/lib/b.ts')
      expect((await escrowAt(below, ['blame', 'lib/b.ts'])).code).toBe(0)
    }
  })

  it('shows, approves, rejects and discards the staged file of its directory', async () => {
    const { root, workspace } = await site(FILES, INTENTS)
    const session = await workspace.session({ id: 'one' })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync(join(root, 'src/lib/b.ts'), 'c\n')
    session.fs.writeFileSync(join(root, 'src/new.ts'), 'n\n')
    await workspace.close()
    const run = (...argv: string[]) => escrowAt(join(root, 'src'), argv)

    expect((await run('diff', 'new.ts', '--name-only')).out).toBe('src/new.ts\n')
    expect((await run('approve', 'one', 'new.ts', '--by', 'p')).out).toContain('approved  src/new.ts\n')
    expect((await run('reject', 'one', 'lib/b.ts', '--by', 'p', '--reason', 'no')).out).toContain('src/lib/b.ts')
    expect((await run('discard', 'one', 'lib/*.ts')).out).toContain('1 left')
    expect((await run('log', '--path', 'lib/b.ts')).out).not.toBe('No records.\n')
  })
})
