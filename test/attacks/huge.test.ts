import { truncateSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorFrom, scene } from './kit.js'

test.each([2 ** 53 - 1, 2 ** 40, 2 ** 33])(
  'a truncate to %d bytes is refused, and the session can be opened again',
  async (size) => {
    const s = scene({ 'src/a.ts': 'a\n' })
    const workspace = await s.open()
    const session = await s.agent(workspace)
    session.fs.writeFileSync('src/b.ts', 'work\n')
    expect(errorFrom(() => session.fs.truncateSync('src/a.ts', size))?.code).toBe('EFBIG')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a\n')
    await session.close()
    const again = await (await s.open()).session({ id: 'one' })
    expect(again.fs.readFileSync('src/b.ts', 'utf8')).toBe('work\n')
  },
)

test('a truncate that extends a file fills it with zeros', async () => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const session = await s.agent(await s.open())
  session.fs.truncateSync('src/a.ts', 100_000)
  const content = session.fs.readFileSync('src/a.ts')
  expect(content.length).toBe(100_000)
  expect(content.subarray(2).every((byte) => byte === 0)).toBe(true)
})

test.each([2 ** 40, 2 ** 33])('an unlinked open file cannot grow to %d bytes', async (size) => {
  const s = scene({ 'src/a.ts': 'a\n' })
  const { fs } = await s.agent(await s.open())
  const fd = fs.openSync('src/a.ts', 'r+')
  fs.unlinkSync('src/a.ts')
  expect(errorFrom(() => fs.ftruncateSync(fd, size))?.code).toBe('EFBIG')
  expect(errorFrom(() => fs.writeSync(fd, 'x', size))?.code).toBe('EFBIG')
  expect(fs.fstatSync(fd).size).toBe(2)
  fs.closeSync(fd)
})

test('a file on the disk over the size limit cannot be staged, but moves with its directory', async () => {
  const s = scene({ 'src/dir/a.ts': 'a\n' })
  truncateSync(s.at('src/dir/a.ts'), 2 ** 30 + 1)
  const { fs } = await s.agent(await s.open())
  expect(errorFrom(() => fs.chmodSync('src/dir/a.ts', 0o600))?.code).toBe('EFBIG')
  expect(errorFrom(() => fs.renameSync('src/dir/a.ts', 'src/b.ts'))?.code).toBe('EFBIG')
  expect(errorFrom(() => fs.appendFileSync('src/dir/a.ts', 'x'))?.code).toBe('EFBIG')
  fs.renameSync('src/dir', 'src/other')
  expect(fs.statSync('src/other/a.ts').size).toBe(2 ** 30 + 1)
})
