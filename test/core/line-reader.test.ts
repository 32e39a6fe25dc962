import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LongLineError, lineReader } from '../../src/core/line-reader.js'

function linesOf(chunks: readonly Uint8Array[], maxBytes?: number): string[] {
  const lines: string[] = []
  const read = lineReader((line) => lines.push(line), { ...(maxBytes !== undefined && { maxBytes }) })
  for (const chunk of chunks) read(chunk)
  return lines
}

describe('lineReader', () => {
  it('returns whole lines, wherever their bytes are split', () => {
    const bytes = Buffer.from('eins\r\n\nzwölf\nrest')
    for (let cut = 0; cut <= bytes.length; cut++)
      expect(linesOf([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(['eins', 'zwölf'])
  })

  it('returns the same lines as splitting the whole text', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '\n'), minLength: 1 })), (chunks) => {
        const ended = chunks.join('').split('\n').slice(0, -1)
        expect(linesOf(chunks.map((each) => Buffer.from(each)))).toEqual(ended.filter((line) => line !== ''))
      }),
    )
  })

  it('reports a line that is not valid UTF-8 instead of replacing its characters', () => {
    const lines: string[] = []
    const read = lineReader((line) => lines.push(line), { onBroken: () => lines.push('broken') })
    read(Buffer.concat([Buffer.from('a\n"'), Buffer.from([0xff, 0xc3]), Buffer.from('"\nzwölf\n')]))
    expect(lines).toEqual(['a', 'broken', 'zwölf'])
  })

  it('does not depend on a buffer that its caller uses again', () => {
    const buffer = Buffer.from('one')
    const lines: string[] = []
    const read = lineReader((line) => lines.push(line))
    read(buffer)
    buffer.fill('x')
    read(Buffer.from('\n'))
    expect(lines).toEqual(['one'])
  })

  it.each([
    ['in one chunk', ['123456\n']],
    ['in parts', ['1234', '56\n']],
    ['before its end', ['1234', '56']],
    ['after a line within the limit', ['12345\n123', '456']],
  ])('refuses a line over the limit, %s', (_how, chunks) => {
    const bytes = chunks.map((each) => Buffer.from(each))
    expect(() => linesOf(bytes, 5)).toThrow(LongLineError)
  })

  it('accepts lines up to the limit, however many a chunk completes', () => {
    const lines = '12345\n'.repeat(10)
    expect(linesOf([Buffer.from('123'), Buffer.from(`45\n${lines}`)], 5)).toEqual(Array(11).fill('12345'))
  })
})
