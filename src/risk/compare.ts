import { extra } from './changed.js'
import type { Found } from './facts.js'
import type { ComparisonIn, GuardIn } from './guards-in.js'
import type { Reading } from './reading.js'
import type { Place } from './syntax.js'
import { checkName } from './words.js'

/** Compares two readings of a file: finds new behaviour and removed behaviour. */
export function compareReadings(old: Reading, now: Reading): Found[] {
  return [
    ...callFacts(old, now),
    ...guardFacts(old, now),
    ...checkFacts(old, now),
    ...changedChecks(old, now),
    ...comparisonFacts(old, now),
    ...catchFacts(old, now),
    ...patternFacts(old, now),
    ...extra(now.constants, old.constants, keyOf).map(
      ({ text, line }): Found => ({ name: 'guard-constant', what: text, line }),
    ),
    ...alwaysFacts(old, now),
    ...exportFacts(old, now),
  ]
}

function callFacts(old: Reading, now: Reading): Found[] {
  const hadProcess = old.calls.some(({ name }) => name === 'process-call')
  return extra(now.calls, old.calls, ({ key }) => key).map(({ name, text, line }) => {
    const isNew = name === 'process-call' && !hadProcess
    return { name: isNew ? 'process-new' : name, what: text, line }
  })
}

const keyOf = ({ text }: Place) => text.replace(/\s+/g, '')

function guardFacts(old: Reading, now: Reading): Found[] {
  const gone = extra(old.guards, now.guards, ({ key }) => key)
  const come = extra(now.guards, old.guards, ({ key }) => key)
  return gone.flatMap((guard) => {
    const at = come.findIndex((each) => replaces(each, guard))
    const [other] = at < 0 ? [] : come.splice(at, 1)
    if (other === undefined) return [lostGuard(guard, now)]
    return isRenamed(guard, other, old, now) ? [] : [{ name: 'guard-changed', what: other.text, line: other.line }]
  })
}

function replaces(other: GuardIn, guard: GuardIn): boolean {
  return other.shape === guard.shape || other.consequence === guard.consequence || other.within === guard.within
}

/** Whether only names differ, and each old name is gone from the file and each new one was not in it. */
function isRenamed(guard: GuardIn, other: GuardIn, old: Reading, now: Reading): boolean {
  if (guard.shape !== other.shape) return false
  return guard.names.every((name, at) => {
    const to = other.names[at]
    return to === name || (to !== undefined && !now.names.has(name) && !old.names.has(to))
  })
}

function lostGuard({ text, key, line, within, refuses }: GuardIn, now: Reading): Found {
  const hasFunction = within === '' || now.functions.some((each) => each.text === within.replace(/^.*\./, ''))
  const name = !hasFunction ? 'guard-gone-with-function' : refuses ? 'guard-removed' : 'early-return-removed'
  return { name, what: text, oldLine: line, gone: [`if${key}`] }
}

function checkFacts(old: Reading, now: Reading): Found[] {
  const gone = extra(old.checks, now.checks, keyOf)
  const come = extra(now.checks, old.checks, keyOf)
  return gone.flatMap((check): Found[] => {
    const { text, kind, line } = check
    const at = come.findIndex((each) => each.kind === kind)
    const [other] = at < 0 ? [] : come.splice(at, 1)
    if (other === undefined) {
      const name = kind === 'rights' ? 'authorisation-removed' : 'validation-removed'
      return [{ name, what: text, oldLine: line, gone: [`${text}(`] }]
    }
    const isOwn =
      old.functions.some((each) => each.text === text) && now.functions.some((each) => each.text === other.text)
    return kind === 'value' || isOwn
      ? []
      : [{ name: 'check-replaced', what: `${text} → ${other.text}`, line: other.line }]
  })
}

/** As many calls of a check as before, with other arguments. */
function changedChecks(old: Reading, now: Reading): Found[] {
  const calls = ({ checks }: Reading) => checks.filter(({ kind, call }) => kind === 'rights' && call !== undefined)
  const gone = extra(calls(old), calls(now), ({ call = '' }) => call)
  const come = extra(calls(now), calls(old), ({ call = '' }) => call)
  return gone.flatMap(({ text }): Found[] => {
    const at = come.findIndex((each) => each.text === text)
    const [other] = at < 0 ? [] : come.splice(at, 1)
    return other === undefined ? [] : [{ name: 'check-changed', what: other.call ?? '', line: other.line }]
  })
}

function comparisonFacts(old: Reading, now: Reading): Found[] {
  const keyOf = ({ operator, operands }: ComparisonIn) => `${operator} ${operands}`
  const gone = extra(old.comparisons, now.comparisons, keyOf)
  const come = extra(now.comparisons, old.comparisons, keyOf)
  return come.flatMap(({ operands, text, line }): Found[] =>
    gone.some((each) => each.operands === operands) ? [{ name: 'comparison-changed', what: text, line }] : [],
  )
}

function catchFacts(old: Reading, now: Reading): Found[] {
  const count = ({ catches }: Reading, isEmpty: boolean) => catches.filter((each) => each.isEmpty === isEmpty).length
  const come = extra(
    now.catches.filter(({ isEmpty }) => isEmpty),
    old.catches.filter(({ isEmpty }) => isEmpty),
    () => '',
  )
  const isEmptied = count(now, false) < count(old, false)
  return come.map(({ text, line }) => ({ name: isEmptied ? 'error-swallowed' : 'catch-empty', what: text, line }))
}

/** `/^a$/` and `/a/`: the text between the anchors. */
const core = (text: string) => text.replace(/^\/\^?/, '').replace(/\$?\/[a-z]*$/, '')
const anchors = (text: string) => Number(text.startsWith('/^')) + Number(/\$\/[a-z]*$/.test(text))

function patternFacts(old: Reading, now: Reading): Found[] {
  const gone = extra(old.patterns, now.patterns, keyOf)
  const come = extra(now.patterns, old.patterns, keyOf)
  return gone.flatMap((pattern): Found[] => {
    const at = Math.max(
      come.findIndex((each) => core(each.text) === core(pattern.text)),
      come.length === gone.length ? 0 : -1,
    )
    const [other] = at < 0 ? [] : come.splice(at, 1)
    if (other === undefined) return [{ name: 'pattern-removed', what: pattern.text, oldLine: pattern.line }]
    const isLooser = anchors(other.text) < anchors(pattern.text)
    return [{ name: isLooser ? 'pattern-looser' : 'pattern-changed', what: other.text, line: other.line }]
  })
}

const ASKS = /^(?:is|can|has|may|check|verify|validate|authori[sz]e|allow|matches|compare|permits?)(?![a-z])/

function alwaysFacts(old: Reading, now: Reading): Found[] {
  const before = new Map(old.functions.map(({ text, passes }) => [text, passes]))
  return now.functions.flatMap(({ text, line, passes }): Found[] => {
    const isCheck = ASKS.test(text) || checkName(text) !== undefined
    return passes && isCheck && before.get(text) === false ? [{ name: 'check-always-passes', what: text, line }] : []
  })
}

const FORMS = ['function', 'asyncfunction', 'const', 'let', 'class', 'abstractclass', 'type', 'interface', 'enum']

function exportFacts(old: Reading, now: Reading): Found[] {
  // `export * from` may export any name.
  const names = new Set(now.exports.map(({ text }) => text))
  const seen = new Set<string>()
  return old.exports.flatMap(({ text, line }): Found[] => {
    if (names.has(text) || seen.has(text)) return []
    seen.add(text)
    return [{ name: 'export-removed', what: text, oldLine: line, gone: FORMS.map((form) => `export${form}${text}`) }]
  })
}
