import { describe, expect, it } from 'vitest'
import { filled, table } from '../../../scripts/docs/markdown.js'

const place = (name: string, text = '') => `<!-- generated: ${name} -->\n${text}<!-- /generated -->`

describe('a document with generated parts', () => {
  it('gets each part anew, and keeps what stands around it', async () => {
    const parts = { one: () => '1 $& $1', two: async () => '2' }
    const text = await filled(`before\n${place('one', 'old\n')}\nbetween\n${place('two')}\nafter\n`, parts)
    expect(text).toBe(`before\n${place('one', '\n1 $& $1\n\n')}\nbetween\n${place('two', '\n2\n\n')}\nafter\n`)
    expect(await filled(text, parts)).toBe(text)
  })

  it('is an error where a part has no place, or a place no part', async () => {
    await expect(filled('no place', { one: () => '1' })).rejects.toThrow('No place for the generated one.')
    await expect(filled(place('two'), {})).rejects.toThrow('Nobody makes the part two.')
  })
})

describe('a table', () => {
  it('has columns of one width, and its bars in cells do not end them', () => {
    expect(table(['a', 'b'], [['x|y\nz', '']])).toBe('| a      | b   |\n| ------ | --- |\n| x\\|y z |     |')
  })
})
