import fs from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let facade: BareFacade
beforeEach(() => {
  dir = tempDir()
  facade = createBareFacade(dir.path)
  facade.fs.writeFileSync(`${dir.path}/staged`, 'x')
})
afterEach(() => dir.dispose())

it('statfs describes the file system of the disk, for staged paths too', async () => {
  const { type, bsize, blocks } = fs.statfsSync(dir.path)
  expect(facade.fs.statfsSync(`${dir.path}/staged`)).toMatchObject({ type, bsize, blocks })
  expect(await facade.fs.promises.statfs(dir.path, { bigint: true })).toMatchObject({ bsize: BigInt(bsize) })
  expect(facade.fs.statfsSync(dir.path).constructor).toBe(fs.statfsSync(dir.path).constructor)
})

it('statfs fails for a path that the merged view lacks', () => {
  const path = `${dir.path}/none`
  expect(() => facade.fs.statfsSync(path)).toThrow(`ENOENT: no such file or directory, statfs '${path}'`)
})
