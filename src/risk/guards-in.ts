import { ancestor, childOf, type Node, walk } from '../os/tree.js'
import { argumentsOf, calleeOf, lastNameOf } from './calls-in.js'
import { type File, type Place, squeeze } from './syntax.js'
import { type CheckKind, checkName } from './words.js'

/** A condition that leaves the function. */
export interface GuardIn extends Place {
  /** The condition without white space. */
  readonly key: string
  /** The condition with its names replaced, but for names of properties. */
  readonly shape: string
  readonly names: readonly string[]
  /** Its body, without white space. */
  readonly consequence: string
  /** It throws or refuses; otherwise it returns. */
  readonly refuses: boolean
  /** The function that contains it. */
  readonly within: string
}

/** A use of a function that checks something. */
export interface CheckIn extends Place {
  readonly kind: CheckKind
  /** A call with its arguments, without white space. */
  readonly call?: string
}

/** A named function. */
export interface FunctionIn extends Place {
  /** It returns `true` for every argument. */
  readonly passes: boolean
}

export interface CatchIn extends Place {
  readonly isEmpty: boolean
}

const LEAVES = new Set(['throw_statement', 'return_statement', 'continue_statement', 'break_statement'])
const REFUSES =
  /^(?:reject|deny|abort|fail|exit|next|redirect|status|sendStatus|forbidden|unauthorized|badRequest|throwError|writeHead|error|destroy|close|end)$/i

export function guardIn(node: Node, file: File): GuardIn | undefined {
  const { text } = file
  const [condition, consequence] = [childOf(node, 'condition'), childOf(node, 'consequence')]
  if (condition === undefined || consequence === undefined) return undefined
  const statements =
    consequence.type === 'statement_block' ? consequence.children.filter(({ named }) => named) : [consequence]
  const leaving = statements.find(({ type }) => LEAVES.has(type))
  const refuses = statements.some((each) => doesRefuse(each, text))
  if ((leaving === undefined && !refuses) || statements.length > 6) return undefined
  const ids = [...walk(condition)].filter(({ type }) => type === 'identifier')
  return {
    text: `if ${text(condition)}`,
    line: file.lineOf(node),
    key: squeeze(text(condition)),
    refuses,
    shape: shapeOf(condition, ids, text),
    names: ids.map(text),
    consequence: squeeze(text(consequence)),
    within: functionAround(node, text),
  }
}

function doesRefuse(statement: Node, text: File['text']): boolean {
  if (statement.type === 'throw_statement') return true
  const value = statement.children.find(({ named }) => named)
  const answer = statement.type === 'return_statement' || statement.type === 'expression_statement' ? value : undefined
  if (answer?.type === 'false' || (answer && /^(?:Promise\.reject|new \w*Response)\b/.test(text(answer)))) return true
  let call = answer?.type === 'await_expression' ? answer.children.at(-1) : answer
  while (call?.type === 'call_expression') {
    const callee = calleeOf(call)
    if (callee === undefined) return false
    if (REFUSES.test(lastNameOf(callee, text))) return true
    call = childOf(callee, 'object')
  }
  return false
}

function shapeOf(condition: Node, ids: readonly Node[], text: File['text']): string {
  const whole = text(condition)
  let [shape, at] = ['', condition.start]
  for (const { start, end } of ids) {
    shape += `${whole.slice(at - condition.start, start - condition.start)}_`
    at = end
  }
  return squeeze(shape + whole.slice(at - condition.start))
}

const FUNCTIONS = new Set(
  'function_declaration function_expression arrow_function method_definition generator_function_declaration'.split(' '),
)

function functionAround(node: Node, text: File['text']): string {
  let at = ancestor(node, FUNCTIONS)
  while (at !== undefined) {
    const name = nameOfFunction(at)
    if (name !== undefined) return text(name)
    at = ancestor(at, FUNCTIONS)
  }
  return ''
}

function nameOfFunction(node: Node): Node | undefined {
  const own = childOf(node, 'name')
  if (own !== undefined) return own
  const { parent } = node
  if (parent?.type === 'variable_declarator') return childOf(parent, 'name')
  if (parent?.type === 'pair') return childOf(parent, 'key')
  return parent?.type === 'assignment_expression' ? childOf(parent, 'left') : undefined
}

