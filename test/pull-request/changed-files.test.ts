import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { addedLines } from '../../src/pull-request/added-lines.js'
import { tempDir } from '../support/facade.js'
import { check, createHonestPullRequest, removeTemplates, repository } from './repository.js'

afterAll(removeTemplates)

describe('added lines', () => {
  it('are those of each file, whatever their text looks like', () => {
    const patch = [
      'diff --git a/a b/a',
      '@@ -1 +1,2 @@',
      '-diff --git a/x b/x',
      '+diff --git a/x b/x',
      '+@@ -1 +1 @@',
      '\\ No newline at end of file',
      'diff --git a/b b/b',
      'old mode 100644',
      'new mode 100755',
      'diff --git a/c b/c',
      '@@ -0,0 +7 @@ diff --git a/y b/y',
      '+x',
      '',
    ]
    expect(addedLines(patch.join('\n'))).toEqual([[1, 2], [], [7]])
  })
})

describe('a pull request', () => {
  it('has the lines of each file, also of one that was a link, a submodule or a directory', async () => {
    const pr = await repository()
    const link = pr.git('hash-object', '-w', 'src/a.ts').trim()
    pr.git('update-index', '--add', '--cacheinfo', `120000,${link},link`)
    pr.git('update-index', '--add', '--cacheinfo', `160000,${pr.git('rev-parse', 'HEAD').trim()},module`)
    pr.git('update-index', '--add', '--cacheinfo', `100644,${link},dir/x`)
    pr.git('commit', '-q', '-m', 'before')
    pr.git('tag', 'before')
    pr.git('update-index', '--force-remove', 'dir/x')
    for (const [path, text] of Object.entries({ link: 'a\nb\nc\n', module: 'a\n', dir: 'a\nb\n' })) {
      writeFileSync(join(pr.root, '.git/text'), text)
      const id = pr.git('hash-object', '-w', '.git/text').trim()
      pr.git('update-index', '--add', '--replace', '--cacheinfo', `100644,${id},${path}`)
    }
    pr.git('update-index', '--chmod=+x', 'src/a.ts')
    pr.git('commit', '-q', '-m', 'after')
    const { files, notes } = await check(pr, { base: 'before' })
    expect(files.map(({ path, lines: count }) => `${path} ${count}`)).toEqual(['dir 2', 'link 3', 'module 1'])
    expect(notes).toEqual([])
  })

  it('names a file whose name is not UTF-8 as not checked', async () => {
    const pr = await createHonestPullRequest()
    const name = Buffer.from([0x73, 0xff])
    const id = pr.git('rev-parse', 'HEAD:docs/x.md').trim()
    const input = Buffer.concat([Buffer.from(`100644 ${id}\t`), name, Buffer.from('\0')])
    execFileSync('git', ['update-index', '-z', '--index-info'], { cwd: pr.root, input })
    pr.git('commit', '-q', '-m', 'a name')
    const { files, notes } = await check(pr)
    expect(files.map(({ path }) => path)).toEqual(['docs/x.md', 'src/a.ts'])
    expect(notes).toEqual(['s\ufffd has a name that is not UTF-8, and was not checked.'])
  })

  it('is read by as many processes with one file as with hundreds', async () => {
    const pr = await createHonestPullRequest()
    const count = countGit()
    await check(pr)
    const few = count()
    for (let n = 0; n < 300; n++) pr.write(`more/${n}.txt`, `${n}\nx\n`)
    pr.commit()
    const before = count()
    const { files } = await check(pr)
    expect([files.length, files.every(({ lines }) => lines > 0)]).toEqual([302, true])
    expect(count() - before).toBe(few)
  })
})

/** Puts a git that counts its starts on PATH. Returns how many there were. */
function countGit(): () => number {
  const dir = tempDir().path
  const log = join(dir, 'log')
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  mkdirSync(join(dir, 'bin'))
  writeFileSync(join(dir, 'bin/git'), `#!/bin/sh\necho >> ${log}\nexec ${real} "$@"\n`)
  chmodSync(join(dir, 'bin/git'), 0o755)
  writeFileSync(log, '')
  vi.stubEnv('PATH', `${join(dir, 'bin')}:${process.env.PATH}`)
  onTestFinished(() => void vi.unstubAllEnvs())
  return () => readFileSync(log, 'utf8').length
}
