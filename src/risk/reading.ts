import { lineFinder } from '../core/line-finder.js'
import { parserFor } from '../os/grammars.js'
import { type Node, type Syntax, textOf, walk } from '../os/tree.js'
import { type CallIn, callIn, importsOf } from './calls-in.js'
import { exportsIn } from './exports-in.js'
import {
  type CatchIn,
  type CheckIn,
  type ComparisonIn,
  catchIn,
  checksIn,
  comparisonIn,
  conditionIn,
  type FunctionIn,
  functionIn,
  type GuardIn,
  guardIn,
} from './guards-in.js'
import { moduleIn } from './modules.js'
import { powerIn } from './powers.js'
import type { File, Place } from './syntax.js'
import { type AssertionIn, assertionIn, type TestIn, testIn } from './tests-in.js'

/** The facts that the syntax of one side of an ECMAScript file shows. */
export interface Reading {
  readonly calls: CallIn[]
  readonly guards: GuardIn[]
  /** Uses of functions that check something. */
  readonly checks: CheckIn[]
  readonly catches: CatchIn[]
  readonly patterns: Place[]
  /** Conditions that are always true or always false. */
  readonly constants: Place[]
  readonly comparisons: ComparisonIn[]
  readonly functions: FunctionIn[]
  readonly exports: Place[]
  readonly names: Set<string>
  /** Modules that it loads, as they are written. */
  readonly modules: Place[]
  readonly tests: TestIn[]
  readonly assertions: AssertionIn[]
}

function emptyReading(): Reading {
  return {
    calls: [],
    guards: [],
    checks: [],
    catches: [],
    patterns: [],
    constants: [],
    comparisons: [],
    functions: [],
    exports: [],
    names: new Set(),
    modules: [],
    tests: [],
    assertions: [],
  }
}

const MAX_TEXT = 512 * 1024

/** Reads one side. A string is the reason why it could not be read. */
export async function readEcmascript(grammar: string, text: string): Promise<Reading | string> {
  if (text === '') return emptyReading()
  if (text.length > MAX_TEXT) return `larger than ${MAX_TEXT / 1024} KiB`
  const parse = await parserFor(grammar)
  const parsed = parse(text)
  return parsed.ok ? collect(parsed.syntax) : parsed.detail
}

function collect(syntax: Syntax): Reading {
  const lineAt = lineFinder(syntax.text)
  const text = (node: Node) => textOf(syntax, node)
  const file: File = { text, lineOf: (node) => lineAt(node.start), modules: importsOf(syntax.root, text) }
  const reading = emptyReading()
  for (const node of walk(syntax.root)) visit(node, file, reading)
  return reading
}

function visit(node: Node, file: File, reading: Reading): void {
  const { type } = node
  const place = () => ({ text: file.text(node), line: file.lineOf(node) })
  if (type === 'identifier' || type === 'property_identifier') reading.names.add(file.text(node))
  else if (type === 'regex') reading.patterns.push(place())
  else if (type === 'if_statement') push(reading.guards, guardIn(node, file))
  else if (type === 'catch_clause') reading.catches.push(catchIn(node, file))
  else if (type === 'export_statement') reading.exports.push(...exportsIn(node, file))
  if (CALLS.has(type)) {
    push(reading.calls, callIn(node, file))
    push(reading.tests, testIn(node, file))
    push(reading.assertions, assertionIn(node, file))
  }
  if (type === 'assignment_expression') reading.exports.push(...exportsIn(node, file))
  push(reading.calls, powerIn(node, file))
  push(reading.modules, moduleIn(node, file))
  reading.checks.push(...checksIn(node, file))
  push(reading.constants, conditionIn(node, file))
  push(reading.comparisons, comparisonIn(node, file))
  push(reading.functions, functionIn(node, file))
}

const CALLS = new Set([
  'call_expression',
  'new_expression',
  'assignment_expression',
  'jsx_attribute',
  'member_expression',
])

function push<T>(list: T[], item: T | undefined): void {
  if (item !== undefined) list.push(item)
}
