import { describe, expect, it } from 'vitest'
import { layoutOrigins } from '../../src/trace/layout-lines.js'

const OLD = ['function f() {', "  const a = call('one', two)", "  log('x')", '}']

describe('lines after a formatter', () => {
  it('match old ones with other quotes, semicolons and indentation', () => {
    const after = ['function f() {', '\tconst a = call("one", two);', '\tlog("x");', '}']
    expect(layoutOrigins(OLD, after)).toEqual([[0], [1], [2], [3]])
  })

  it('match parts of an old one that was split', () => {
    const after = ['function f() {', '  const a = call(', '    "one",', '    two,', '  );', '  log("x");', '}']
    expect(layoutOrigins(OLD, after)).toEqual([[0], [1], [1], [1], [1], [2], [3]])
  })

  it('match all old ones that were joined', () => {
    const before = ['call(', '  one,', '  two,', ')', 'next()']
    expect(layoutOrigins(before, ['call(one, two);', 'next();'])).toEqual([[0, 1, 2], [4]])
  })

  it('are new if their text differs', () => {
    const after = ['function f() {', '  const a = call("one", three);', '  log("x");', '}']
    expect(layoutOrigins(OLD, after)).toEqual([[0], [], [2], [3]])
  })

  it('are new in an empty file, and none exist in a removed one', () => {
    expect(layoutOrigins([], ['a', 'b'])).toEqual([[], []])
    expect(layoutOrigins(OLD, [])).toEqual([])
  })
})
