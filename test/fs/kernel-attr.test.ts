import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

let dir: ReturnType<typeof tempDir>
let facade: BareFacade
let file: string

beforeEach(() => {
  dir = tempDir()
  file = `${dir.path}/file`
  fs.writeFileSync(file, 'content', { mode: 0o644 })
  fs.mkdirSync(`${dir.path}/sub`)
  fs.symlinkSync('file', `${dir.path}/link`)
  facade = createBareFacade(dir.path)
})
afterEach(() => dir.dispose())

/** Reading it for the copy changes its access time. */
const ofDisk = () => {
  const { mode, mtimeNs, ctimeNs } = fs.statSync(file, { bigint: true })
  return { mode, mtimeNs, ctimeNs }
}

describe('chmod', () => {
  it('stages the mode, keeps content and times, and leaves the disk unchanged', () => {
    const before = ofDisk()
    facade.fs.chmodSync(file, '600')
    const staged = facade.fs.statSync(file, { bigint: true })
    expect(Number(staged.mode) & 0o7777).toBe(0o600)
    expect(staged.mtimeNs).toBe(before.mtimeNs)
    expect(facade.fs.readFileSync(file, 'utf8')).toBe('content')
    expect(ofDisk()).toEqual(before)
  })

  it('follows a link', () => {
    facade.fs.chmodSync(`${dir.path}/link`, 0o640)
    expect(facade.fs.statSync(file).mode & 0o7777).toBe(0o640)
  })

  it.each([undefined, null, '9', -1, 2 ** 32, 1.5, {}])('refuses the mode %s as Node does', (mode) => {
    const codeIn = (api: typeof fs) => {
      try {
        Reflect.apply(api.chmodSync, api, [file, mode])
        return undefined
      } catch (error) {
        return [(error as NodeJS.ErrnoException).code, (error as Error).message]
      }
    }
    expect(codeIn(facade.fs)?.[0]).toBe(codeIn(fs)?.[0])
  })

  it('throws for a wrong call even in the callback form', () => {
    expect(() => facade.fs.chmod(file, 'x', () => undefined)).toThrow(/32-bit unsigned integer/)
  })
})

describe('lchmod', () => {
  it('exists only if the host has it', async () => {
    expect(typeof facade.fs.lchmodSync).toBe(typeof fs.lchmodSync)
    if ('O_SYMLINK' in fs.constants) return
    await expect(facade.fs.promises.lchmod(file, 0o600)).rejects.toMatchObject({ code: 'ERR_METHOD_NOT_IMPLEMENTED' })
  })
})

describe('chown', () => {
  it('to the same value changes nothing and succeeds', () => {
    const { uid, gid } = fs.statSync(file)
    facade.fs.chownSync(file, -1, -1)
    facade.fs.lchownSync(`${dir.path}/link`, uid, gid)
    expect(facade.fs.statSync(file)).toMatchObject({ uid, gid })
  })

  it('clears setuid, and setgid if the group may execute the file', () => {
    facade.fs.chmodSync(file, 0o6755)
    facade.fs.chownSync(file, -1, -1)
    expect(facade.fs.statSync(file).mode & 0o7777).toBe(0o755)
    facade.fs.chmodSync(`${dir.path}/sub`, 0o6755)
    facade.fs.chownSync(`${dir.path}/sub`, -1, -1)
    expect(facade.fs.statSync(`${dir.path}/sub`).mode & 0o7777).toBe(0o6755)
  })

  it.each([
    ['a', 0],
    [-2, 0],
    [0, 2 ** 32],
    [0, undefined],
  ])('refuses the ids %s, %s', (uid, gid) => {
    expect(() => Reflect.apply(facade.fs.chownSync, facade.fs, [file, uid, gid])).toThrow(/"[ug]id"/)
  })

  it('to another owner needs root', () => {
    const root = process.getuid?.() === 0
    const give = () => facade.fs.chownSync(file, 4711, 4711)
    if (root) give()
    else expect(give).toThrow(expect.objectContaining({ code: 'EPERM', syscall: 'chown' }))
    expect(facade.fs.statSync(file).uid).toBe(root ? 4711 : process.getuid?.())
    expect(fs.statSync(file).uid).toBe(process.getuid?.())
  })
})

describe('utimes', () => {
  it('has nanoseconds in bigint stats', () => {
    facade.fs.utimesSync(file, new Date(1500), '123.25')
    const { atimeNs, mtimeNs, mtimeMs, mtime } = facade.fs.statSync(file, { bigint: true })
    expect([atimeNs, mtimeNs, mtimeMs]).toEqual([1_500_000_000n, 123_250_000_000n, 123_250n])
    expect(mtime.getTime()).toBe(123_250)
  })

  it('of a directory stay when an entry in it changes attributes', () => {
    fs.symlinkSync('nowhere', `${dir.path}/sub/link`)
    fs.writeFileSync(`${dir.path}/sub/file`, '')
    fs.mkdirSync(`${dir.path}/sub/dir`)
    facade.fs.utimesSync(`${dir.path}/sub`, 1, 2)
    facade.fs.chmodSync(`${dir.path}/sub/file`, 0o600)
    facade.fs.chmodSync(`${dir.path}/sub/dir`, 0o700)
    facade.fs.lutimesSync(`${dir.path}/sub/link`, 1, 1)
    expect(facade.fs.statSync(`${dir.path}/sub`).mtimeMs).toBe(2000)
    facade.fs.writeFileSync(`${dir.path}/sub/new`, '')
    expect(facade.fs.statSync(`${dir.path}/sub`).mtimeMs).toBeGreaterThan(2000)
  })

  it('of a link itself are set by lutimes', () => {
    facade.fs.lutimesSync(`${dir.path}/link`, 1, 2)
    expect(facade.fs.lstatSync(`${dir.path}/link`).mtimeMs).toBe(2000)
    expect(facade.fs.statSync(`${dir.path}/link`).mtimeMs).toBeGreaterThan(2000)
    expect(facade.fs.readlinkSync(`${dir.path}/link`)).toBe('file')
  })

  it('names the system calls that Node names', () => {
    const missing = `${dir.path}/none`
    expect(() => facade.fs.utimesSync(missing, 1, 1)).toThrow(`ENOENT: no such file or directory, utime '${missing}'`)
    expect(() => facade.fs.lutimesSync(missing, 1, 1)).toThrow(`ENOENT: no such file or directory, lutime '${missing}'`)
  })
})

describe('a denied call', () => {
  it.each([
    ['chmod', 0o600],
    ['chown', -1, -1],
    ['lchown', -1, -1],
    ['utimes', 1, 1],
    ['lutimes', 1, 1],
  ] as const)('%s stages nothing, in no form', async (op, ...args) => {
    const { fs: denied, overlay } = createBareFacade(dir.path, () => ({
      verdict: 'deny',
      denial: { reason: 'scope_violation', message: 'No.' },
    }))
    const functions = denied as unknown as Record<string, (...args: unknown[]) => unknown>
    const promised = denied.promises as unknown as typeof functions
    const fails = expect.objectContaining({ code: 'EACCES', reason: 'scope_violation' })
    expect(() => functions[`${op}Sync`]?.(file, ...args)).toThrow(fails)
    await expect(promised[op]?.(file, ...args)).rejects.toEqual(fails)
    await expect(new Promise((resolve) => functions[op]?.(file, ...args, resolve))).resolves.toEqual(fails)
    expect(overlay.stage.tree.empty).toBe(true)
  })
})
