import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NumberedHashes } from '../../src/trace/numbered.js'
import { fuzzParameters } from '../support/fuzz.js'

/** Numbers that few ledgers have are included, because an anchor file may contain any. */
const numbers = fc.constantFrom(0, 1, 2, 3, 5000, 2 ** 24, 2 ** 40)
const steps = fc.array(fc.tuple(fc.constantFrom('add', 'delete'), numbers, fc.nat({ max: 5 })), { maxLength: 40 })

describe('hashes by number', () => {
  it('match a map from hash to number', () => {
    fc.assert(
      fc.property(steps, (all) => {
        const hashes = new NumberedHashes()
        const model = new Map<string, number>()
        for (const [step, seq, which] of all) {
          // A hash has one number.
          const hash = `${which} ${seq}`
          if (step === 'add') {
            expect(hashes.add(seq, hash)).toBe(!model.has(hash))
            model.set(hash, seq)
          } else expect(hashes.delete(seq, hash)).toBe(model.delete(hash))
          expect(hashes.has(seq, hash)).toBe(model.has(hash))
          expect(hashes.has(seq + 1, hash)).toBe(false)
          expect(hashes.lowest()).toBe(model.size === 0 ? undefined : Math.min(...model.values()))
        }
        expect(new Map(hashes)).toEqual(model)
      }),
      fuzzParameters(100),
    )
  })
})
