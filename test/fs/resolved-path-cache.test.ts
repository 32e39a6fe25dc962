import fs from 'node:fs'
import { expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'

/** A recently resolved name is answered from the cache, but never with the state before an edit or a rule. */

const errorWithReason = (reason: string) => expect.objectContaining({ reason })

it('each read sees the current stage: written, renamed, removed, created again as another type', async () => {
  const { at, open, agent } = scene({ 'src/a.ts': 'disk', 'src/dir/b.ts': 'disk' })
  const { fs: api } = await agent(await open())
  const readStats = () => [
    api.existsSync(at('src/a.ts')),
    api.statSync(at('src/a.ts'), { throwIfNoEntry: false })?.size,
  ]
  const read = () => api.readFileSync(at('src/a.ts'), 'utf8')
  expect([readStats(), read()]).toEqual([[true, 4], 'disk'])
  api.writeFileSync(at('src/a.ts'), 'staged')
  expect([readStats(), read()]).toEqual([[true, 6], 'staged'])
  api.appendFileSync(at('src/a.ts'), '!')
  expect([readStats(), read()]).toEqual([[true, 7], 'staged!'])
  api.renameSync(at('src/a.ts'), at('src/c.ts'))
  expect(readStats()).toEqual([false, undefined])
  expect(read).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  api.mkdirSync(at('src/a.ts'))
  expect(api.statSync(at('src/a.ts')).isDirectory()).toBe(true)
  expect(read).toThrow(expect.objectContaining({ code: 'EISDIR' }))
  api.rmdirSync(at('src/a.ts'))
  api.symlinkSync('c.ts', at('src/a.ts'))
  expect([readStats(), read()]).toEqual([[true, 7], 'staged!'])
  expect(api.lstatSync(at('src/a.ts')).isSymbolicLink()).toBe(true)
})

it('cached names below a directory are dropped when it moves or becomes a link', async () => {
  const { at, open, agent } = scene({ 'src/dir/b.ts': 'first', 'src/other/b.ts': 'second' })
  const { fs: api } = await agent(await open())
  const read = () => api.readFileSync(at('src/dir/b.ts'), 'utf8')
  expect([read(), api.existsSync(at('src/dir/b.ts'))]).toEqual(['first', true])
  api.renameSync(at('src/dir'), at('src/gone'))
  expect(read).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  api.symlinkSync('other', at('src/dir'))
  expect([read(), api.statSync(at('src/dir/b.ts')).size]).toEqual(['second', 6])
})

it('each read of a file on disk reads the disk', async () => {
  const { root, at, open, agent, write } = scene({ 'src/a.ts': 'one' })
  const { fs: api } = await agent(await open())
  expect(api.readFileSync(at('src/a.ts'), 'utf8')).toBe('one')
  write('src/a.ts', 'other')
  expect([api.readFileSync(at('src/a.ts'), 'utf8'), api.statSync(at('src/a.ts')).size]).toEqual(['other', 5])
  fs.rmSync(`${root}/src/a.ts`)
  expect(api.existsSync(at('src/a.ts'))).toBe(false)
  fs.symlinkSync('b.ts', `${root}/src/a.ts`)
  expect(api.existsSync(at('src/a.ts'))).toBe(false)
  write('src/b.ts', 'linked')
  expect(api.readFileSync(at('src/a.ts'), 'utf8')).toBe('linked')
})

it('a new rule applies from the next millisecond', async () => {
  const { at, open, agent, write } = scene({ 'src/key.env': 'secret' })
  const { fs: api } = await agent(await open())
  expect(api.readFileSync(at('src/key.env'), 'utf8')).toBe('secret')
  write('.orchestration/policy.yaml', 'access: {src/key.env: hidden}\n')
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(api.existsSync(at('src/key.env'))).toBe(false)
  expect(() => api.readFileSync(at('src/key.env'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  expect(() => api.statSync(at('src/key.env'))).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  write('.orchestration/policy.yaml', 'access: {src/key.env: deny}\n')
  await new Promise((resolve) => setTimeout(resolve, 60))
  expect(api.existsSync(at('src/key.env'))).toBe(true)
  expect(() => api.readFileSync(at('src/key.env'))).toThrow(errorWithReason('access_denied'))
})

it('a lone surrogate is refused, because the host replaces it with another character', async () => {
  const { at, open, agent } = scene({ 'src/a\ufffd': 'secret' })
  const { fs: api } = await agent(await open())
  expect(api.readFileSync(at('src/a\ufffd'), 'utf8')).toBe('secret')
  for (let round = 0; round < 2; round++) {
    expect(() => api.readFileSync(at('src/a\ud800'))).toThrow(expect.objectContaining({ code: 'EILSEQ' }))
    expect(api.existsSync(at('src/a\ud800'))).toBe(false)
  }
})

it('a closed session caches no decision', async () => {
  const { at, open, agent } = scene({ 'src/a.ts': 'one' })
  const session = await agent(await open())
  expect(session.fs.readFileSync(at('src/a.ts'), 'utf8')).toBe('one')
  await session.close()
  expect(() => session.fs.readFileSync(at('src/a.ts'))).toThrow(errorWithReason('access_denied'))
})

it('text that is not UTF-8 is read as Node reads it, and writes are based on its bytes', async () => {
  const { root, at, open, agent } = scene()
  fs.mkdirSync(`${root}/src`)
  const bytes = Buffer.from([0x61, 0xff, 0xfe, 0x62, 0xef, 0xbb, 0xbf])
  fs.writeFileSync(`${root}/src/a.bin`, bytes)
  const { fs: api } = await agent(await open())
  for (let round = 0; round < 3; round++)
    expect(api.readFileSync(at('src/a.bin'), 'utf8')).toBe(fs.readFileSync(`${root}/src/a.bin`, 'utf8'))
  fs.utimesSync(`${root}/src/a.bin`, 1, 1)
  api.writeFileSync(at('src/a.bin'), 'mine')
  expect(api.readFileSync(at('src/a.bin'), 'utf8')).toBe('mine')
})

it.each([0, 1, 65_535, 65_536, 65_537, 200_000])('a file of %i bytes is read whole', async (size) => {
  const { root, at, open, agent } = scene()
  fs.mkdirSync(`${root}/src`)
  const bytes = Buffer.alloc(size, 'abcdefg')
  fs.writeFileSync(`${root}/src/a.bin`, bytes)
  const { fs: api } = await agent(await open())
  for (let round = 0; round < 2; round++) expect(api.readFileSync(at('src/a.bin')).equals(bytes)).toBe(true)
})
