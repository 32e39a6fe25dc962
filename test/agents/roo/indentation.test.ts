import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { blockAround } from '../../../src/agents/roo/indentation.js'

const source = `import x

class A {
    one() {
        if (x) {
            deep()
        }
    }

    two() {
        y()
    }
}
class B {}`.split('\n')

const blockAt = (anchor: number, more = {}) =>
  blockAround(source, { anchor, levels: 0, siblings: false, limit: 100, ...more })

describe('blockAround', () => {
  it.each([
    ['every level of a deep line', 6, {}, [3, 13]],
    ['one level', 6, { levels: 1 }, [5, 7]],
    ['two levels', 6, { levels: 2 }, [4, 8]],
    ['one level with its siblings', 6, { levels: 2, siblings: true }, [4, 12]],
    ['the block that a header opens', 4, { levels: 0 }, [3, 13]],
    ['only a top-level line', 1, {}, [1, 1]],
    ['a blank line in a class', 9, {}, [3, 13]],
    ['an anchor past the end', 99, {}, [14, 14]],
    ['at most the requested lines, around the anchor', 6, { limit: 3 }, [5, 7]],
    ['one line', 6, { limit: 1 }, [6, 6]],
  ])('%s', (_what, anchor, more, lines) => {
    expect(blockAt(anchor, more)).toEqual(lines)
  })

  it('always contains the anchor line and no more lines than the limit', () => {
    const file = fc.array(fc.constantFrom('a', '  a', '    }', '\tb', '', '}'), { minLength: 1, maxLength: 30 })
    const limits = fc.integer({ min: 1, max: 10 })
    fc.assert(
      fc.property(file, fc.nat(29), fc.nat(3), fc.boolean(), limits, (lines, index, levels, siblings, limit) => {
        const anchor = (index % lines.length) + 1
        const [first, last] = blockAround(lines, { anchor, levels, siblings, limit })
        expect(first >= 1 && first <= anchor && anchor <= last && last <= lines.length).toBe(true)
        expect(last - first + 1).toBeLessThanOrEqual(limit)
      }),
    )
  })
})
