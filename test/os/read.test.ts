import { describe, expect, it } from 'vitest'
import { ifReadable, ifThere } from '../../src/os/read.js'

const failing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}

describe('reading a directory', () => {
  it('gives nothing if another program has removed it meanwhile', () => {
    expect(ifThere('src', () => ['a'])).toEqual(['a'])
    expect(ifThere('src', failing('ENOENT'))).toBeUndefined()
    expect(() => ifThere('src', failing('EIO'))).toThrow('EIO')
  })

  it('names a directory whose name is not UTF-8, because its files have no paths', () => {
    expect(() => ifThere('src/\ufffd', failing('ENOENT'))).toThrow(
      /^The name of the directory src\/\ufffd is not UTF-8/,
    )
  })

  it('gives nothing if this user has no access, and only then', () => {
    expect(ifReadable(() => ['a'])).toEqual(['a'])
    expect(ifReadable(failing('EACCES'))).toBeUndefined()
    expect(() => ifReadable(failing('ENOENT'))).toThrow('ENOENT')
  })
})
