import { chmodSync, lstatSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { entryStamp, fileStamp, fileStampAt, isSettled, sizeInStamp } from '../../overlay/file-stamp.js'
import { tempDir } from '../support/facade.js'

const dirs: { dispose(): void }[] = []
afterEach(() => {
  for (const dir of dirs.splice(0)) dir.dispose()
})

function makeDir(): string {
  const dir = tempDir()
  dirs.push(dir)
  return dir.path
}

const big = (path: string) => statSync(path, { bigint: true })

describe('fileStamp', () => {
  it('changes when bytes are replaced by as many others and the mtime is restored', () => {
    const file = join(makeDir(), 'a.txt')
    writeFileSync(file, 'one')
    utimesSync(file, 1_000, 1_000)
    const before = fileStamp(big(file))
    writeFileSync(file, 'two')
    utimesSync(file, 1_000, 1_000)
    expect(fileStamp(big(file))).not.toBe(before)
  })

  it('contains the size of the file', () => {
    const file = join(makeDir(), 'a.txt')
    writeFileSync(file, 'seven b')
    expect(sizeInStamp(fileStamp(big(file)))).toBe(7)
  })
})

describe('fileStampAt', () => {
  it('is undefined for a name that does not exist', () => {
    expect(fileStampAt(join(makeDir(), 'none'))).toBeUndefined()
  })

  it('is the stamp of the file that a link leads to', () => {
    const dir = makeDir()
    writeFileSync(join(dir, 'a.txt'), 'a')
    symlinkSync('a.txt', join(dir, 'link'))
    expect(fileStampAt(join(dir, 'link'))).toBe(fileStampAt(join(dir, 'a.txt')))
  })
})

describe('entryStamp', () => {
  it('changes with the mode', () => {
    const file = join(makeDir(), 'a.txt')
    writeFileSync(file, 'a')
    const before = big(file)
    chmodSync(file, 0o600)
    expect(entryStamp(Object.assign(big(file), { ctimeNs: before.ctimeNs }))).not.toBe(entryStamp(before))
  })

  it('is empty for a missing entry', () => {
    expect(entryStamp(undefined)).toBe('')
  })
})

describe('isSettled', () => {
  it.each([
    ['a change 50 ms before the stat', 1_000_000.5, 50, false],
    ['a change more than 50 ms before it', 1_000_000.5, 51, true],
    ['a whole second, as coarse filesystems keep it, within 3 s', 1_000_000, 3_000, false],
    ['a whole second more than 3 s before', 1_000_000, 3_001, true],
    ['a time in the future', 1_000_000.5, -1, false],
  ])('%s', (_, changed, age, settled) => {
    expect(isSettled(changed, changed + age)).toBe(settled)
  })

  it('accepts the times that lstat gives in milliseconds', () => {
    const file = join(makeDir(), 'a.txt')
    writeFileSync(file, 'a')
    expect(isSettled(lstatSync(file).ctimeMs)).toBe(false)
  })
})
