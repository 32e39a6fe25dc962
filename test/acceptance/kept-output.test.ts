import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KeptOutput } from '../../src/acceptance/kept-output.js'

const KEPT = 64 * 1024

describe('KeptOutput', () => {
  it('keeps a short output whole, in any chunks', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme', maxLength: 4000 }), { maxLength: 12 }), (chunks) => {
        const output = new KeptOutput()
        for (const chunk of chunks) output.add(Buffer.from(chunk))
        const all = chunks.join('')
        fc.pre(Buffer.byteLength(all) <= KEPT)
        expect(output.read((text) => text)).toEqual({ output: all, truncated: false })
      }),
    )
  })

  it('keeps the beginning and the end of a long one, and masks both', () => {
    const longOutput = new KeptOutput()
    for (let at = 0; at < 20_000; at++) longOutput.add(Buffer.from(`${at}\n`))
    const { output, truncated } = longOutput.read((text) => text.replaceAll('1', 'x'))
    expect(truncated).toBe(true)
    expect(output).toMatch(/^0\nx\n2\n.*\n… \d+ bytes dropped …\n.*\nx9999\n$/s)
    expect(Buffer.byteLength(output)).toBeLessThan(KEPT + 100)
  })
})
