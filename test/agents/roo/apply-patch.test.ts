import { existsSync, readdirSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../../src/agents/roo/index.js'
import { applyChunks } from '../../../src/agents/roo/patch-chunks.js'
import { parsePatch } from '../../../src/hooks/patch-parser.js'
import { fakeSession, get, inTemporaryDirectory, put, run } from './fake-session.js'

const place = inTemporaryDirectory()

const patch = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
const apply = (...lines: string[]) => run('apply_patch', { patch: patch(...lines) })

describe('apply_patch', () => {
  it('adds, updates, moves and deletes in one call', async () => {
    put('a.ts', 'one\ntwo\nthree\n')
    put('b.ts', 'b\n')
    put('c.ts', 'c\n')
    const { content } = await apply(
      '*** Add File: new/d.ts',
      '+first',
      '+',
      '*** Update File: a.ts',
      '@@',
      ' one',
      '-two',
      '+2',
      '*** Update File: b.ts',
      '*** Move to: moved/b.ts',
      '@@',
      '-b',
      '+B',
      '*** Delete File: c.ts',
    )
    expect(JSON.parse(content).files).toEqual([
      { path: 'new/d.ts', operation: 'created' },
      { path: 'a.ts', operation: 'modified' },
      { path: 'moved/b.ts', operation: 'moved', from: 'b.ts' },
      { path: 'c.ts', operation: 'deleted' },
    ])
    expect([get('new/d.ts'), get('a.ts'), get('moved/b.ts')]).toEqual(['first\n\n', 'one\n2\nthree\n', 'B\n'])
    expect([existsSync('b.ts'), existsSync('c.ts')]).toEqual([false, false])
  })

  it('has every path judged before it starts, by the same parse that is applied', async () => {
    const fake = fakeSession()
    put('a.ts', 'a\n')
    await createRooTools(fake.session).execute({
      id: 'c',
      name: 'apply_patch',
      arguments: {
        patch: patch(
          '*** Add File: x.ts',
          '+x',
          '   *** Delete File:   y.ts  ',
          '\t*** Update File: a.ts ',
          '  *** Move to:  z.ts  ',
          '@@',
          '-a',
          '+b',
        ),
      },
    })
    expect(fake.calls[0]?.writes).toEqual([
      { path: 'x.ts', effect: 'put' },
      { path: 'y.ts', effect: 'remove' },
      { path: 'a.ts', effect: 'move' },
      { path: 'z.ts', effect: 'put' },
    ])
  })

  it('keeps both of two updates of one file, however the path is spelled', async () => {
    put('a.ts', 'one\ntwo\nthree\n')
    await apply(
      '*** Update File: a.ts',
      '@@',
      '-one',
      '+1',
      '*** Update File: ./a.ts',
      '@@',
      '-two',
      '+2',
      `*** Update File: ${place.root}/a.ts`,
      '@@',
      '-three',
      '+3',
    )
    expect(get('a.ts')).toBe('1\n2\n3\n')
  })

  it('sees its own adds, deletes and moves', async () => {
    put('a.ts', 'a\n')
    const { isError } = await apply(
      '*** Update File: a.ts',
      '*** Move to: b.ts',
      '*** Add File: a.ts',
      '+new',
      '*** Update File: b.ts',
      '@@',
      '-a',
      '+moved',
    )
    expect(isError).toBe(false)
    expect([get('a.ts'), get('b.ts')]).toEqual(['new\n', 'moved\n'])
  })

  it('changes nothing when a later part fails', async () => {
    put('a.ts', 'a\n')
    const { isError, content } = await apply(
      '*** Add File: new.ts',
      '+x',
      '*** Update File: a.ts',
      '@@',
      '-not there',
      '+x',
    )
    expect(isError).toBe(true)
    expect(JSON.parse(content).error).toContain('not there')
    expect(readdirSync('.')).toEqual(['a.ts'])
  })

  it.each([
    ['adding an existing file', ['*** Add File: a.ts', '+x'], 'already exists'],
    [
      'moving onto an existing file',
      ['*** Update File: a.ts', '*** Move to: b.ts', '@@', '-a', '+b'],
      'already exists',
    ],
    ['deleting a missing file', ['*** Delete File: no.ts'], 'File not found'],
    ['updating a deleted file', ['*** Delete File: a.ts', '*** Update File: a.ts', '@@', '-a'], 'removes it'],
    ['an unknown header', ['*** Copy File: a.ts'], 'Line 2'],
    ['no path', ['*** Add File: '], 'names no path'],
    ['no operation', ['', ''], 'no file operation'],
    ['an update without a change', ['*** Update File: a.ts'], 'no change'],
    ['a chunk without a line', ['*** Update File: a.ts', '@@'], 'no line'],
    ['a line without a prefix', ['*** Update File: a.ts', '@@', '-a', 'b'], "must begin with a space, '-' or '+'"],
    ['an absent @@ line', ['*** Update File: a.ts', '@@ class Nope', '-a', '+b'], 'class Nope'],
  ])('%s is an error', async (_what, lines, message) => {
    put('a.ts', 'a\n')
    put('b.ts', 'b\n')
    const { isError, content } = await apply(...lines)
    expect(isError).toBe(true)
    expect(JSON.parse(content).error).toContain(message)
    expect([get('a.ts'), get('b.ts')]).toEqual(['a\n', 'b\n'])
  })

  it.each([
    ['no begin', '*** Add File: a\n+x\n*** End Patch'],
    ['no end', '*** Begin Patch\n*** Add File: a\n+x'],
    ['nothing', ''],
  ])('a patch with %s is an error', async (_what, text) => {
    expect((await run('apply_patch', { patch: text })).isError).toBe(true)
    expect(readdirSync('.')).toEqual([])
  })

  it('reads a patch in a heredoc, with CRLF and blank lines around', async () => {
    const inner = patch('', '*** Add File: a.ts', '+x', '')
    await run('apply_patch', { patch: `\n<<'EOF'\n${inner}\nEOF\n`.replaceAll('\n', '\r\n') })
    expect(get('a.ts')).toBe('x\n')
  })
})

describe('chunks', () => {
  const update = (content: string, ...lines: string[]) => {
    const [operation] = parsePatch(patch('*** Update File: a.ts', ...lines))
    if (operation?.type !== 'update') throw new Error('not an update')
    return applyChunks(content, operation.chunks, 'a.ts')
  }

  it('an @@ line selects among equal places', () => {
    const file = 'class A\n  run()\nclass B\n  run()\n'
    expect(update(file, '@@ class B', '-  run()', '+  go()')).toBe('class A\n  run()\nclass B\n  go()\n')
  })

  it('later chunks are searched below earlier ones', () => {
    expect(update('x\ny\nx\n', '@@', '-x', '+1', '@@', '-x', '+2')).toBe('1\ny\n2\n')
  })

  it('added lines go below their @@ line, or to the end', () => {
    expect(update('a\nb\n', '@@ a', '+new')).toBe('a\nnew\nb\n')
    expect(update('a\nb\n', '@@', '+new')).toBe('a\nb\nnew\n')
    expect(update('a\nb', '@@', '+new')).toBe('a\nb\nnew')
  })

  it('End of File matches only at the end', () => {
    expect(update('x\ny\nx\n', '@@', '-x', '+end', '*** End of File')).toBe('x\ny\nend\n')
    expect(() => update('x\ny\n', '@@', '-x', '+end', '*** End of File')).toThrow('not found')
  })

  it('keeps CRLF, and trailing white space of kept lines', () => {
    expect(update('a  \r\nb\r\nc', '@@', ' a', '-b', '+B')).toBe('a  \r\nB\r\nc')
  })

  it('a blank line counts as kept, except right before the next header', () => {
    expect(update('a\n\nb\n', ' a', '', '-b', '+c')).toBe('a\n\nc\n')
    expect(update('a\nb\n', '-a', '+A', '', '@@', '-b', '+B', '')).toBe('A\nB\n')
  })

  it('a line of the file that looks like a header is text', () => {
    expect(update('*** Add File: x\n', '@@', '-*** Add File: x', '+y')).toBe('y\n')
  })

  it('applies the difference of any two files', () => {
    const line = fc.constantFrom('a', 'b', ' b', '', '***', '@@ x', '+', '-')
    const file = fc.array(line, { minLength: 1, maxLength: 15 })
    fc.assert(
      fc.property(
        file,
        fc.array(fc.array(line, { maxLength: 2 })),
        fc.constantFrom('\n', '\r\n'),
        (texts, edits, end) => {
          // Each line of the file is kept or replaced; the whole file is one chunk.
          const fates = texts.map((_, index) => edits[index])
          const lines = texts.flatMap((text, index) => {
            const fate = fates[index]
            return fate === undefined ? [` ${text}`] : [`-${text}`, ...fate.map((added) => `+${added}`)]
          })
          const join = (all: readonly string[]) => all.map((text) => text + end).join('')
          const expected = join(texts.flatMap((text, index) => fates[index] ?? [text]))
          expect(update(join(texts), '@@', ...lines)).toBe(expected)
        },
      ),
    )
  })
})
