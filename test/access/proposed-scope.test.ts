import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { proposeScope } from '../../src/access/proposed-scope.js'
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
  it('lists the files at the top and the tracked directories that are not hidden', () => {
    const root = repository('README.md', 'src/a.ts', 'test/deep/b.ts', '.github/ci.yml')
    mkdirSync(`${root}/dist`)
    expect(proposeScope(root)).toEqual(['*', 'src/**', 'test/**'])
    expect(proposeScope(`${root}/test`)).toEqual(['*', 'deep/**'])
  })

  it('is the whole workspace if git tracks no directory, or is missing', () => {
    expect(proposeScope(repository('a.js'))).toEqual(['**'])
    expect(proposeScope(repository())).toEqual(['**'])
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    expect(proposeScope(path)).toEqual(['**'])
  })

  it('replaces glob characters in names', () => {
    expect(proposeScope(repository('a{b,c}[x]/1', '!not/1'))).toEqual(['*', '?not/**', 'a?b?c??x?/**'])
  })

  it('is found without a program that the repository names', () => {
    const root = repository('src/a.ts')
    git(root, 'config', 'core.fsmonitor', `touch ${root}/ran; false`)
    proposeScope(root)
    expect(() => writeFileSync(`${root}/ran`, '', { flag: 'wx' })).not.toThrow()
  })
})
