import fs from 'node:fs'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { newInode } from '../../overlay/new-inode.js'
import { Stage } from '../../overlay/stage.js'
import { bigStatsOf, statsOf } from '../../overlay/stats.js'
import { tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
beforeEach(() => {
  dir = tempDir()
})
afterEach(() => dir.dispose())

it("dates are Node's for the same times, as numbers and as bigints", () => {
  const file = `${dir.path}/file`
  fs.writeFileSync(file, '')
  const inode = new Stage().inodes.make('file', newInode('file', 0o644, undefined), '0')
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000_000_000_000_000 }), (microseconds) => {
      fs.utimesSync(file, microseconds / 1e6, microseconds / 1e6)
      const big = fs.statSync(file, { bigint: true })
      inode.mtimeNs = big.mtimeNs
      const plain = fs.statSync(file)
      expect(statsOf(inode, 0).mtime).toEqual(plain.mtime)
      expect(statsOf(inode, 0).mtimeMs).toBe(plain.mtimeMs)
      expect(bigStatsOf(inode, 0).mtime).toEqual(big.mtime)
      expect(bigStatsOf(inode, 0).mtimeMs).toBe(big.mtimeMs)
    }),
  )
})
