import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { editJson, parseJsonc } from '../../src/os/json-edit.js'

describe('an edit of JSON', () => {
  it('keeps the layout, the comments and the commas of what it does not change', () => {
    const before = '{\r\n\t// mine\r\n\t"a": [1,2 , 3], /* b */ "b": {"c": 1},\r\n}\r\n'
    expect(editJson(before, { a: [1, 2, 3], b: { c: 1, d: [true] }, e: { f: 1 } })).toBe(
      '{\r\n\t// mine\r\n\t"a": [1,2 , 3], /* b */ "b": {"c": 1, "d": [true]},\r\n\t"e": {\r\n\t\t"f": 1\r\n\t},\r\n}\r\n',
    )
    expect(editJson(before, { a: [1, 3], b: { c: 2 } })).toBe(
      '{\r\n\t// mine\r\n\t"a": [1 , 3], /* b */ "b": {"c": 2},\r\n}\r\n',
    )
  })

  it('restores the text when an addition is removed', () => {
    // The parser of comments drops a key of this name.
    const values = fc
      .jsonValue({ maxDepth: 3 })
      // No JSON text parses to -0.
      .map((value) => JSON.parse(JSON.stringify(value)))
      .filter((value) => !JSON.stringify(value).includes('__proto__'))
    const names = fc.string({ unit: 'binary' }).filter((name) => name !== '__proto__')
    const objects = fc.dictionary(names, values, { minKeys: 1, noNullPrototype: true })
    const layouts = fc.constantFrom(undefined, 2, '\t')
    fc.assert(
      fc.property(objects, names, values, values, layouts, fc.boolean(), (mine, name, value, item, layout, isDos) => {
        fc.pre(!Object.hasOwn(mine, name))
        const first = { ...mine, list: [0], last: { a: 1 } }
        const text = JSON.stringify(first, null, layout)
        const before = isDos ? text.replaceAll('\n', '\r\n') : text
        const after = { ...first, list: [0, item], last: { a: 1, b: value }, [name]: value }
        fc.pre(!['list', 'last'].includes(name))
        const edited = editJson(before, after)
        expect(parseJsonc(edited)).toEqual(JSON.parse(JSON.stringify(after)))
        expect(editJson(edited, first)).toBe(before)
      }),
    )
  })

  it('reports the position of a syntax error', () => {
    expect(() => parseJsonc('{"a": }')).toThrow('position 6')
  })
})
