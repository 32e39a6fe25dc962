import { describe, expect, it } from 'vitest'
import { commitAll, initEmptyRepository } from '../support/git.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

/** A repository whose directory `src` was there before any command. */
async function repository() {
  const fixture = await site({ 'src/a.ts': 'a\n', 'src/sub/b.ts': 'b\n', '.gitignore': '.orchestration/\n' })
  initEmptyRepository(fixture.root)
  commitAll(fixture.root)
  return fixture
}

const MOVED = ['lib/a.ts', 'lib/sub/b.ts', 'src/a.ts', 'src/sub/b.ts']

describe.each(PROVIDERS)('in %s', (provider) => {
  withProvider(provider)

  it('a directory is renamed, or the summary says how to move it', async () => {
    const { session } = await repository()
    const ran = await session.exec('git mv src lib')
    if (provider === 'namespace-overlay') {
      expect([ran.exitCode, ran.stderr]).toEqual([128, expect.stringContaining('Invalid cross-device link')])
      expect(ran.summary).toBe(
        "Nothing changed.\nThe sandbox cannot rename a directory that existed before the command. Use 'mv OLD NEW', which copies it, then 'git add -A' for git.",
      )
      expect(await session.exec('mv src lib && git add -A')).toMatchObject({ exitCode: 0, stderr: '' })
    } else {
      expect([ran.exitCode, ran.stderr]).toEqual([0, ''])
      expect(ran.summary).not.toContain('cannot rename')
    }
    expect(['src', 'lib'].map((path) => session.fs.existsSync(path))).toEqual([false, true])
    const { stdout } = await session.exec('git status --porcelain=v1 --no-renames | cut -c4- | sort')
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .filter((path) => path !== '.orchestration/'),
    ).toEqual(MOVED)
  })

  it('a directory that the command itself made is renamed', async () => {
    const { session } = await repository()
    const ran = await session.exec('mkdir new && touch new/file && perl -e \'rename("new", "newer") or die $!\'')
    expect([ran.exitCode, ran.stderr]).toEqual([0, ''])
    expect(ran.summary.split('\n')[0]).toBe('created: newer/file')
  })
})
