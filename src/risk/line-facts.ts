import { extra, type Line, type Texts } from './changed.js'
import type { Found } from './facts.js'

/** Facts about guards and tests of languages that are searched by lines. */

/** The patterns look for the end of a line, so its length must be bounded. */
const MAX_LINE = 500

/** The lines of a text, cut. */
export function cutLines(text: string): string[] {
  return text.split('\n').map((line) => line.slice(0, MAX_LINE))
}

export function cutLine({ number, text }: Line): Line {
  return { number, text: text.slice(0, MAX_LINE) }
}

export function toFound(name: Found['name'], side: 'line' | 'oldLine') {
  return ({ number, text }: Line): Found => ({ name, what: text, [side]: number })
}

/** Compares the guards of both sides. A removed guard counts as changed if another one was added. */
export function guardFacts(before: readonly Line[], after: readonly Line[]): Found[] {
  const gone = extra(before, after, ({ text }) => text)
  const come = extra(after, before, ({ text }) => text)
  return gone.map(({ number, text }, at) => {
    const replaced = come[at]
    if (replaced === undefined) return { name: 'guard-removed', what: text, oldLine: number }
    return { name: 'guard-changed', what: replaced.text, line: replaced.number }
  })
}

/** How a language writes its tests. */
export interface TestForms {
  readonly asserts: RegExp
  readonly tests: RegExp
  readonly skips: RegExp
  /** An assertion that always passes. */
  readonly empty: RegExp
}

export function testFacts({ removed, added }: Texts, { asserts, tests, skips, empty }: TestForms): Found[] {
  const matchingAdded = (form: RegExp) => added.filter(({ text }) => form.test(text))
  const matchingRemoved = (form: RegExp) =>
    removed.filter(({ text }) => form.test(text)).slice(matchingAdded(form).length)
  return [
    ...matchingAdded(skips).map(toFound('test-switched-off', 'line')),
    ...matchingRemoved(asserts).map(toFound('assertion-removed', 'oldLine')),
    ...matchingRemoved(tests).map(toFound('test-removed', 'oldLine')),
    ...matchingAdded(empty).map(toFound('assertion-empty', 'line')),
  ]
}
