import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { proposedScope } from '../../src/access/proposed-scope.js'
import { tempDir } from '../support/facade.js'
import { git } from '../support/git.js'

function repository(...files: readonly string[]): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  git(path, 'init', '-q')
  for (const file of files) {
    mkdirSync(dirname(`${path}/${file}`), { recursive: true })
    writeFileSync(`${path}/${file}`, '')
  }
  git(path, 'add', '-A')
  if (files.length > 0) git(path, 'commit', '-q', '-m', 'Start')
  return path
}

describe('the scope proposed for a new intent', () => {
  it('is the files at the top, and the directories that git tracks and that are not hidden', () => {
    const root = repository('README.md', 'src/a.ts', 'test/deep/b.ts', '.github/ci.yml')
    mkdirSync(`${root}/dist`)
    expect(proposedScope(root)).toEqual(['*', 'src/**', 'test/**'])
    expect(proposedScope(`${root}/test`)).toEqual(['*', 'deep/**'])
  })

  it('is the whole workspace where git tracks no directory, or there is no git', () => {
    expect(proposedScope(repository('a.js'))).toEqual(['**'])
    expect(proposedScope(repository())).toEqual(['**'])
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    expect(proposedScope(path)).toEqual(['**'])
  })

  it('takes a name with characters of a glob for the name alone', () => {
    expect(proposedScope(repository('a{b,c}[x]/1', '!not/1'))).toEqual(['*', '?not/**', 'a?b?c??x?/**'])
  })

  it('starts no program that the repository names', () => {
    const root = repository('src/a.ts')
    git(root, 'config', 'core.fsmonitor', `touch ${root}/ran; false`)
    proposedScope(root)
    expect(() => writeFileSync(`${root}/ran`, '', { flag: 'wx' })).not.toThrow()
  })
})
