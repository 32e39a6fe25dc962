import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shapeOf } from '../../src/fs/special-forms.js'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let facade: BareFacade
beforeEach(() => {
  dir = tempDir()
  facade = createBareFacade(dir.path)
})
afterEach(() => dir.dispose())

describe('mkdtemp', () => {
  it('creates a directory for its owner only, with six characters after the prefix, in three forms', async () => {
    const prefix = `${dir.path}/tmp-`
    const called = new Promise<string>((resolve, reject) =>
      facade.fs.mkdtemp(prefix, (error, path) => (error ? reject(error) : resolve(path))),
    )
    const created = [facade.fs.mkdtempSync(prefix), await facade.fs.promises.mkdtemp(prefix), await called]
    for (const path of created) {
      expect(path.slice(prefix.length)).toMatch(/^[A-Za-z0-9]{6}$/)
      expect(facade.fs.statSync(path).mode & 0o7777).toBe(0o700)
    }
    expect(new Set(created).size).toBe(3)
    expect(fs.readdirSync(dir.path)).toEqual([])
  })

  it('keeps the prefix as given, and encodes the result', () => {
    expect(facade.fs.mkdtempSync('./t-')).toMatch(/^\.\/t-.{6}$/)
    expect(facade.fs.mkdtempSync('t-', 'buffer')).toBeInstanceOf(Buffer)
  })

  it("fails with the template in the error's path", () => {
    const path = `${dir.path}/no/x`
    const message = `ENOENT: no such file or directory, mkdtemp '${path}XXXXXX'`
    expect(() => facade.fs.mkdtempSync(path)).toThrow(message)
    expect(() => Reflect.apply(facade.fs.mkdtempSync, facade.fs, [5])).toThrow(/"prefix"/)
  })

  it('is judged by the new name, and stages nothing when denied', () => {
    const errors: string[] = []
    const denied = createBareFacade(dir.path, ({ effect, path }) => {
      if (effect === 'read') return { verdict: 'allow' }
      errors.push(path)
      return { verdict: 'deny', denial: { reason: 'scope_violation', message: 'No.' } }
    })
    expect(() => denied.fs.mkdtempSync(`${dir.path}/tmp-`)).toThrow(/EACCES: No\., mkdtemp/)
    expect(errors.at(-1)).toMatch(/^tmp-.{6}$/)
    expect(denied.overlay.stage.tree.empty).toBe(true)
  })
})

describe('the disposable form', () => {
  it('exists if the host has it', () => {
    expect('mkdtempDisposableSync' in facade.fs).toBe('mkdtempDisposableSync' in fs)
    expect('mkdtempDisposable' in facade.fs.promises).toBe('mkdtempDisposable' in fs.promises)
  })

  it('removes the directory with its content, once or more', async () => {
    const bodies = (stem: string) => (args: readonly unknown[]) => {
      const [path, options] = args
      if (stem === 'rm') return Reflect.apply(facade.fs.rmSync, facade.fs, [path, options])
      return Reflect.apply(facade.fs.mkdtempSync, facade.fs, [path, options])
    }
    const sync = shapeOf('mkdtempDisposableSync')?.(bodies)(`${dir.path}/t-`)
    const promised = await shapeOf('promises.mkdtempDisposable')?.(bodies)(`${dir.path}/t-`)
    for (const created of [sync, promised]) {
      const { path, remove } = created as { path: string; remove(): unknown }
      facade.fs.writeFileSync(`${path}/inside`, 'x')
      await remove()
      await remove()
      expect(facade.fs.existsSync(path)).toBe(false)
    }
  })
})
