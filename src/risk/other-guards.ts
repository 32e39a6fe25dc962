import { extra, type Line, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { isTest } from './paths.js'
import { checkName } from './words.js'

/**
 * Guards and tests of languages that are not parsed for facts, by lines: Go, Rust, Java, Kotlin, Scala, Swift, C#, C, C++, PHP and Ruby.
 * This is a list of words, as for Python.
 */
export function otherGuards(path: string, texts: Texts): Found[] {
  if (!OTHER.test(path)) return []
  if (isTest(path)) return otherTests(texts)
  const form = /\.(?:rb|rake)$/i.test(path) ? RUBY : BRACES
  const [old, now] = [guardsIn(texts.before, form), guardsIn(texts.after, form)]
  const gone = extra(old, now, ({ text }) => text)
  const come = extra(now, old, ({ text }) => text)
  return [
    ...gone.map(({ number, text }, at): Found => {
      const replaced = come[at]
      if (replaced === undefined) return { name: 'guard-removed', what: text, oldLine: number }
      return { name: 'guard-changed', what: replaced.text, line: replaced.number }
    }),
    ...rightsFacts(texts),
    ...texts.added.filter(({ text }) => SWALLOWS.test(text.slice(0, LINE))).map(toFound('error-swallowed', 'line')),
  ]
}

const OTHER = /\.(?:go|rs|java|kt|kts|scala|swift|cs|c|cc|cpp|cxx|h|hh|hpp|hxx|php|phtml|rb|rake)$/i

interface GuardForm {
  /** A condition whose body is below it. */
  readonly opens: RegExp
  /** A body that leaves. */
  readonly leaves: RegExp
  /** A condition that leaves on its own line. */
  readonly whole: RegExp
}

const BRACES: GuardForm = {
  opens: /^\s*(?:\}\s*)?(?:else\s+)?(?:if|guard)\b.*(?:[{):]|\belse\s*\{)\s*$/,
  leaves:
    /^\s*(?:return\b|throw\b|panic!?\(|abort\(|exit\(|die\b|exit\b|os\.Exit\(|log\.Fatal|fatalError\(|bail!\(|wp_die\()/,
  whole:
    /^\s*(?:if\b.*\)\s*\{?\s*(?:return\b|throw\b|abort\(|die\b|exit\b)|(?:assert|static_assert|assert!|ensure!|require)\s*\(|(?:Objects\.requireNonNull|Preconditions\.\w+|ArgumentNullException\.ThrowIf\w+)\()/,
}

const RUBY: GuardForm = {
  opens: /^\s*(?:if|unless|elsif)\b.*$/,
  leaves: /^\s*(?:raise\b|return\b|abort\b|exit\b|head\s|redirect_to\b|render\b.*status)/,
  whole: /^\s*(?:raise|return|abort|exit|head|redirect_to|render)\b.*\s(?:if|unless)\s/,
}

/** The patterns look for the end of a line, so its length must be bounded. */
const LINE = 500

function guardsIn(text: string, { opens, leaves, whole }: GuardForm): Line[] {
  const lines = text.split('\n').map((line) => line.slice(0, LINE).trimEnd())
  return lines.flatMap((line, at) => {
    if (whole.test(line)) return [{ number: at + 1, text: line.trim() }]
    if (!opens.test(line)) return []
    // A brace may have its own line.
    const body = /^\s*\{$/.test(lines[at + 1] ?? '') ? lines[at + 2] : lines[at + 1]
    return leaves.test(body ?? '') ? [{ number: at + 1, text: line.trim() }] : []
  })
}

/** Annotations, attributes, filters and calls: statements of their own. */
const STATEMENT =
  /^\s*(?:@\w|\[\w|#\[\w|before_action\b|before_filter\b|authorize\b|\$this->\w+\(|\w[\w.]*\(|->middleware\()/
const OPENED =
  /\[AllowAnonymous\b|@PermitAll\b|\bskip_before_action\b|\bskip_authorization_check\b|\bskip_forgery_protection\b|\.permitAll\(\)/

function rightsFacts({ removed, added }: Texts): Found[] {
  const isCheck = ({ text }: Line) =>
    STATEMENT.test(text.slice(0, LINE)) && !OPENED.test(text) && checkName(text.slice(0, LINE)) === 'rights'
  const gone = extra(removed.filter(isCheck), added.filter(isCheck), ({ text }) => text.trim())
  return [
    ...gone.map(toFound('authorisation-removed', 'oldLine')),
    ...added.filter(({ text }) => OPENED.test(text)).map(toFound('authorisation-removed', 'line')),
  ]
}

const SWALLOWS =
  /\bcatch\s*(?:\([^)]{0,200}\)\s*)?\{\s*\}|\brescue\s+nil\b|\brescue\s*(?:=>\s*\w+\s*)?;\s*(?:nil\s*;?\s*)?end\b/

const ASSERTS =
  /^\s*(?:(?:\$this->|self::|static::)?assert\w*!?\s*[(\s]|Assert(?:ions)?\.\w+\(|XCTAssert\w*\(|expect[\s(]|(?:require|assert)\.\w+\(t\b|t\.(?:Error|Fatal)f?\(|(?:EXPECT|ASSERT)_\w+\(|(?:REQUIRE|CHECK)(?:_\w+)?\(|refute\w*\s|should\b)/
const TESTS =
  /^\s*(?:func\s+Test\w|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b|#\[(?:\w+::)?test\b|(?:public\s+)?function\s+test|it\s*[("']|(?:def|fun|func)\s+test|TEST(?:_[FP]|_CASE)?\()/
const SKIPS =
  /\bt\.Skip\w*\(|@(?:Disabled|Ignore)\b|\[Ignore\b|\bSkip\s*=\s*"|#\[ignore\b|markTestSkipped\(|^\s*x(?:it|describe|specify|context)\b|\bGTEST_SKIP\(|\bXCTSkip\b|^\s*skip\b/
const EMPTY =
  /\b(?:assert!?\s*\(\s*true\s*[),]|assertTrue\(\s*true\s*[),]|Assert\.True\(\s*true\s*[),]|expect\(\s*true\s*\)\.to\s+(?:be\s+true|eq\(?\s*true))/i

function otherTests({ removed, added }: Texts): Found[] {
  const lost = (form: RegExp) => {
    const [gone, come] = [removed, added].map((lines) => lines.filter(({ text }) => form.test(text.slice(0, LINE))))
    return (gone ?? []).slice(come?.length ?? 0)
  }
  const written = (form: RegExp) => added.filter(({ text }) => form.test(text.slice(0, LINE)))
  return [
    ...written(SKIPS).map(toFound('test-switched-off', 'line')),
    ...lost(ASSERTS).map(toFound('assertion-removed', 'oldLine')),
    ...lost(TESTS).map(toFound('test-removed', 'oldLine')),
    ...written(EMPTY).map(toFound('assertion-empty', 'line')),
  ]
}

function toFound(name: Found['name'], side: 'line' | 'oldLine') {
  return ({ number, text }: Line): Found => ({ name, what: text, [side]: number })
}
