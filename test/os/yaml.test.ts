import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYaml } from '../../src/os/yaml.js'
import { compileOnce } from '../support/compiled.js'

const read = (text: string | Uint8Array) => readYaml(typeof text === 'string' ? Buffer.from(text) : text)

function problem(text: string | Uint8Array) {
  const result = read(text)
  return result.ok ? undefined : result.problem
}

describe('bad input', () => {
  it.each<[name: string, text: string | Uint8Array, line: number, column: number, message: RegExp]>([
    ['an alias bomb', 'a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n', 1, 4, /anchors/],
    ['an alias', 'a: 1\nb: *x\n', 2, 4, /aliases/],
    ['a nesting bomb of lists', '['.repeat(20_000), 1, 33, /32 levels/],
    ['a nesting bomb of maps', '{a: '.repeat(20_000), 1, 129, /32 levels/],
    ['a nesting bomb of dashes', '- '.repeat(20_000), 1, 67, /32 levels/],
    ['a nesting bomb of explicit keys', '? '.repeat(20_000), 1, 67, /32 levels/],
    ['a nesting bomb of empty keys', ': '.repeat(20_000), 1, 67, /32 levels/],
    ['nesting hidden behind quoted closers', 'a: ["]", '.repeat(1000), 1, 1, /./],
    ['a file over the size limit', `a: [${'x, '.repeat(100_000)}]`, 1, 1, /256 KiB/],
    ['a duplicate key', 'a: 1\nb: 2\na: 3\n', 3, 1, /unique/],
    ['two documents', 'a: 1\n---\nb: 2\n', 2, 1, /second document/],
    ['a tab for indentation', 'a:\n\tb: 1\n', 2, 1, /tab/i],
    ['a __proto__ key', 'a:\n  __proto__: {x: 1}\n', 2, 3, /__proto__/],
    ['a quoted __proto__ key', '"__proto__": 1\n', 1, 1, /__proto__/],
    ['an unknown tag', 'a: !evil x\n', 1, 4, /tag/i],
    ['a binary tag', 'a: !!binary aGk=\n', 1, 4, /tag/i],
    ['a directive', '%YAML 1.1\n---\na: 1\n', 1, 1, /directives/],
    ['invalid UTF-8', Buffer.from([0x61, 0x3a, 0x20, 0x0a, 0x62, 0xff]), 2, 1, /UTF-8/],
    ['a control character', 'a: 1\nb: \u0007\n', 2, 4, /control/],
    ['an empty file', '', 1, 1, /empty/],
    ['an unclosed list', 'a: [1, 2\n', 1, 1, /./],
    ['an unclosed quote', 'a: "x\n', 1, 1, /./],
    ['a map as a key', '? {a: 1}\n: 2\n', 1, 3, /string/],
  ])('%s', (_, text, line, column, message) => {
    const found = problem(text)
    expect(found?.message).toMatch(message)
    if (message.source !== '.') expect([found?.line, found?.column]).toEqual([line, column])
  })

  it('survives repeated nesting bombs, which abort a process that parses them', () => {
    const script = `
      import { readYaml } from ${JSON.stringify(`${compileOnce()}/src/os/yaml.js`)}
      const bombs = ['[', '{a: ', '- ', '? ', '{', '[[{'].map((each) => Buffer.from(each.repeat(20000 / each.length)))
      for (let i = 0; i < 5; i++) for (const bomb of bombs) if (readYaml(bomb).ok) process.exit(3)
      process.stdout.write('alive')`
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect([child.status, child.stdout, child.signal]).toEqual([0, 'alive', null])
  })

  it('gives a value or a problem with a position in the text, for any text', () => {
    const piece = fc.constantFrom(
      'a',
      ': ',
      '- ',
      '\n',
      '  ',
      '[',
      ']',
      '{',
      '}',
      ',',
      '"',
      "'",
      '#',
      '|',
      '>',
      '&x',
      '*x',
      '!t',
      '---',
      '?',
      '\t',
      '%',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 40 }).map((all) => all.join('')),
          fc.string(),
        ),
        (text) => {
          const found = problem(text)
          if (!found) return
          expect(found.line).toBeGreaterThanOrEqual(1)
          expect(found.line).toBeLessThanOrEqual(text.split('\n').length)
          expect(found.column).toBeGreaterThanOrEqual(1)
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('good input', () => {
  it.each([
    ['a byte order mark', '\ufeffa: 1\n', { a: 1 }],
    ['Windows line ends', 'a: 1\r\nb:\r\n  - x\r\n', { a: 1, b: ['x'] }],
    ['long lines of list items', `a: [${'x, '.repeat(200)}x]`, { a: Array(201).fill('x') }],
    ['brackets in quotes and comments', 'a: "[[[["\n# [[[[\nb: \'{{\'\n', { a: '[[[[', b: '{{' }],
    ['a standard tag', 'a: !!str 1\n', { a: '1' }],
    ['keys of other types', '1: x\ntrue: y\n', { 1: 'x', true: 'y' }],
    ['yes and no, which are strings', 'a: yes\nb: no\n', { a: 'yes', b: 'no' }],
    ['block text', 'a: |\n  one\n    two [\nb: 1\n', { a: 'one\n  two [\n', b: 1 }],
    ['a scalar at the root', 'just text\n', 'just text'],
  ])('%s', (_, text, expected) => {
    const result = read(text)
    expect(result.ok && result.file.value).toEqual(expected)
  })

  it('reads 30 levels', () => {
    expect(read('['.repeat(30) + ']'.repeat(30)).ok).toBe(true)
    expect(read(Array.from({ length: 30 }, (_, i) => `${' '.repeat(i)}k:\n`).join('')).ok).toBe(true)
  })

  it('finds the place of a value, a key, and a missing entry', () => {
    const result = read('a:\n  - id: x\n    n:\n      - 1\n')
    if (!result.ok) throw new Error('unreadable')
    const at = (path: (string | number)[]) => result.file.problem(path, '')
    expect(at(['a', 0, 'n', 0])).toMatchObject({ line: 4, column: 9 })
    expect(at(['a', 0, 'id'])).toMatchObject({ line: 2, column: 5 })
    expect(at(['a', 0, 'gone', 'deeper'])).toMatchObject({ line: 2, column: 5 })
    expect(at([])).toMatchObject({ line: 1, column: 1 })
  })
})
