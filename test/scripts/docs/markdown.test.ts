import { describe, expect, it } from 'vitest'
import { fillParts, table } from '../../../scripts/docs/markdown.js'

const place = (name: string, text = '') => `<!-- generated: ${name} -->\n${text}<!-- end -->`

describe('a document with generated parts', () => {
  it('regenerates each part, and keeps the text around it', async () => {
    const parts = { one: () => '1 $& $1', two: async () => '2' }
    const text = await fillParts(`before\n${place('one', 'old\n')}\nbetween\n${place('two')}\nafter\n`, parts)
    expect(text).toBe(`before\n${place('one', '\n1 $& $1\n\n')}\nbetween\n${place('two', '\n2\n\n')}\nafter\n`)
    expect(await fillParts(text, parts)).toBe(text)
  })

  it('is an error for a part without a place, or a place without a part', async () => {
    await expect(fillParts('no place', { one: () => '1' })).rejects.toThrow('The document has no place for one.')
    await expect(fillParts(place('two'), {})).rejects.toThrow('The part two is unknown.')
  })
})

describe('a table', () => {
  it('has aligned columns, and escapes bars in cells', () => {
    expect(table(['a', 'b'], [['x|y\nz', '']])).toBe('| a      | b   |\n| ------ | --- |\n| x\\|y z |     |')
  })
})
