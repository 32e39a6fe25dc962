import fs from 'node:fs'
import { expect, it, onTestFinished, vi } from 'vitest'
import { asRelPath, type Lower, openLower, type RelPath } from '../../overlay/index.js'
import { DiskNames } from '../../src/exec/disk-names.js'
import { tempDir } from '../support/facade.js'

/** A workspace whose directories all changed long ago, and the directories that were read since the last call of `read`. */
function scene(...files: string[]) {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  for (const file of files) {
    fs.mkdirSync(`${root}/${file}`.replace(/\/[^/]*$/, ''), { recursive: true })
    fs.writeFileSync(`${root}/${file}`, '')
  }
  const disk = openLower(root)
  const listed: RelPath[] = []
  const changed = new Set<RelPath>()
  const lower: Pick<Lower, 'lstatBig' | 'readdir'> = {
    lstatBig: (path) => {
      const stats = disk.lstatBig(path)
      return stats && Object.assign(stats, { ctimeNs: changed.has(path) ? 2_000_000_000n : 1_000_000_000n })
    },
    readdir: (path) => {
      listed.push(path)
      return disk.readdir(path)
    },
  }
  return { root, lower, changed, read: () => listed.splice(0) }
}

const rel = (path: string) => asRelPath(path)
const never = () => false

it('knows the names of all directories that git does not ignore', () => {
  const { lower } = scene('a', 'd/e/f', 'out/o', '.git/config')
  const names = new DiskNames()
  names.begin(lower, (path) => path === 'out')
  const paths = ['a', 'd', 'd/e', 'd/e/f', 'out', 'b', 'd/e/g', 'out/o', '.git/config', 'none/a']
  expect(paths.filter((path) => names.has(rel(path)))).toEqual(['a', 'd', 'd/e', 'd/e/f', 'out'])
})

it('reads a directory again only after a change in it, and forgets a removed one', () => {
  const { root, lower, changed, read } = scene('d/a', 'e/b', 'g/c')
  const names = new DiskNames()
  names.begin(lower, never)
  expect(read()).toEqual(['', 'd', 'e', 'g'])
  fs.writeFileSync(`${root}/d/new`, '')
  fs.rmSync(`${root}/g`, { recursive: true })
  for (const path of ['', 'd']) changed.add(rel(path))
  expect(names.has(rel('d/new'))).toBe(false)
  names.begin(lower, never)
  expect(read()).toEqual(['', 'd'])
  expect(['d/new', 'e/b', 'g/c'].map((path) => names.has(rel(path)))).toEqual([true, true, false])
})

it('does not know the names beyond its limit', () => {
  const { lower } = scene('d/e/a', 'b')
  const names = new DiskNames(2)
  names.begin(lower, never)
  expect(['b', 'c', 'd/e', 'd/e/a'].map((path) => names.has(rel(path)))).toEqual([true, false, undefined, undefined])
})

it('reads the rest of a large workspace while the command runs', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { root, lower } = scene('d/a', 'd/e/b', 'g/c')
  const names = new DiskNames(100, 1)
  names.begin(lower, never)
  const all = () => ['d', 'd/a', 'd/none', 'd/e/b', 'g/c', 'none/a'].map((path) => names.has(rel(path)))
  expect(all()).toEqual([true, ...Array<undefined>(5).fill(undefined)])
  fs.rmSync(`${root}/g/c`)
  vi.runAllTimers()
  expect(all()).toEqual([true, true, false, true, false, false])
})

it('reads nothing after the command has ended', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { lower, read } = scene('d/a')
  const names = new DiskNames(100, 1)
  names.begin(lower, never)
  names.stop()
  vi.runAllTimers()
  expect(read()).toEqual([''])
  expect(names.has(rel('d/a'))).toBeUndefined()
})
