import { describe, expect, it } from 'vitest'
import { formsAt } from '../../src/trace/layout-forms.js'
import { printOf } from '../../src/trace/line-prints.js'

describe('the forms that a line may have had', () => {
  it('have other quotes, and one semicolon or comma less or more', () => {
    const { span, prints } = formsAt(['  log("a");'], 0)
    expect(span).toBe(1)
    for (const form of ["log('a')", "log('a');", 'log("a")', "log('a'),"]) expect(prints).toContain(printOf(form))
    expect(prints).not.toContain(printOf('log("a");'))
  })

  it('were one line before the call was broken', () => {
    const lines = ['const a = call(', '  "one",', '  two,', ');', 'next()']
    const { span, prints } = formsAt(lines, 0)
    expect(span).toBe(4)
    expect(prints).toContain(printOf("const a = call('one', two)"))
  })

  it('are only of the line itself if its brackets are not closed soon', () => {
    expect(formsAt(['call(', '  one,'], 0).span).toBe(1)
    expect(formsAt(['}'], 0).span).toBe(1)
  })
})