/** A named function, and whether all it does is to return `true`. */
export function functionIn(node: Node, { text, lineOf }: File): FunctionIn | undefined {
  if (!FUNCTIONS.has(node.type)) return undefined
  const name = nameOfFunction(node)
  const body = childOf(node, 'body')
  if (name === undefined || body === undefined) return undefined
  const passes = /^(?:true|\(?\s*true\s*\)?|\{\s*return\s+(?:true|Promise\.resolve\(true\))\s*;?\s*\})$/.test(
    text(body).slice(0, 80),
  )
  return { text: text(name).replace(/^.*\./, ''), line: lineOf(node), passes }
}

const ROUTES = /^(?:get|post|put|patch|delete|use|all|route|register|before|guard|addHook|preHandler)$/

/** Uses of checks: calls, middleware that is passed to a route, decorators, and names in conditions. */
export function checksIn(node: Node, file: File): CheckIn[] {
  const { text } = file
  if (node.type === 'call_expression') {
    const callee = calleeOf(node)
    if (callee === undefined) return []
    const name = lastNameOf(callee, text)
    const passed = ROUTES.test(name) ? argumentsOf(node).flatMap(refersTo) : []
    const own = namedChecks([childOf(callee, 'property') ?? callee], file, true)
    return [...own.map((check) => ({ ...check, call: squeeze(text(node)) })), ...namedChecks(passed, file, false)]
  }
  if (node.type === 'pair') {
    const value = /^(?:preHandler|onRequest|middleware|guards|canActivate)$/.test(text(childOf(node, 'key') ?? node))
    return value ? namedChecks(refersTo(childOf(node, 'value')), file, false) : []
  }
  if (node.type === 'decorator') return namedChecks([node], file, false)
  if (node.field !== 'condition' || node.parent?.type === 'for_statement') return []
  const names = [...walk(node)].filter(({ type, parent, field }) => {
    const isCalled =
      parent?.type === 'call_expression' || (field === 'property' && parent?.parent?.type === 'call_expression')
    return /^(?:property_)?identifier$/.test(type) && !isCalled
  })
  return namedChecks(names, file, false)
}

function refersTo(node: Node | undefined): readonly Node[] {
  if (node?.type === 'array') return node.children.filter(({ type }) => type === 'identifier')
  return node?.type === 'identifier' || node?.type === 'member_expression' ? [node] : []
}

/** @param value whether names that only check a value count, too */
function namedChecks(nodes: readonly Node[], { text, lineOf }: File, value: boolean): CheckIn[] {
  return nodes.flatMap((node) => {
    const name = text(node).slice(0, 80)
    const kind = /^\w/.test(name) || node.type === 'decorator' ? checkName(name) : undefined
    return kind === undefined || (kind === 'value' && !value) ? [] : [{ text: name, kind, line: lineOf(node) }]
  })
}

/** A condition with a constant that decides it. */
export function conditionIn(node: Node, { text, lineOf }: File): Place | undefined {
  const place = { text: text(node), line: lineOf(node) }
  if (node.field === 'condition' && node.parent?.type === 'if_statement') {
    return /^\(\s*!*(?:true|false|0|1)\s*\)$/.test(text(node).slice(0, 40)) ? place : undefined
  }
  if (node.type !== 'binary_expression') return undefined
  const operator = childOf(node, 'operator')
  const deciding = operator && { '&&': 'false', '||': 'true' }[text(operator)]
  return [childOf(node, 'left'), childOf(node, 'right')].some((side) => side?.type === deciding) ? place : undefined
}

/** A comparison or a combination of conditions, identified by its operands. */
export interface ComparisonIn extends Place {
  readonly operator: string
  readonly operands: string
}

const COMPARES = new Set(['<', '<=', '>', '>=', '==', '!=', '===', '!==', '&&', '||'])

export function comparisonIn(node: Node, { text, lineOf }: File): ComparisonIn | undefined {
  if (node.type !== 'binary_expression') return undefined
  const [left, operator, right] = ['left', 'operator', 'right'].map((field) => childOf(node, field))
  if (left === undefined || operator === undefined || right === undefined) return undefined
  if (!COMPARES.has(text(operator))) return undefined
  const operands = `${squeeze(text(left))} ${squeeze(text(right))}`
  return { text: text(node), line: lineOf(node), operator: text(operator), operands }
}

/** A `catch`, and whether it does nothing. */
export function catchIn(node: Node, { text, lineOf }: File): CatchIn {
  const body = childOf(node, 'body')
  const isEmpty = body?.children.every(({ named, type }) => !named || type === 'comment') ?? true
  return { text: text(node).slice(0, 200), line: lineOf(node), isEmpty }
}
