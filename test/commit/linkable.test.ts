import { lstatSync, readdirSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { Errno } from '../../overlay/index.js'
import { type Disk, realDisk } from '../../src/commit/disk.js'
import { type CommitEntry, commitEntries } from '../../src/commit/index.js'
import { quickDisk } from '../crash/faulty-disk.js'
import { entryFor, inputFor, listing, newBench, type Tree } from './kit.js'

const OVER = entryFor('over', { file: 'old' }, { file: 'new' })
const LINK = entryFor('link', { link: 'over' }, { link: 'gone' })
const GONE = entryFor('dir/gone', { file: 'bye' }, null)
const EMPTIED = entryFor('dir', { dir: true }, null)
const TREE: Tree = { over: { file: 'old' }, link: { link: 'over' }, 'dir/gone': { file: 'bye' } }

function start() {
  const bench = newBench(TREE)
  onTestFinished(() => bench.remove())
  const before = listing(bench.root)
  const commit = (entries: CommitEntry[], disk: Disk) => commitEntries(inputFor(bench, entries), disk)
  return { bench, before, commit }
}

/** As exFAT, vboxsf, and most FUSE file systems. */
function withoutLinks(code: string, ofSymlinks = false): Disk {
  return {
    ...quickDisk(),
    link(from, to) {
      const isInTree = /\/proc\/self\/fd\/|\/\.orchestration\//.test(String(to))
      if (isInTree && (!ofSymlinks || lstatSync(from).isSymbolicLink())) throw new Errno(code)
      realDisk.link(from, to)
    },
  }
}

it.each(['EPERM', 'ENOTSUP', 'ENOSYS', 'EINVAL'])(
  'a commit on a file system without hard links (%s) is refused before it changes anything',
  async (code) => {
    const { bench, before, commit } = start()
    await expect(commit([OVER, GONE], withoutLinks(code))).rejects.toMatchObject({
      reason: 'unsupported',
      message: expect.stringContaining('Nothing was committed: the file system of the workspace has no hard links'),
      hint: expect.stringContaining('Move the workspace'),
    })
    expect(listing(bench.root)).toEqual(before)
    expect(readdirSync(bench.layout.tx)).toEqual([])
    expect(await commit([OVER, GONE], quickDisk())).toMatchObject({ seq: 1, conflicts: [] })
  },
)

it('so is one of a symlink where only files can have hard links; files, removals and directories are committed', async () => {
  const { bench, before, commit } = start()
  await expect(commit([OVER, LINK], withoutLinks('EPERM', true))).rejects.toMatchObject({
    reason: 'unsupported',
    message: expect.stringContaining('no hard links to symlinks'),
  })
  expect(listing(bench.root)).toEqual(before)
  await commit([OVER], withoutLinks('EPERM', true))
  await commit([GONE, EMPTIED, entryFor('made', null, { dir: true })], withoutLinks('EPERM'))
  expect(listing(bench.root)).toEqual({ over: 'file 644 new', link: 'link over', made: 'dir 755' })
})
