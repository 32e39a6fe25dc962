import { lstatSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { Errno } from '../../overlay/index.js'
import type { Disk } from '../../src/commit/disk.js'
import { commitEntries } from '../../src/commit/index.js'
import { quickDisk } from '../crash/faulty-disk.js'
import { entryFor, inputFor, listing, newBench } from './kit.js'

it('a removed directory that a file system does not open again needs no sync', async () => {
  const bench = newBench({ over: { file: 'old' }, 'dir/gone': { file: 'bye' } })
  onTestFinished(() => bench.remove())
  const isGone = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.nlink === 0
  const disk: Disk = {
    ...quickDisk(),
    // As FUSE, for a descriptor of a removed directory.
    syncDir(path) {
      if (isGone(path)) throw new Errno('ENOENT')
    },
  }
  const entries = [entryFor('dir/gone', { file: 'bye' }, null), entryFor('dir', { dir: true }, null)]
  expect(await commitEntries(inputFor(bench, entries), disk)).toMatchObject({ seq: 1, conflicts: [] })
  expect(listing(bench.root)).toEqual({ over: 'file 644 old' })
})
