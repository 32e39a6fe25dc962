import { mkdirSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { fileHistory } from '../../src/git/index.js'
import { tempDir } from '../support/facade.js'
import { commitAll, git } from '../support/git.js'

function repository(): { root: string; write: (path: string, text: string) => void } {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  git(root, 'init', '-q', '-b', 'main')
  mkdirSync(`${root}/src`)
  return { root, write: (path, text) => writeFileSync(`${root}/${path}`, text) }
}

const versionsOf = (root: string, path: string) =>
  fileHistory(root, path).map(({ path: at, content, parents }) => [at, Buffer.from(content).toString(), parents])

const LINES = Array.from({ length: 9 }, (_, n) => `line ${n}\n`).join('')

it('lists the versions of a file across a rename, newest first', () => {
  const { root, write } = repository()
  write('src/a é.ts', LINES)
  commitAll(root)
  write('src/other.ts', 'other\n')
  commitAll(root)
  git(root, 'mv', 'src/a é.ts', 'src/b.ts')
  write('src/b.ts', `${LINES}more\n`)
  commitAll(root)
  write('src/b.ts', 'all new\n')
  commitAll(root)
  expect(versionsOf(root, 'src/b.ts')).toEqual([
    ['src/b.ts', 'all new\n', [1]],
    ['src/b.ts', `${LINES}more\n`, [2]],
    ['src/a é.ts', LINES, []],
  ])
})

it('gives a merge both of its parents, and the message and time of each commit', () => {
  const { root, write } = repository()
  write('a.ts', LINES)
  commitAll(root)
  git(root, 'checkout', '-q', '-b', 'feature')
  write('a.ts', `first\n${LINES}`)
  commitAll(root)
  git(root, 'checkout', '-q', 'main')
  write('a.ts', `${LINES}last\n`)
  git(root, 'commit', '-q', '-a', '-m', 'a subject', '-m', 'Intent: INT-001', '--date=2026-01-02T03:04:05Z')
  git(root, 'merge', '-q', '--no-edit', 'feature')
  const versions = fileHistory(root, 'a.ts')
  expect(versions.map(({ parents }) => parents.length)).toEqual([2, 1, 1, 0])
  const found = versions.find(({ message }) => message.includes('a subject'))
  expect(found?.message.trim()).toBe('a subject\n\nIntent: INT-001')
  expect(found?.at).toBe(Date.parse('2026-01-02T03:04:05Z'))
})

it('the history is empty without a repository, a commit or such a file', () => {
  const { root, write } = repository()
  write('a.ts', 'a\n')
  expect(fileHistory(root, 'a.ts')).toEqual([])
  commitAll(root)
  expect(fileHistory(root, 'b.ts')).toEqual([])
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  expect(fileHistory(path, 'a.ts')).toEqual([])
})

it('finds the file of a workspace below the top of the repository', () => {
  const { root, write } = repository()
  write('src/a.ts', 'one\n')
  commitAll(root)
  expect(versionsOf(`${root}/src`, 'a.ts')).toEqual([['a.ts', 'one\n', []]])
})
