import { extra } from './changed.js'
import type { Found } from './facts.js'
import type { Reading } from './reading.js'
import { squeeze } from './syntax.js'
import type { AssertionIn } from './tests-in.js'

/** Compares two readings of a file of tests. */
export function compareTests(old: Reading, now: Reading): Found[] {
  return [...findSwitchedOff(old, now), ...removedTests(old, now), ...assertionFacts(old, now)]
}

function findSwitchedOff(old: Reading, now: Reading): Found[] {
  const off = ({ tests }: Reading) => tests.filter((each) => each.off)
  const come = extra(off(now), off(old), ({ title }) => title)
  // A new `todo` takes nothing away.
  const isNew = (title: string, text: string) =>
    /\.todo\(/.test(text) && !old.tests.some((each) => each.title === title)
  return come.flatMap(({ text, title, line }) =>
    isNew(title, text) ? [] : [{ name: 'test-switched-off' as const, what: text, line }],
  )
}

/** The titles of removed tests, at most as many as the file has fewer tests. */
function removedTests(old: Reading, now: Reading): Found[] {
  const plain = ({ tests }: Reading) => tests.filter(({ isGroup }) => !isGroup)
  const fewer = plain(old).length - plain(now).length
  if (fewer <= 0) return []
  const gone = extra(plain(old), plain(now), ({ title }) => title)
  return gone
    .slice(0, fewer)
    .map(({ title, line }) => ({ name: 'test-removed', what: title, oldLine: line, gone: [squeeze(title)] }))
}

function assertionFacts(old: Reading, now: Reading): Found[] {
  const gone = extra(old.assertions, now.assertions, ({ key }) => key)
  const come = extra(now.assertions, old.assertions, ({ key }) => key)
  const found: Found[] = come.flatMap(({ isEmpty, text, line }) =>
    isEmpty ? [{ name: 'assertion-empty', what: text, line }] : [],
  )
  const unpaired: AssertionIn[] = []
  for (const assertion of gone) {
    const at = come.findIndex((each) => each.actual === assertion.actual && each.actual !== '')
    const [other] = at < 0 ? [] : come.splice(at, 1)
    if (other === undefined) unpaired.push(assertion)
    else if (!other.isEmpty) found.push(changedAssertion(assertion, other))
  }
  // Other lines may assert the same in other words: only assertions that the file has fewer of were removed.
  const fewer = old.assertions.length - now.assertions.filter(({ isEmpty }) => !isEmpty).length
  const rewritten = come.filter(({ isEmpty }) => !isEmpty)
  const lost = unpaired.slice(Math.min(rewritten.length, Math.max(0, unpaired.length - Math.max(fewer, 0))))
  for (const { text, line, key } of lost.slice(0, Math.max(fewer, 0)))
    found.push({ name: 'assertion-removed', what: text, oldLine: line, gone: [key] })
  for (const [at, { text, line, actual }] of rewritten.entries()) {
    const was = unpaired[at]
    if (was !== undefined && isWeak(text, actual) && !isWeak(was.text, was.actual))
      found.push({ name: 'assertion-weaker', what: text, line })
  }
  return found
}

function changedAssertion(was: AssertionIn, { text, line, matcher, actual, isNegated }: AssertionIn): Found {
  const isWeaker =
    was.isNegated !== isNegated || (was.matcher !== matcher && isWeak(text, actual) && !isWeak(was.text, was.actual))
  const isLooser = /\bexpect\.any(?:thing)?\(/.test(text) && !/\bexpect\.any(?:thing)?\(/.test(was.text)
  return { name: isWeaker || isLooser ? 'assertion-weaker' : 'expectation-changed', what: text, line }
}

const WEAK =
  /\.(?:toBeTruthy|toBeDefined|toBeFalsy|ok|notOk|exist|toBeInstanceOf|toContain|toMatchObject|toHaveProperty|truthy|notEqual|notStrictEqual|notDeepEqual|doesNotThrow|toBeGreaterThan|toBeLessThan|toBeGreaterThanOrEqual)\b|\bassert\(|expect\.any/

/** Whether a matcher passes for many values. */
function isWeak(text: string, actual: string): boolean {
  return WEAK.test(text) || /^typeof\b|^!!/.test(actual)
}
