import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { replaceText } from '../../../src/agents/roo/replace-text.js'
import { get, inTemporaryDirectory, put, run } from './fake-session.js'

inTemporaryDirectory()

const edit = (old_string: string, new_string: string, more = {}, tool = 'edit') =>
  run(tool, { file_path: 'a.ts', old_string, new_string, ...more })

describe('edit', () => {
  it('replaces one text, under both its names', async () => {
    put('a.ts', 'const a = 1\nconst b = 2\n')
    expect(JSON.parse((await edit('a = 1', 'a = 3')).content)).toMatchObject({ path: 'a.ts', operation: 'modified' })
    await edit('b = 2', 'b = 4', {}, 'search_and_replace')
    expect(get('a.ts')).toBe('const a = 3\nconst b = 4\n')
  })

  it('takes $& and $1 in the new text literally', async () => {
    put('a.ts', 'price\n')
    await edit('price', "$& $1 $$ $'")
    expect(get('a.ts')).toBe("$& $1 $$ $'\n")
  })

  it('keeps CRLF, whatever line ends the model writes', async () => {
    put('a.ts', 'one\r\ntwo\r\nthree\r\n')
    await edit('one\ntwo', 'ONE\nTWO')
    expect(get('a.ts')).toBe('ONE\r\nTWO\r\nthree\r\n')
    await edit('TWO\r\nthree', '2\r\n3')
    expect(get('a.ts')).toBe('ONE\r\n2\r\n3\r\n')
  })

  it('replaces all when asked', async () => {
    put('a.ts', 'x x\r\nx')
    await edit('x', 'yy', { replace_all: true })
    expect(get('a.ts')).toBe('yy yy\r\nyy')
  })

  it.each([
    ['a missing text', 'no', 'x', {}, 'does not occur'],
    ['a text that occurs twice', 'x', 'y', {}, 'occurs 2 times'],
    ['the same text', 'x', 'x', {}, 'nothing to change'],
    ['an empty search text', '', 'x', {}, 'Wrong arguments'],
  ])('%s is an error and changes nothing', async (_what, from, to, more, message) => {
    put('a.ts', 'x x\n')
    const { content, isError } = await edit(from, to, more)
    expect(isError).toBe(true)
    expect(content).toContain(message)
    expect(get('a.ts')).toBe('x x\n')
  })

  it('of an absent file is an error', async () => {
    expect((await edit('a', 'b')).content).toContain('File not found: a.ts')
  })
})

describe('search_replace and edit_file', () => {
  it('search_replace takes one occurrence only', async () => {
    put('a.ts', 'x y y')
    expect((await edit('x', 'z', {}, 'search_replace')).isError).toBe(false)
    expect((await edit('y', 'z', {}, 'search_replace')).isError).toBe(true)
    expect(get('a.ts')).toBe('z y y')
  })

  it('edit_file counts, and creates from an empty old_string', async () => {
    put('a.ts', 'x x')
    expect((await edit('x', 'y', { expected_replacements: 3 }, 'edit_file')).content).toContain('expected 3')
    await edit('x', 'y', { expected_replacements: 2 }, 'edit_file')
    expect(get('a.ts')).toBe('y y')
    expect((await edit('', 'new', {}, 'edit_file')).content).toContain('a.ts exists')
    const created = await run('edit_file', { file_path: 'b.ts', old_string: '', new_string: 'new' })
    expect(JSON.parse(created.content)).toMatchObject({ operation: 'created' })
    expect(get('b.ts')).toBe('new')
  })
})

describe('replaceText', () => {
  const lines = fc.array(fc.tuple(fc.constantFrom('a', 'ab', '', 'b$&', ' c'), fc.constantFrom('\n', '\r\n')), {
    maxLength: 8,
  })
  const text = lines.map((parts) => parts.flat().join(''))

  it('gives the result of replaceAll, whatever the line ends', () => {
    fc.assert(
      fc.property(
        text,
        fc.constantFrom('a', 'a\n', '\n', 'ab\r\n', 'b$&', '\nb'),
        fc.constantFrom('', 'X', 'X\nY', '$&'),
        (content, from, to) => {
          const lf = (value: string) => value.replaceAll('\r\n', '\n')
          const { content: result, count } = replaceText(content, from, to)
          expect(lf(result)).toBe(lf(content).split(lf(from)).join(to))
          expect(count).toBe(lf(content).split(lf(from)).length - 1)
          if (count === 0) expect(result).toBe(content)
        },
      ),
    )
  })
})
