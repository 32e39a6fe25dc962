import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory, put, run } from './fake-session.js'

inTemporaryDirectory()

const text = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`).join('\n')

describe('read_file', () => {
  it('shows lines with aligned numbers', async () => {
    put('a.ts', `${text}\n`)
    const { content, isError } = await run('read_file', { path: 'a.ts' })
    expect(isError).toBe(false)
    expect(content).toMatch(/^File: a\.ts\n 1 \| line 1\n/)
    expect(content.split('\n')).toHaveLength(13)
    expect(content.endsWith('12 | line 12')).toBe(true)
  })

  it('shows a range, and how to read the next one', async () => {
    put('a.ts', text)
    const { content } = await run('read_file', {
      path: 'a.ts',
      mode: 'slice',
      offset: 3,
      limit: '2',
      indentation: null,
    })
    expect(content).toContain('Lines 3-4 of 12.')
    expect(content).toContain('offset=5 and limit=2')
    expect(content.endsWith('3 | line 3\n4 | line 4')).toBe(true)
  })

  it('treats null arguments as omitted ones', async () => {
    put('a.ts', 'x\n')
    expect((await run('read_file', { path: 'a.ts', mode: null, offset: null, limit: null })).isError).toBe(false)
  })

  it('reads the older form: several files, and ranges', async () => {
    put('a.ts', text)
    put('b.ts', 'only\n')
    const files = [
      { path: 'a.ts', line_ranges: [[2, 3], { start: 12, end: 12 }] },
      { path: 'b.ts' },
      { path: 'absent.ts' },
    ]
    const { content, isError } = await run('read_file', { files })
    expect(isError).toBe(false)
    expect(content).toContain('2 | line 2\n3 | line 3')
    expect(content).toContain('12 | line 12')
    expect(content).not.toContain('4 | line 4')
    expect(content).toContain('File: b.ts\n1 | only')
    expect(content).toContain('File: absent.ts\nError: File not found')
  })

  it('shows the block around a line', async () => {
    put('a.ts', 'function a() {\n  one()\n}\nfunction b() {\n  two()\n}\n')
    const args = { path: 'a.ts', mode: 'indentation', indentation: { anchor_line: 5, include_header: true } }
    const { content } = await run('read_file', args)
    expect(content.endsWith('4 | function b() {\n5 |   two()\n6 | }')).toBe(true)
    expect(content).not.toContain('one()')
  })

  it('says that a file is empty', async () => {
    put('a.ts', '')
    expect((await run('read_file', { path: 'a.ts' })).content).toContain('the file is empty')
  })

  it.each([
    ['an absent file', { path: 'no.ts' }, 'File not found: no.ts'],
    ['a directory', { path: 'dir' }, 'is a directory'],
    ['bytes that are not UTF-8', { path: 'bytes' }, 'not a UTF-8 text'],
    ['text with a zero byte', { path: 'zero' }, 'binary'],
    ['a line past the end', { path: 'a.ts', offset: 99 }, 'there is no line 99'],
    ['an unknown mode', { path: 'a.ts', mode: 'all' }, 'Wrong arguments'],
    ['an offset of 0', { path: 'a.ts', offset: 0 }, 'Wrong arguments'],
    ['no file at all', { files: [] }, 'Wrong arguments'],
    ['no path', {}, 'A path is required'],
  ])('%s is an error', async (_what, args, message) => {
    put('a.ts', 'x\n')
    put('dir/b.ts', 'x')
    put('bytes', Uint8Array.of(0xff, 0xfe, 0x41))
    put('zero', 'a\0b')
    const { content, isError } = await run('read_file', args)
    expect(isError).toBe(true)
    expect(content).toContain(message)
  })
})
