import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { ensureDir, ensurePrivateDir } from '../../src/os/write.js'

let dir = ''
beforeEach(() => {
  dir = fs.mkdtempSync(join(tmpdir(), 'ensure-'))
  onTestFinished(() => fs.rmSync(dir, { recursive: true, force: true }))
})
const modeOf = (path: string) => fs.statSync(path).mode & 0o777

describe('creating a directory with its parents', () => {
  it('creates all of them, private if requested, and returns the first one', () => {
    expect(ensurePrivateDir(`${dir}/a/b/c`)).toBe(`${dir}/a`)
    for (const path of ['a', 'a/b', 'a/b/c']) expect(modeOf(`${dir}/${path}`)).toBe(0o700)
    expect(ensureDir(`${dir}/a/d/`)).toBe(`${dir}/a/d/`)
  })

  it('leaves an existing one, also behind a link', () => {
    fs.mkdirSync(`${dir}/real`, 0o755)
    fs.symlinkSync('real', `${dir}/link`)
    expect(ensurePrivateDir(`${dir}/link`)).toBeUndefined()
    expect(ensurePrivateDir(`${dir}/link/in`)).toBe(`${dir}/link/in`)
    expect(modeOf(`${dir}/real`)).toBe(0o755)
  })

  it('throws if a file or a broken link is in the way', () => {
    fs.writeFileSync(`${dir}/file`, '')
    fs.symlinkSync('absent', `${dir}/broken`)
    expect(() => ensureDir(`${dir}/file`)).toThrow(expect.objectContaining({ code: 'EEXIST' }))
    expect(() => ensureDir(`${dir}/file/in`)).toThrow(expect.objectContaining({ code: 'ENOTDIR' }))
    expect(() => ensureDir(`${dir}/broken/in`)).toThrow(expect.objectContaining({ code: 'EEXIST' }))
  })

  it('throws in a file system that creates no directories', () => {
    expect(() => ensureDir('/proc/absent/in')).toThrow(expect.objectContaining({ code: 'ENOENT' }))
  })
})
