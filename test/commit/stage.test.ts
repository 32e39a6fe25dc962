import { chownSync, linkSync, lstatSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { type CommitEntry, commitEntries } from '../../src/commit/index.js'
import { quickDisk } from '../crash/faulty-disk.js'
import { type Bench, entryFor, inputFor, listing, newBench, type Tree } from './kit.js'

let bench: Bench
const start = (tree: Tree = {}) => {
  bench = newBench(tree)
}
afterEach(() => bench.remove())

const commit = (entries: CommitEntry[]) => commitEntries(inputFor(bench, entries), quickDisk())

describe("a file's metadata after a commit", () => {
  // Only root can change a file's owner; for others the test checks that it stays.
  const [uid, gid] = [process.geteuid?.() ?? 0, process.getegid?.() ?? 0]
  const user = uid === 0 ? { uid: 12_345, gid: 23_456 } : { uid, gid }

  it('keeps a file’s owner when root replaces it or changes its mode', async () => {
    start({ over: { file: 'old' }, mode: { file: 'x' }, l: { link: 'x' } })
    const [over, mode] = [join(bench.root, 'over'), join(bench.root, 'mode')]
    for (const path of [over, mode]) chownSync(path, user.uid, user.gid)
    linkSync(mode, join(bench.root, 'other name'))
    await commit([
      entryFor('over', { file: 'old' }, { file: 'new', mode: 0o600 }),
      entryFor('mode', { file: 'x' }, { file: 'x', mode: 0o755 }),
      entryFor('made', null, { file: 'made' }),
    ])
    expect([lstatSync(over), lstatSync(mode)]).toMatchObject([user, user])
    expect(lstatSync(join(bench.root, 'made')).uid).toBe(uid)
    expect(listing(bench.root)).toMatchObject({ over: 'file 600 new', mode: 'file 755 x' })
  })

  it('moves a renamed file as the same inode with its times, without a copy', async () => {
    start({ 'd/old': { file: 'same' }, 'd/both': { file: 'same' } })
    for (const name of ['old', 'both']) utimesSync(join(bench.root, 'd', name), 1_000_000.5, 1_000_000.5)
    const { ino, mtimeMs } = lstatSync(join(bench.root, 'd/old'))
    const entries: CommitEntry[] = [
      { ...entryFor('e/new', null, { file: 'same' }), from: 'd/old' },
      entryFor('d/old', { file: 'same' }, null),
      { ...entryFor('e/edited', null, { file: 'new' }), from: 'd/both' },
      entryFor('d/both', { file: 'same' }, null),
    ]
    const done = await commit(entries)
    expect(lstatSync(join(bench.root, 'e/new'))).toMatchObject({ ino, mtimeMs })
    expect(listing(bench.root)).toEqual({
      d: 'dir 755',
      e: 'dir 755',
      'e/edited': 'file 644 new',
      'e/new': 'file 644 same',
    })
    expect(done.conflicts).toEqual([])
  })
})
