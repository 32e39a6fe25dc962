import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyBlocks } from '../../../src/agents/roo/apply-diff.js'
import { parseDiffBlocks } from '../../../src/agents/roo/diff-blocks.js'
import { get, inTemporaryDirectory, put, run } from './fake-session.js'

inTemporaryDirectory()

const block = (search: string, replace: string, start?: number) =>
  [
    '<<<<<<< SEARCH',
    ...(start === undefined ? [] : [`:start_line:${start}`, '-------']),
    ...(search === '' ? [] : [search]),
    '=======',
    ...(replace === '' ? [] : [replace]),
    '>>>>>>> REPLACE',
  ].join('\n')

const apply = (diff: string) => run('apply_diff', { path: 'a.ts', diff })

describe('apply_diff', () => {
  it('replaces the lines of each block', async () => {
    put('a.ts', 'one\n  two\nthree\nfour\n')
    const result = await apply(`${block('  two', '  2\n  2b', 2)}\n\n${block('four', '')}`)
    expect(JSON.parse(result.content)).toMatchObject({ path: 'a.ts', operation: 'modified' })
    expect(get('a.ts')).toBe('one\n  2\n  2b\nthree\n')
  })

  it('finds the occurrence nearest to start_line', async () => {
    put('a.ts', 'x\ny\nx\ny\nx\n')
    await apply(block('x', 'X', 4))
    expect(get('a.ts')).toBe('x\ny\nX\ny\nx\n')
  })

  it('counts start_line in the file before the first block', async () => {
    put('a.ts', 'x\nb\nx\n')
    await apply(`${block('x', '1\n2\n3', 1)}\n${block('x', 'last', 3)}`)
    expect(get('a.ts')).toBe('1\n2\n3\nb\nlast\n')
  })

  it('keeps CRLF, a missing last line end, and the ends of unchanged lines', async () => {
    put('a.ts', 'one\r\ntwo\nthree\r\nfour')
    await apply(block('two\nthree\nfour', 'two\n3\n4'))
    expect(get('a.ts')).toBe('one\r\ntwo\n3\r\n4')
  })

  it('takes $& literally, unescapes markers, and strips line numbers if every line has one', async () => {
    put('a.ts', '=======\nprice\nz\n')
    await apply(block('\\=======\nprice', '\\<<<<<<< ours\n$&'))
    expect(get('a.ts')).toBe('<<<<<<< ours\n$&\nz\n')
    await apply(block('2 | $&\n3 | z', '2 | q'))
    expect(get('a.ts')).toBe('<<<<<<< ours\nq\n')
  })

  it("shows the file's lines when the text is not found, and changes nothing", async () => {
    put('a.ts', 'one\n    two\nthree\n')
    const result = await apply(`${block('one', '1')}\n${block('\ttwo', '2')}`)
    expect(result.isError).toBe(true)
    expect(JSON.parse(result.content).error).toContain('2 |     two')
    expect(get('a.ts')).toBe('one\n    two\nthree\n')
  })

  it('reports another occurrence when start_line is far off', async () => {
    put('a.ts', `${'-\n'.repeat(100)}here\n`)
    expect((await apply(block('here', 'there', 2))).content).toContain('line 101')
  })

  it.each([
    ['no block', 'just text', 'no SEARCH/REPLACE block'],
    ['no divider', '<<<<<<< SEARCH\nx\n>>>>>>> REPLACE', "'======='"],
    ['no end', '<<<<<<< SEARCH\nx\n=======\ny', 'ends before'],
    ['a block in a block', '<<<<<<< SEARCH\nx\n<<<<<<< SEARCH\n=======\ny\n>>>>>>> REPLACE', 'Line 3'],
    ['a divider outside', `=======\n${block('x', 'y')}`, 'Line 1'],
    ['an empty search', block('', 'y'), 'is empty'],
    ['the same on both sides', block('x', 'x'), 'nothing to change'],
    ['a text that occurs twice', block('x', 'y'), 'at lines 1, 2'],
    ['two blocks on one line', `${block('x\nx', 'y')}\n${block('x', 'z', 2)}`, 'Two blocks'],
  ])('%s is an error', async (_what, diff, message) => {
    put('a.ts', 'x\nx\n')
    const { content, isError } = await apply(diff)
    expect(isError).toBe(true)
    expect(JSON.parse(content).error).toContain(message)
    expect(get('a.ts')).toBe('x\nx\n')
  })

  it('applies any set of line replacements on any file', () => {
    const line = fc.constantFrom('a', 'b', ' b', '=======', '>>>>>>> REPLACE', ':start_line:3', '$&', '7| n')
    const edits = fc.array(fc.tuple(fc.nat(), fc.array(line, { minLength: 1, maxLength: 3 })), { maxLength: 5 })
    const file = fc.array(line, { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(file, fc.constantFrom('\n', '\r\n'), edits, (texts, end, wanted) => {
        const replaced = new Map(wanted.map(([at, lines]) => [at % texts.length, lines]))
        for (const [at, lines] of replaced) if (lines.join('\n') === texts[at]) replaced.delete(at)
        fc.pre(replaced.size > 0)
        const escapeMarkers = (text: string) => text.replace(/^(?=[=>:])/, '\\')
        const diff = [...replaced].map(([at, lines]) =>
          block(escapeMarkers(texts[at] ?? ''), lines.map(escapeMarkers).join('\n'), at + 1),
        )
        const join = (lines: readonly string[]) => lines.map((text) => text + end).join('')
        const expected = join(texts.flatMap((text, index) => replaced.get(index) ?? [text]))
        expect(applyBlocks(join(texts), parseDiffBlocks(diff.join('\n')), 'a.ts')).toBe(expected)
      }),
    )
  })
})
