import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { listsSame } from '../../src/terminal/git-index.js'
import { tempDir } from '../support/facade.js'
import { git } from '../support/git.js'

const FORMATS: readonly (readonly [name: string, format: string, prepare: readonly (readonly string[])[]])[] = [
  ['version 2', 'sha1', []],
  ['version 3', 'sha1', [['update-index', '--skip-worktree', 'b']]],
  ['version 4', 'sha1', [['update-index', '--index-version', '4']]],
  ['version 2 with SHA-256', 'sha256', []],
  ['version 4 with SHA-256', 'sha256', [['update-index', '--index-version', '4']]],
  ['split', 'sha1', [['update-index', '--split-index']]],
]

/** Changes of the index after which it lists something else. */
const CHANGES: readonly (readonly string[])[] = [
  ['mv', 'a', 'c'],
  ['rm', '-q', '--cached', 'a'],
  ['add', '-N', 'new'],
  ['add', 'new'],
  ['update-index', '--chmod=+x', 'a'],
  ['update-index', '--assume-unchanged', 'a'],
  ['update-index', '--skip-worktree', 'a'],
]

function repository(format: string, prepare: readonly (readonly string[])[]) {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  git(root, 'init', '-q', '-b', 'main', `--object-format=${format}`)
  for (const name of ['a', 'b', 'dir-with-a-longer-name.txt']) writeFileSync(`${root}/${name}`, `${name}\n`)
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'Start')
  for (const args of prepare) git(root, ...args)
  return { root, index: () => readFileSync(`${root}/.git/index`) }
}

// In a split index, whether the part that is read has the refreshed entry depends on the clock.
it.each(FORMATS.filter(([name]) => name !== 'split'))(
  'an index of %s lists the same after git has refreshed the times of its files',
  (_, format, prepare) => {
    const { root, index } = repository(format, prepare)
    const before = index()
    utimesSync(`${root}/a`, 1, 1)
    git(root, 'status')
    expect(index().equals(before)).toBe(false)
    expect(listsSame(index(), before)).toBe(true)
  },
)

describe.each(FORMATS)('an index of %s', (_, format, prepare) => {
  it.each(CHANGES)('lists something else after git %s %s', (...args) => {
    const { root, index } = repository(format, prepare)
    writeFileSync(`${root}/new`, '')
    const before = index()
    git(root, ...args)
    expect(listsSame(before, before)).toBe(true)
    expect(listsSame(index(), before)).toBe(false)
  })
})

it('an index of an unknown format, damaged or cut off, lists the same as none', () => {
  const whole = repository('sha1', []).index()
  for (let length = 0; length < whole.length; length++) {
    const part = whole.subarray(0, length)
    expect(listsSame(part, part)).toBe(false)
  }
  for (let at = 0; at < whole.length; at++) {
    const damaged = Buffer.from(whole)
    damaged.writeUInt8((damaged.readUInt8(at) + 1) % 256, at)
    expect(listsSame(damaged, damaged)).toBe(false)
  }
  const later = Buffer.from(whole)
  later.writeUInt32BE(5, 4)
  // As with the setting index.skipHash.
  later.fill(0, later.length - 20)
  expect(listsSame(later, later)).toBe(false)
  later.writeUInt32BE(2, 4)
  expect(listsSame(later, whole)).toBe(true)
  later.writeUInt32BE(0xffff_ffff, 8)
  expect(listsSame(later, later)).toBe(false)
})
