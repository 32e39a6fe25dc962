import { childOf, type Node } from '../os/tree.js'
import { argumentsOf, calleeOf, lastNameOf } from './calls-in.js'
import { type File, type Place, squeeze } from './syntax.js'

/** A call that declares a test or a group of tests. */
export interface TestIn extends Place {
  readonly title: string
  /** `skip`, `only` or another word by which some test does not run. */
  readonly off: boolean
  readonly isGroup: boolean
}

/** `expect(actual).matcher(expected)`, or `assert.matcher(actual, expected)`. */
export interface AssertionIn extends Place {
  readonly key: string
  readonly actual: string
  readonly matcher: string
  readonly isNegated: boolean
  /** It passes whatever the program does. */
  readonly isEmpty: boolean
}

const TESTS = /^(?:x|f)?(?:it|test|specify|describe|context|suite)$/
const OFF = /^(?:skip|only|todo|fails|failing|skipIf|runIf|fixme)$/

export function testIn(node: Node, file: File): TestIn | undefined {
  if (node.type !== 'call_expression') return undefined
  const { text } = file
  const [first] = argumentsOf(node)
  const parts = chainOf(calleeOf(node), text)
  const root = parts[0] ?? ''
  // `this.skip()` of Mocha: in a hook at the top of a file it skips every test of the run.
  if (/^(?:this|ctx|context)$/.test(root) && parts[1] === 'skip' && parts.length === 2)
    return { text: text(node), line: file.lineOf(node), title: '', off: true, isGroup: true }
  if (!TESTS.test(root) || first === undefined) return undefined
  const title = /string/.test(first.type) ? text(first) : ''
  const off = parts.slice(1).some((part) => OFF.test(part)) || /^[xf](?:it|test|describe|context)$/.test(root)
  // `it.each(table)('title', …)`: the inner call has no title.
  if (title === '' && !off) return undefined
  const options = argumentsOf(node).some(
    ({ type }, at) => at > 0 && type === 'object' && SKIPS.test(text(argumentsOf(node)[at] ?? node)),
  )
  const isGroup = /describe|context|suite/.test(root)
  return { text: text(node).split('\n')[0] ?? '', line: file.lineOf(node), title, off: off || options, isGroup }
}

const SKIPS = /\b(?:skip|todo|only)\s*:\s*(?!false)/

/** The names of `a.b(x).c`, from the left. */
function chainOf(callee: Node | undefined, text: File['text']): string[] {
  const parts: string[] = []
  let at = callee
  while (at !== undefined) {
    if (at.type === 'call_expression') at = childOf(at, 'function')
    else if (at.type === 'member_expression') {
      parts.unshift(lastNameOf(at, text))
      at = childOf(at, 'object')
    } else {
      parts.unshift(text(at).slice(0, 80))
      at = undefined
    }
  }
  return parts
}

const ASSERTS = /^(?:assert|expect|should|t|ok|equal|deepEqual|strictEqual|deepStrictEqual|throws|rejects|chai)$/
const T_METHODS =
  /^(?:is|not|deepEqual|equal|same|ok|notOk|true|false|truthy|falsy|throws|throwsAsync|regex|like|strictEqual|deepStrictEqual|match|rejects)$/

export function assertionIn(node: Node, file: File): AssertionIn | undefined {
  if (node.type !== 'call_expression' || isInner(node)) return undefined
  const { text } = file
  const parts = chainOf(calleeOf(node), text)
  const root = parts[0] ?? ''
  if (!ASSERTS.test(root) || (root === 't' && !T_METHODS.test(parts[1] ?? ''))) return undefined
  const subject = root === 'expect' || root === 'should' ? innermost(node) : node
  if (root === 'expect' && subject === node) return undefined
  const [actual, ...others] = argumentsOf(subject).map(text)
  const own = argumentsOf(node).map(text)
  const expected = subject === node ? others : own
  const matcher = parts.filter((part) => part !== 'not' && part !== root).join('.') || root
  return {
    text: text(node),
    line: file.lineOf(node),
    key: squeeze(text(node)),
    actual: squeeze(actual ?? ''),
    matcher,
    isNegated: parts.includes('not'),
    isEmpty: isConstant(squeeze(actual ?? ''), expected.map(squeeze)),
  }
}

/** Whether it is the `expect(x)` of `expect(x).toBe(y)`. */
function isInner({ parent }: Node): boolean {
  const isAsked = parent?.type === 'member_expression'
  return isAsked && parent?.parent !== undefined && /^(?:call|member|await)_expression$/.test(parent.parent.type)
}

function innermost(call: Node): Node {
  let [at, found]: [Node | undefined, Node] = [call, call]
  while (at !== undefined) {
    if (at.type === 'call_expression') found = at
    at = at.type === 'call_expression' ? childOf(at, 'function') : childOf(at, 'object')
  }
  return found
}

const LITERAL = /^(?:true|1|!0|'[^']*'|"[^"]*"|\d+)$/

function isConstant(actual: string, [expected]: readonly string[]): boolean {
  if (!LITERAL.test(actual)) return false
  return expected === undefined || expected === actual || (actual === 'true' && !LITERAL.test(expected))
}
