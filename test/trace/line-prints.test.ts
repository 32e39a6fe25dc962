import { hash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PRINT_LENGTH, printOf, printsOf, splitPrints, weightOf } from '../../src/trace/line-prints.js'

/** By bytes, as in the definition of the format. */
function expectedPrint(line: string): string {
  const bytes = Buffer.from(line.replace(/[\t\v\f\r ]+/g, ''), 'latin1')
  const weight = bytes.filter((byte) => byte >= 0x80 || /[A-Za-z0-9]/.test(String.fromCharCode(byte))).length
  const sum = hash('sha256', bytes, 'buffer')
  return Buffer.from([...sum.subarray(0, 8), Math.min(255, weight)]).toString('base64')
}

const lines = fc.string({
  unit: fc.oneof(
    fc.constantFrom(' ', '\t', 'a', '}'),
    fc.nat(255).map((code) => String.fromCharCode(code)),
  ),
  maxLength: 600,
})

describe('the fingerprint of a line', () => {
  it('is the hash and weight of its bytes without white space, every time', () => {
    fc.assert(
      fc.property(fc.array(lines, { maxLength: 5 }), (all) => {
        expect(printsOf([...all, ...all])).toEqual([...all, ...all].map(expectedPrint))
        expect(splitPrints(printsOf(all).join(''))).toEqual(all.map(expectedPrint))
      }),
      { numRuns: 1000 },
    )
  })

  it('stays when the indentation changes, and has the weight of the line', () => {
    expect(printOf('\t\tif (a) {')).toBe(printOf('if(a){\r'))
    expect(printOf('}')).toHaveLength(PRINT_LENGTH)
    expect([printOf(' }'), printOf('ab 1'), printOf('x'.repeat(300))].map(weightOf)).toEqual([0, 3, 255])
  })

  it('has the weight that base64 decodes to, whatever a record names as a print', () => {
    const base64 = fc.string({ unit: fc.constantFrom(...'AZaz09+/'), maxLength: PRINT_LENGTH })
    fc.assert(
      fc.property(fc.oneof(base64, fc.string({ unit: 'binary', maxLength: PRINT_LENGTH })), (print) => {
        expect(weightOf(print)).toBe(Buffer.from(print.slice(-4), 'base64')[2] ?? 0)
      }),
      { numRuns: 2000 },
    )
  })
})
