import { extra, type Line, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { isTest } from './paths.js'
import { checkName } from './words.js'

/**
 * Guards and tests of Python and shell, by lines: `if …:` whose next line leaves, `assert`, `def test_…`. This is a list of words,
 * not an analysis of the syntax.
 */
export function lexicalGuards(path: string, given: Texts): Found[] {
  const texts = { ...given, added: given.added.map(cut), removed: given.removed.map(cut) }
  if (/\.pyi?$/i.test(path)) return isTest(path) ? pythonTests(texts) : pythonGuards(texts)
  return /\.(?:sh|bash)$/i.test(path) ? shellGuards(texts) : []
}

/** The patterns below look for the end of a line, so its length must be bounded. */
const MAX_LINE = 500

function cut({ number, text }: Line): Line {
  return { number, text: text.slice(0, MAX_LINE) }
}

function pythonGuards({ before, after, removed, added }: Texts): Found[] {
  const gone = extra(guardsIn(before), guardsIn(after), ({ text }) => text)
  const come = extra(guardsIn(after), guardsIn(before), ({ text }) => text)
  const found: Found[] = gone.map(({ number, text }, at) => {
    const replaced = come[at]
    if (replaced === undefined) return { name: 'guard-removed', what: text, oldLine: number }
    return { name: 'guard-changed', what: replaced.text, line: replaced.number }
  })
  const decorator = ({ text }: Line) => /^\s*@/.test(text) && checkName(text) === 'rights'
  for (const { number, text } of extra(removed.filter(decorator), added.filter(decorator), ({ text }) => text.trim()))
    found.push({ name: 'authorisation-removed', what: text, oldLine: number })
  const passes = ({ text }: Line) => /^\s*except\b.*:\s*pass\b/.test(text)
  for (const { number, text } of added.filter(passes)) found.push({ name: 'error-swallowed', what: text, line: number })
  return found
}

function guardsIn(text: string): Line[] {
  const lines = text.split('\n').map((line) => line.slice(0, MAX_LINE))
  return lines.flatMap((line, at) => {
    const next = lines[at + 1] ?? ''
    const isGuard = /^\s*(?:el)?if\b.*:\s*$/.test(line) && /^\s*(?:raise\b|return\b|abort\(|sys\.exit\()/.test(next)
    const isAssert = /^\s*assert\s/.test(line)
    return isGuard || isAssert ? [{ number: at + 1, text: line.trim() }] : []
  })
}

function pythonTests({ removed, added }: Texts): Found[] {
  const asserts = ({ text }: Line) => /^\s*(?:assert\b|self\.assert\w+\(|with pytest\.raises)/.test(text)
  const tests = ({ text }: Line) => /^\s*(?:async )?def test_/.test(text)
  const skips = ({ text }: Line) =>
    /@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip)|\bpytest\.skip\(|self\.skipTest\(/.test(text)
  const found: Found[] = added.filter(skips).map(toFound('test-switched-off', 'line'))
  const [lost, gained] = [removed.filter(asserts), added.filter(asserts)]
  if (lost.length > gained.length) found.push(...lost.slice(gained.length).map(toFound('assertion-removed', 'oldLine')))
  const [lostTests, newTests] = [removed.filter(tests), added.filter(tests)]
  if (lostTests.length > newTests.length)
    found.push(...lostTests.slice(newTests.length).map(toFound('test-removed', 'oldLine')))
  for (const line of added)
    if (/^\s*assert (?:True|1)\b/.test(line.text)) found.push(toFound('assertion-empty', 'line')(line))
  return found
}

function toFound(name: Found['name'], side: 'line' | 'oldLine') {
  return ({ number, text }: Line): Found => ({ name, what: text, [side]: number })
}

function shellGuards({ removed, added }: Texts): Found[] {
  const guards = ({ text }: Line) => /^\s*set\s+-\w*e|\|\|\s*(?:exit|return)\s+[1-9]|^\s*\[\[?.*\]\]?\s*\|\|/.test(text)
  return extra(removed.filter(guards), added.filter(guards), () => '').map(toFound('guard-removed', 'oldLine'))
}
