import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Access, Decision } from '../../src/core/decision.js'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let root: string
let facade: BareFacade

beforeEach(() => {
  dir = tempDir()
  root = dir.path
  fs.mkdirSync(`${root}/a/b`, { recursive: true })
  fs.writeFileSync(`${root}/a/file`, 'one')
  fs.writeFileSync(`${root}/secret`, 'secret')
  fs.symlinkSync('a', `${root}/toA`)
  facade = createBareFacade(root)
})
afterEach(() => dir.dispose())

const recordAccess =
  (accesses: Access[]) =>
  (access: Access): Decision => {
    accesses.push(access)
    return { verdict: 'stage' }
  }

/** Denies every access to a name, by path or by target. */
const keeping =
  (name: string, reason: 'protected_path' | 'hidden') =>
  (access: Access): Decision =>
    [access.path, access.asked, access.target].includes(name)
      ? { verdict: 'deny', denial: { reason, message: 'No.' } }
      : { verdict: 'stage' }

describe('link', () => {
  it('adds a second name of a file only in the stage', () => {
    facade.fs.linkSync(`${root}/a/file`, `${root}/second`)
    facade.fs.writeFileSync(`${root}/second`, 'two')
    expect(facade.fs.readFileSync(`${root}/a/file`, 'utf8')).toBe('two')
    expect(facade.fs.statSync(`${root}/a/file`).nlink).toBe(2)
    facade.fs.unlinkSync(`${root}/a/file`)
    expect(facade.fs.readFileSync(`${root}/second`, 'utf8')).toBe('two')
    expect(fs.readFileSync(`${root}/a/file`, 'utf8')).toBe('one')
    expect(fs.existsSync(`${root}/second`)).toBe(false)
  })

  it('judges the new name together with its target', () => {
    const accesses: Access[] = []
    createBareFacade(root, recordAccess(accesses)).fs.linkSync(`${root}/toA/file`, `${root}/second`)
    expect(accesses).toContainEqual({ effect: 'link', path: 'a/file', asked: 'toA/file' })
    expect(accesses).toContainEqual({ effect: 'link', path: 'second', asked: 'second', target: 'a/file' })
  })

  it.each([
    ['protected_path', 'EPERM'],
    ['hidden', 'ENOENT'],
  ] as const)('to a denied path (%s) is refused and stages nothing', (reason, code) => {
    const { fs: kept, overlay } = createBareFacade(root, keeping('secret', reason))
    expect(() => kept.linkSync(`${root}/secret`, `${root}/mine`)).toThrow(expect.objectContaining({ code }))
    expect(() => kept.linkSync(`${root}/a/../secret`, `${root}/mine`)).toThrow(expect.objectContaining({ code }))
    expect(overlay.stage.tree.empty).toBe(true)
  })

  it('names its arguments as Node does', () => {
    expect(() => Reflect.apply(facade.fs.linkSync, facade.fs, [5, 'x'])).toThrow(/"existingPath"/)
    expect(() => Reflect.apply(facade.fs.linkSync, facade.fs, ['a/file', 5])).toThrow(/"newPath"/)
  })
})

describe('symlink', () => {
  it.each([
    ['file', 'a/link', 'a/file'],
    ['./b/../file', 'a/link', 'a/file'],
    ['../../../etc/passwd', 'a/link', undefined],
    ['/etc/passwd', 'link', undefined],
    ['toA/b', 'link', 'a/b'],
    ['file', 'toA/link', 'a/file'],
    ['not/yet/there', 'link', 'not/yet/there'],
    ['missing/../../out', 'link', undefined],
  ])('to %s at %s is judged by its target', (target, at, leads) => {
    const accesses: Access[] = []
    createBareFacade(root, recordAccess(accesses)).fs.symlinkSync(target, `${root}/${at}`)
    const found = accesses.findLast((access) => access.effect === 'symlink' && access.target !== undefined)?.target
    if (leads === undefined) expect(found?.startsWith('/')).toBe(true)
    else expect(found).toBe(leads)
  })

  it('to an absolute path in the workspace is a link inside', () => {
    const accesses: Access[] = []
    createBareFacade(root, recordAccess(accesses)).fs.symlinkSync(`${root}/a/file`, `${root}/link`)
    expect(accesses.at(-1)?.target).toBe('a/file')
  })

  it('is judged by its target at the new place of a move', () => {
    const accesses: Access[] = []
    const { fs: moving } = createBareFacade(root, recordAccess(accesses))
    moving.symlinkSync('../secret', `${root}/a/up`)
    accesses.length = 0
    moving.renameSync(`${root}/a/up`, `${root}/up`)
    const target = accesses.find((access) => access.effect === 'symlink')?.target
    expect(target).toBe(`${root.slice(0, root.lastIndexOf('/'))}/secret`)
  })

  it.each([
    ['', 'ENOENT'],
    ['x', 'EEXIST'],
  ])('to %j fails as symlink(2) does', (target, code) => {
    const path = target === '' ? `${root}/new` : `${root}/a`
    const message = `${code}: ${code === 'ENOENT' ? 'no such file or directory' : 'file already exists'}`
    expect(() => facade.fs.symlinkSync(target, path)).toThrow(`${message}, symlink '${target}' -> '${path}'`)
  })

  it('refuses an unknown type', () => {
    const refusedBy = (api: typeof fs | typeof facade.fs) => {
      try {
        Reflect.apply(api.symlinkSync, api, ['x', `${root}/l`, 'odd'])
        return 'nothing'
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException
        return { code, message }
      }
    }
    expect(refusedBy(facade.fs)).toEqual(refusedBy(fs))
    expect(refusedBy(facade.fs)).not.toBe('nothing')
  })

  it('stages nothing when it is denied', async () => {
    const { fs: denied, overlay } = createBareFacade(root, keeping('l', 'protected_path'))
    expect(() => denied.symlinkSync('a', `${root}/l`)).toThrow(/No\./)
    await expect(denied.promises.symlink('a', `${root}/l`)).rejects.toMatchObject({ reason: 'protected_path' })
    expect(overlay.stage.tree.empty).toBe(true)
  })
})

it('links leave the disk unchanged', () => {
  const before = treeOf(fs, root)
  facade.fs.linkSync(`${root}/secret`, `${root}/other`)
  facade.fs.symlinkSync('a', `${root}/l`)
  facade.fs.lutimesSync(`${root}/toA`, 1, 1)
  expect(treeOf(fs, root)).toEqual(before)
})
