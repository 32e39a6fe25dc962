import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { setUp } from '../policy/setup.js'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

/** The ops on trees, links and attributes under the real policy: the active intent owns `src/auth/**`. */

let dir: ReturnType<typeof tempDir>
let root: string
let facade: BareFacade
let before: string[]

beforeEach(() => {
  dir = tempDir()
  root = dir.path
  fs.mkdirSync(`${root}/src/auth/secret`, { recursive: true })
  fs.mkdirSync(`${root}/src/billing`)
  fs.mkdirSync(`${root}/.git`)
  fs.writeFileSync(`${root}/.git/config`, 'git')
  fs.writeFileSync(`${root}/src/auth/login.ts`, 'login')
  fs.writeFileSync(`${root}/src/billing/invoice.ts`, 'invoice')
  fs.symlinkSync('../billing', `${root}/src/auth/across`)
  before = treeOf(fs, root)
  facade = createBareFacade(root, setUp().decide)
})
afterEach(() => {
  expect(treeOf(fs, root)).toEqual(before)
  dir.dispose()
})

const fails = (reason: string) => expect.objectContaining({ reason })

describe('a link', () => {
  it.each([
    ['/etc/passwd', 'path_escape'],
    ['../../../outside', 'path_escape'],
    ['../../.git/config', 'protected_path'],
  ])('to %s is refused: %s', async (target, reason) => {
    expect(() => facade.fs.symlinkSync(target, `${root}/src/auth/link`)).toThrow(fails(reason))
    await expect(facade.fs.promises.symlink(target, `${root}/src/auth/link`)).rejects.toEqual(fails(reason))
    expect(facade.overlay.stage.tree.empty).toBe(true)
  })

  it('to a path out of scope is refused, and a person’s link is judged by its target on each write', () => {
    const make = () => facade.fs.symlinkSync('../billing/invoice.ts', `${root}/src/auth/link`)
    expect(make).toThrow(fails('scope_violation'))
    fs.symlinkSync('../billing/invoice.ts', `${root}/src/auth/link`)
    before = treeOf(fs, root)
    expect(() => facade.fs.writeFileSync(`${root}/src/auth/link`, 'x')).toThrow(fails('scope_violation'))
  })

  it.each([
    ['.git/config', 'protected_path'],
    ['src/billing/invoice.ts', 'scope_violation'],
    ['src/auth/across/invoice.ts', 'scope_violation'],
  ])('with link(2) to %s is refused: %s', (existing, reason) => {
    expect(() => facade.fs.linkSync(`${root}/${existing}`, `${root}/src/auth/mine`)).toThrow(fails(reason))
    expect(facade.overlay.stage.tree.empty).toBe(true)
  })
})

describe('attributes', () => {
  it.each([
    ['src/billing/invoice.ts', 'scope_violation'],
    ['src/auth/across/invoice.ts', 'scope_violation'],
    ['.git/config', 'protected_path'],
    ['../elsewhere', 'path_escape'],
    ['/etc/passwd', 'path_escape'],
  ])('of %s cannot be changed: %s', (name, reason) => {
    const path = name.startsWith('/') ? name : `${root}/${name}`
    expect(() => facade.fs.chmodSync(path, 0o600)).toThrow(fails(reason))
    expect(() => facade.fs.utimesSync(path, 1, 1)).toThrow(fails(reason))
    expect(() => facade.fs.chownSync(path, -1, -1)).toThrow(fails(reason))
    expect(() => facade.fs.lutimesSync(path, 1, 1)).toThrow(fails(reason))
    expect(facade.overlay.stage.tree.empty).toBe(true)
  })
})

describe('cp', () => {
  it('copies into the scope, and not out of it', () => {
    facade.fs.cpSync(`${root}/src/billing`, `${root}/src/auth/billing`, { recursive: true })
    expect(facade.fs.readFileSync(`${root}/src/auth/billing/invoice.ts`, 'utf8')).toBe('invoice')
    const out = () => facade.fs.cpSync(`${root}/src/auth/login.ts`, `${root}/src/billing/login.ts`)
    expect(out).toThrow(fails('scope_violation'))
    expect(facade.fs.existsSync(`${root}/src/billing/login.ts`)).toBe(false)
  })

  it('is judged by entry: a path out of scope is not overwritten with its parent', async () => {
    facade.fs.mkdirSync(`${root}/src/auth/new/secret`, { recursive: true })
    facade.fs.writeFileSync(`${root}/src/auth/new/secret/key`, 'x')
    const over = facade.fs.promises.cp(`${root}/src/auth/new`, `${root}/src/auth`, { recursive: true })
    await expect(over).rejects.toMatchObject({ reason: 'scope_violation', dest: `${root}/src/auth/secret/key` })
    expect(facade.fs.existsSync(`${root}/src/auth/secret/key`)).toBe(false)
  })

  it('of a link that would point out of the workspace is refused', () => {
    const from = tempDir()
    try {
      fs.symlinkSync('/etc/passwd', `${from.path}/link`)
      const call = () => facade.fs.cpSync(`${from.path}/link`, `${root}/src/auth/link`)
      expect(call).toThrow(fails('path_escape'))
      expect(facade.overlay.stage.tree.empty).toBe(true)
    } finally {
      from.dispose()
    }
  })
})

it('judges mkdtemp by the new name', () => {
  expect(facade.fs.mkdtempSync(`${root}/src/auth/t-`)).toMatch(/t-.{6}$/)
  expect(() => facade.fs.mkdtempSync(`${root}/t-`)).toThrow(fails('scope_violation'))
  expect(() => facade.fs.mkdtempSync(`${root}/../t-`)).toThrow(fails('path_escape'))
})
