import { lstatSync } from 'node:fs'
import { posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeOf } from '../../overlay/errno.js'
import { asRelPath, checkName, isClean, isWithin, lexical, pathText } from '../../overlay/path.js'

const codeFrom = (run: () => unknown): string | undefined => {
  try {
    run()
  } catch (error) {
    return codeOf(error)
  }
  return 'no error'
}

const segments = fc.array(fc.constantFrom('a', 'b.c', '.', '..', '', '...', '.x', 'é'), { minLength: 1, maxLength: 8 })
const spelling = segments.map((parts) => parts.join('/'))

describe('pathText', () => {
  it('accepts strings, Buffers of UTF-8 and file URLs for the same name', () => {
    const name = '/tmp/a b/é%'
    for (const input of [name, Buffer.from(name), new Uint8Array(Buffer.from(name)), pathToFileURL(name)])
      expect(pathText(input)).toBe(name)
  })

  it('refuses an invalid path with the host’s own error', () => {
    for (const input of [undefined, null, 7, {}, [], '\0', 'a\0b', Buffer.from('a\0'), new URL('http://x/y')]) {
      const host = codeFrom(() => lstatSync(input as string))
      expect(host).toMatch(/^ERR_/)
      expect(
        codeFrom(() => pathText(input)),
        String(input),
      ).toBe(host)
    }
  })

  it('refuses a URL with an encoded slash, a host, or invalid text', () => {
    expect(codeFrom(() => pathText(new URL('file:///a%2fb')))).toMatch(/^ERR_INVALID_FILE_URL/)
    expect(codeFrom(() => pathText(new URL('file://host/a')))).toMatch(/^ERR_INVALID_FILE_URL/)
    expect(codeFrom(() => pathText(new URL('file:///a%00b')))).toMatch(/^ERR_INVALID_ARG/)
  })

  it('refuses bytes that are not UTF-8, because two such names would become one', () => {
    expect(codeFrom(() => pathText(Buffer.from([0x61, 0xff])))).toBe('EILSEQ')
    expect(codeFrom(() => pathText(Buffer.from([0xc0, 0xaf])))).toBe('EILSEQ')
  })

  it('keeps a byte order mark, which is part of the name', () => {
    expect(pathText(Buffer.from('\ufeffa'))).toBe('\ufeffa')
  })

  it('refuses a path that is too long in bytes', () => {
    expect(pathText('x'.repeat(4095))).toHaveLength(4095)
    expect(codeFrom(() => pathText('x'.repeat(4096)))).toBe('ENAMETOOLONG')
    expect(codeFrom(() => pathText('é'.repeat(2048)))).toBe('ENAMETOOLONG')
    expect(codeFrom(() => checkName('é'.repeat(128)))).toBe('ENAMETOOLONG')
    expect(codeFrom(() => checkName('é'.repeat(127)))).toBe('no error')
  })
})

describe('lexical', () => {
  it('is the normal form of the name, or undefined if the name leaves the root', () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const wanted = posix.normalize(`./${text}`).replace(/\/$/, '')
        const found = lexical(text)
        if (wanted === '..' || wanted.startsWith('../')) expect(found).toBeUndefined()
        else expect(found).toBe(wanted === '.' ? '' : wanted)
      }),
    )
  })

  it('returns only clean paths, and keeps a clean one', () => {
    fc.assert(
      fc.property(spelling, (text) => {
        const found = lexical(text)
        if (found === undefined || found === '') return
        expect(isClean(found)).toBe(true)
        expect(lexical(found)).toBe(found)
        expect(asRelPath(found)).toBe(found)
      }),
    )
  })
})

describe('a relative path', () => {
  it('has no segment that leads elsewhere', () => {
    for (const text of ['/a', 'a/', 'a//b', '.', '..', 'a/..', './a', '../a', 'a/./b', '/'])
      expect(
        codeFrom(() => asRelPath(text)),
        text,
      ).toBe('EINVAL')
    for (const text of ['', 'a', '.a', '..a', 'a.', 'a..', '...', 'a/.../b', ' ', '\\'])
      expect(asRelPath(text)).toBe(text)
  })

  it('is within a directory by whole segments', () => {
    expect(isWithin('a/b', 'a')).toBe(true)
    expect(isWithin('a', 'a')).toBe(true)
    expect(isWithin('ab', 'a')).toBe(false)
    expect(isWithin('a', 'a/b')).toBe(false)
    expect(isWithin('anything', '')).toBe(true)
  })
})
