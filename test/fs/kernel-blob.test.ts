import fs from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let facade: BareFacade
beforeEach(() => {
  dir = tempDir()
  fs.writeFileSync(`${dir.path}/lower`, 'lower')
  fs.writeFileSync(`${dir.path}/large`, Buffer.alloc(200_000, 'large'))
  facade = createBareFacade(dir.path)
})
afterEach(() => dir.dispose())

it('openAsBlob returns the content at the time of the call', async () => {
  facade.fs.writeFileSync(`${dir.path}/staged`, 'staged')
  const blob = await facade.fs.openAsBlob(`${dir.path}/staged`, { type: 'text/plain' })
  facade.fs.writeFileSync(`${dir.path}/staged`, 'later')
  expect([await blob.text(), blob.type, blob.size]).toEqual(['staged', 'text/plain', 6])
  expect(await (await facade.fs.openAsBlob(`${dir.path}/lower`)).text()).toBe('lower')
  expect((await facade.fs.openAsBlob(`${dir.path}/large`)).size).toBe(200_000)
})

it.each([['none'], ['lower/below']])('openAsBlob of %s throws at once, as Node does', (name) => {
  const thrownBy = (open: typeof fs.openAsBlob) => {
    try {
      void open(`${dir.path}/${name}`)
      return 'nothing'
    } catch (error) {
      const { name, code, message } = error as NodeJS.ErrnoException
      return { name, code, message }
    }
  }
  expect(thrownBy(facade.fs.openAsBlob)).toEqual(thrownBy(fs.openAsBlob))
  expect(thrownBy(facade.fs.openAsBlob)).not.toBe('nothing')
})

it('openAsBlob refuses a directory, whose content nobody can read', async () => {
  expect(() => facade.fs.openAsBlob(dir.path)).toThrow()
  await expect(fs.openAsBlob(dir.path).then((blob) => blob.text())).rejects.toThrow()
})

it.each([[5], [null], [{ type: 5 }]])('openAsBlob refuses the options %o', (options) => {
  expect(() => Reflect.apply(facade.fs.openAsBlob, facade.fs, [`${dir.path}/lower`, options])).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
  )
})

it('openAsBlob rejects if reading is denied', async () => {
  const { fs: denied } = createBareFacade(dir.path, () => ({
    verdict: 'deny',
    denial: { reason: 'access_denied', message: 'No.' },
  }))
  await expect(denied.openAsBlob(`${dir.path}/lower`)).rejects.toMatchObject({ reason: 'access_denied' })
})
