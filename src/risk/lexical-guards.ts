import { extra, type Line, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { cutLine, cutLines, guardFacts, type TestForms, testFacts, toFound } from './line-facts.js'
import { otherGuards } from './other-guards.js'
import { isTest } from './paths.js'
import { checkName } from './words.js'

/**
 * Guards and tests of languages that are not parsed for facts, by lines. Python and shell are here: `if …:` whose next line leaves,
 * `assert`, `def test_…`. This is a list of words, not an analysis of the syntax.
 */
export function lexicalGuards(path: string, given: Texts): Found[] {
  const texts = { ...given, added: given.added.map(cutLine), removed: given.removed.map(cutLine) }
  if (/\.pyi?$/i.test(path)) return isTest(path) ? testFacts(texts, PYTHON_TESTS) : pythonGuards(texts)
  return /\.(?:sh|bash)$/i.test(path) ? shellGuards(texts) : otherGuards(path, texts)
}

function pythonGuards({ before, after, removed, added }: Texts): Found[] {
  const found = guardFacts(guardsIn(before), guardsIn(after))
  const decorator = ({ text }: Line) => /^\s*@/.test(text) && checkName(text) === 'rights'
  for (const { number, text } of extra(removed.filter(decorator), added.filter(decorator), ({ text }) => text.trim()))
    found.push({ name: 'authorisation-removed', what: text, oldLine: number })
  const passes = ({ text }: Line) => /^\s*except\b.*:\s*pass\b/.test(text)
  for (const { number, text } of added.filter(passes)) found.push({ name: 'error-swallowed', what: text, line: number })
  return found
}

function guardsIn(text: string): Line[] {
  const lines = cutLines(text)
  return lines.flatMap((line, at) => {
    const next = lines[at + 1] ?? ''
    const isGuard = /^\s*(?:el)?if\b.*:\s*$/.test(line) && /^\s*(?:raise\b|return\b|abort\(|sys\.exit\()/.test(next)
    const isAssert = /^\s*assert\s/.test(line)
    return isGuard || isAssert ? [{ number: at + 1, text: line.trim() }] : []
  })
}

const PYTHON_TESTS: TestForms = {
  asserts: /^\s*(?:assert\b|self\.assert\w+\(|with pytest\.raises)/,
  tests: /^\s*(?:async )?def test_/,
  skips: /@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip)|\bpytest\.skip\(|self\.skipTest\(/,
  empty: /^\s*assert (?:True|1)\b/,
}

function shellGuards({ removed, added }: Texts): Found[] {
  const guards = ({ text }: Line) => /^\s*set\s+-\w*e|\|\|\s*(?:exit|return)\s+[1-9]|^\s*\[\[?.*\]\]?\s*\|\|/.test(text)
  return extra(removed.filter(guards), added.filter(guards), () => '').map(toFound('guard-removed', 'oldLine'))
}
