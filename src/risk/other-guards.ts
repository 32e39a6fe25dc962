import { extra, type Line, type Texts } from './changed.js'
import type { Found } from './facts.js'
import { cutLines, guardFacts, type TestForms, testFacts, toFound } from './line-facts.js'
import { isTest } from './paths.js'
import { checkName } from './words.js'

/**
 * Guards and tests of Go, Rust, Java, Kotlin, Scala, Swift, C#, C, C++, PHP and Ruby, by lines.
 * @param texts whose added and removed lines are cut
 */
export function otherGuards(path: string, texts: Texts): Found[] {
  if (!OTHER.test(path)) return []
  if (isTest(path)) return testFacts(texts, TESTS)
  const form = /\.(?:rb|rake)$/i.test(path) ? RUBY : BRACES
  return [
    ...guardFacts(guardsIn(texts.before, form), guardsIn(texts.after, form)),
    ...rightsFacts(texts),
    ...texts.added.filter(({ text }) => SWALLOWS.test(text)).map(toFound('error-swallowed', 'line')),
  ]
}

const OTHER = /\.(?:go|rs|java|kt|kts|scala|swift|cs|c|cc|cpp|cxx|h|hh|hpp|hxx|php|phtml|rb|rake)$/i

interface GuardForm {
  /** A condition whose body is below it. */
  readonly opens: RegExp
  /** A statement that leaves the function or the program. */
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

function guardsIn(text: string, { opens, leaves, whole }: GuardForm): Line[] {
  const lines = cutLines(text).map((line) => line.trimEnd())
  return lines.flatMap((line, at) => {
    if (whole.test(line)) return [{ number: at + 1, text: line.trim() }]
    if (!opens.test(line)) return []
    // A brace may have its own line.
    const body = /^\s*\{$/.test(lines[at + 1] ?? '') ? lines[at + 2] : lines[at + 1]
    return leaves.test(body ?? '') ? [{ number: at + 1, text: line.trim() }] : []
  })
}

/** The start of an annotation, an attribute, a filter or a call. */
const STATEMENT =
  /^\s*(?:@\w|\[\w|#\[\w|before_action\b|before_filter\b|authorize\b|\$this->\w+\(|\w[\w.]*\(|->middleware\()/
const OPENED =
  /\[AllowAnonymous\b|@PermitAll\b|\bskip_before_action\b|\bskip_authorization_check\b|\bskip_forgery_protection\b|\.permitAll\(\)/

function rightsFacts({ removed, added }: Texts): Found[] {
  const isCheck = ({ text }: Line) => STATEMENT.test(text) && !OPENED.test(text) && checkName(text) === 'rights'
  const gone = extra(removed.filter(isCheck), added.filter(isCheck), ({ text }) => text.trim())
  return [
    ...gone.map(toFound('authorisation-removed', 'oldLine')),
    ...added.filter(({ text }) => OPENED.test(text)).map(toFound('authorisation-removed', 'line')),
  ]
}

const SWALLOWS =
  /\bcatch\s*(?:\([^)]{0,200}\)\s*)?\{\s*\}|\brescue\s+nil\b|\brescue\s*(?:=>\s*\w+\s*)?;\s*(?:nil\s*;?\s*)?end\b/

const TESTS: TestForms = {
  asserts:
    /^\s*(?:(?:\$this->|self::|static::)?assert\w*!?\s*[(\s]|Assert(?:ions)?\.\w+\(|XCTAssert\w*\(|expect[\s(]|(?:require|assert)\.\w+\(t\b|t\.(?:Error|Fatal)f?\(|(?:EXPECT|ASSERT)_\w+\(|(?:REQUIRE|CHECK)(?:_\w+)?\(|refute\w*\s|should\b)/,
  tests:
    /^\s*(?:func\s+Test\w|@(?:Parameterized)?Test\b|\[(?:Fact|Theory|Test|TestCase|TestMethod)\b|#\[(?:\w+::)?test\b|(?:public\s+)?function\s+test|it\s*[("']|(?:def|fun|func)\s+test|TEST(?:_[FP]|_CASE)?\()/,
  skips:
    /\bt\.Skip\w*\(|@(?:Disabled|Ignore)\b|\[Ignore\b|\bSkip\s*=\s*"|#\[ignore\b|markTestSkipped\(|^\s*x(?:it|describe|specify|context)\b|\bGTEST_SKIP\(|\bXCTSkip\b|^\s*skip\b/,
  empty:
    /\b(?:assert!?\s*\(\s*true\s*[),]|assertTrue\(\s*true\s*[),]|Assert\.True\(\s*true\s*[),]|expect\(\s*true\s*\)\.to\s+(?:be\s+true|eq\(?\s*true))/i,
}
