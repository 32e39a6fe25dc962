import { describe, expect, it } from 'vitest'
import type { Origin } from '../../src/trace/origins.js'
import { AMBIGUOUS, resolveStrayEnds } from '../../src/trace/stray-ends.js'
import { UNKNOWN } from '../../src/trace/traced-files.js'

const ONE: Origin = { contributor: 'ai', intentId: 'INT-1', recordId: 'r1' }
const TWO: Origin = { contributor: 'ai', intentId: 'INT-2', recordId: 'r2' }
const ADA: Origin = { contributor: 'human' }
const BLOCK = ['function f() {', '  one()', '  two()', '}', '']

const lastOrigins = (origins: readonly Origin[], lines = BLOCK) => resolveStrayEnds(lines, origins).slice(-2)

describe('the author of the end of a block', () => {
  it('stays if the author wrote another line of the block', () => {
    expect(lastOrigins([ADA, ONE, ADA, ONE, ONE])).toEqual([ONE, ONE])
    expect(lastOrigins([ONE, TWO, TWO, ONE, ONE])).toEqual([ONE, ONE])
  })

  it('is ambiguous if no line of the block is of that author', () => {
    expect(lastOrigins([ONE, ONE, ONE, TWO, TWO])).toEqual([AMBIGUOUS, AMBIGUOUS])
    expect(lastOrigins([ADA, ADA, ADA, ONE, ONE])).toEqual([AMBIGUOUS, AMBIGUOUS])
    expect(lastOrigins([ONE, TWO, ONE, ADA, ADA])).toEqual([AMBIGUOUS, AMBIGUOUS])
  })

  it('is ambiguous if the block began before the ledger', () => {
    expect(lastOrigins([UNKNOWN, ONE, UNKNOWN, ONE, ONE])).toEqual([AMBIGUOUS, AMBIGUOUS])
  })

  it('is ambiguous if it was written together with the last line only', () => {
    expect(lastOrigins([ONE, ONE, TWO, TWO, TWO])).toEqual([AMBIGUOUS, AMBIGUOUS])
  })

  it('is the one author of the block if it was ambiguous', () => {
    expect(lastOrigins([ONE, ONE, ONE, AMBIGUOUS, AMBIGUOUS])).toEqual([ONE, ONE])
    expect(lastOrigins([ONE, TWO, ONE, AMBIGUOUS, AMBIGUOUS])).toEqual([AMBIGUOUS, AMBIGUOUS])
  })

  it('is not changed for an empty line of another author, who wrote what follows', () => {
    expect(lastOrigins([ONE, ONE, ONE, ONE, TWO])).toEqual([ONE, TWO])
  })

  it('stays unknown for lines from before the ledger', () => {
    expect(lastOrigins([ONE, ONE, ONE, UNKNOWN, UNKNOWN])).toEqual([UNKNOWN, UNKNOWN])
  })

  it('is not settled by lines that the bracket does not close', () => {
    expect(lastOrigins([ONE, ONE, AMBIGUOUS, AMBIGUOUS], ['function f() {', '  one()', ']', ''])).toEqual([
      AMBIGUOUS,
      AMBIGUOUS,
    ])
    expect(resolveStrayEnds(['}', ''], [ONE, ONE])).toEqual([ONE, ONE])
  })
})
