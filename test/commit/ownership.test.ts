import { chmodSync, chownSync, lstatSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { commitEntries } from '../../src/commit/index.js'
import { type Bench, entryFor, inputFor, newBench } from './kit.js'

/** A group other than that of new files: any, for root; else the last one that we are in. */
const OTHER = process.getuid?.() === 0 ? 4711 : (process.getgroups?.().at(-1) ?? 0)
const OWN = process.getegid?.() ?? 0

let bench: Bench
beforeEach(() => {
  bench = newBench({ 'shared/old': { file: 'old' }, 'plain/old': { file: 'old' } })
  chownSync(join(bench.root, 'shared'), -1, OTHER)
  chmodSync(join(bench.root, 'shared'), 0o2775)
})
afterEach(() => bench.remove())

const commit = (...entries: ReturnType<typeof entryFor>[]) => commitEntries(inputFor(bench, entries))

/** `gid mode` of a path. */
function groupAndMode(path: string): string {
  const { gid, mode } = lstatSync(join(bench.root, path))
  return `${gid} ${(mode & 0o7777).toString(8)}`
}

const SHARED_DIR = { dir: true, mode: 0o2755 } as const

it('entries in a set-group-id directory get its group, and directories the bit, at any depth', async () => {
  await commit(
    entryFor('shared/new', null, { file: 'new' }),
    entryFor('shared/link', null, { link: 'new' }),
    entryFor('shared/dir', null, SHARED_DIR),
    entryFor('shared/dir/new', null, { file: 'new' }),
    entryFor('shared/implied/deep/new', null, { file: 'new' }),
    entryFor('shared/own', null, { dir: true }),
    entryFor('shared/own/new', null, { file: 'new' }),
    entryFor('plain/new', null, { file: 'new' }),
  )
  const implied = 0o2000 | (0o777 & ~process.umask())
  expect(groupAndMode('shared/new')).toBe(`${OTHER} 644`)
  expect(groupAndMode('shared/link')).toBe(`${OTHER} 777`)
  expect(groupAndMode('shared/dir')).toBe(`${OTHER} 2755`)
  expect(groupAndMode('shared/dir/new')).toBe(`${OTHER} 644`)
  expect(groupAndMode('shared/implied')).toBe(`${OTHER} ${implied.toString(8)}`)
  expect(groupAndMode('shared/implied/deep')).toBe(`${OTHER} ${implied.toString(8)}`)
  expect(groupAndMode('shared/implied/deep/new')).toBe(`${OTHER} 644`)
  // Its mode does not pass the group on.
  expect(groupAndMode('shared/own')).toBe(`${OTHER} 755`)
  expect(groupAndMode('shared/own/new')).toBe(`${OWN} 644`)
  expect(groupAndMode('plain/new')).toBe(`${OWN} 644`)
})

it('our own directory passes no group to entries in it', async () => {
  mkdirSync(bench.layout.tx)
  chownSync(bench.layout.tx, -1, OTHER)
  chmodSync(bench.layout.tx, 0o2755)
  await commit(
    entryFor('plain/new', null, { file: 'new' }),
    entryFor('plain/dir', null, { dir: true }),
    entryFor('plain/implied/new', null, { file: 'new' }),
    entryFor('shared/new', null, { file: 'new' }),
  )
  const implied = (0o777 & ~process.umask()).toString(8)
  expect(['plain/new', 'plain/dir', 'plain/implied', 'shared/new'].map(groupAndMode)).toEqual([
    `${OWN} 644`,
    `${OWN} 755`,
    `${OWN} ${implied}`,
    `${OTHER} 644`,
  ])
})

it('a file that is replaced keeps its group', async () => {
  chownSync(join(bench.root, 'plain/old'), -1, OTHER)
  await commit(
    entryFor('plain/old', { file: 'old' }, { file: 'new' }),
    entryFor('shared/old', { file: 'old' }, { file: 'new' }),
  )
  expect([groupAndMode('plain/old'), groupAndMode('shared/old')]).toEqual([`${OTHER} 644`, `${OWN} 644`])
})
