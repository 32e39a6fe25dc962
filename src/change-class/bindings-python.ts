import { childOf, type Node, type Syntax, textOf, walk } from '../os/tree.js'
import { type Binding, mentions, type Side } from './binding.js'

/** Names that can reach a local variable by its name. */
const SEES_NAMES = new Set([
  ...['locals', 'vars', 'eval', 'exec', 'dir', 'globals', 'inspect', '_getframe', 'currentframe', 'f_locals'],
  ...['global', 'nonlocal', '__import__', 'ic'],
])

/** Nodes with a scope of their own, and parameters or attributes that others use by name. */
const INNER = new Set([
  ...['function_definition', 'class_definition', 'lambda', 'parameters', 'lambda_parameters'],
  ...['list_comprehension', 'set_comprehension', 'dictionary_comprehension', 'generator_expression'],
])

export function isPythonVariable(node: Node): boolean {
  const { type, parent, field } = node
  if (type !== 'identifier' || parent === undefined) return false
  if (parent.type === 'keyword_argument' && field === 'name') return false
  if (parent.type === 'attribute' && field === 'attribute') return false
  if (['dotted_name', 'global_statement', 'nonlocal_statement', 'class_definition'].includes(parent.type)) return false
  return !isInside(node, new Set(['parameters', 'lambda_parameters', 'class_definition', 'type', 'decorator']))
}

/** The local names that a function body assigns. Parameters can be passed by name, so they are not local. */
export function pythonBindings(side: Side): Binding[] {
  const { syntax } = side
  if (mentions(side, SEES_NAMES) || showsExpressions(side) || hasSpellings(side)) return []
  const nodes = [...walk(syntax.root)]
  if (nodes.some(({ type }) => type === 'match_statement' || type === 'type_parameter')) return []
  const functions = nodes.filter(({ type }) => type === 'function_definition')
  return functions.flatMap((node) => {
    const body = childOf(node, 'body')
    return body === undefined ? [] : assignedIn(body, syntax).map((each) => ({ ...each, scope: body, around: node }))
  })
}

/** Python takes names with one NFKC form for one name. */
function hasSpellings({ tokens }: Side): boolean {
  return tokens.some(({ node, text }) => node?.type === 'identifier' && text !== text.normalize('NFKC'))
}

/** `f'{x=}'` prints the name. */
function showsExpressions({ tokens }: Side): boolean {
  return tokens.some(({ node, text }) => text === '=' && node?.parent?.type === 'interpolation')
}

function assignedIn(body: Node, syntax: Syntax): Pick<Binding, 'name' | 'declared' | 'callsOnly'>[] {
  const open = [...body.children]
  const found: Pick<Binding, 'name' | 'declared' | 'callsOnly'>[] = []
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    const isFunction = node.type === 'function_definition' && node.parent?.type !== 'decorated_definition'
    const targets = isFunction ? [childOf(node, 'name')] : targetsOf(node)
    for (const target of targets.flatMap((each) => (each ? boundIn(each) : []))) {
      found.push({ name: textOf(syntax, target), declared: target, callsOnly: isFunction })
    }
    if (!INNER.has(node.type)) for (const child of node.children) open.push(child)
  }
  const functions = new Set(found.filter(({ callsOnly }) => callsOnly).map(({ name }) => name))
  return found.map((each) => (functions.has(each.name) ? { ...each, callsOnly: true } : each))
}

function targetsOf(node: Node): (Node | undefined)[] {
  switch (node.type) {
    case 'assignment':
    case 'for_statement':
      return [childOf(node, 'left')]
    case 'named_expression':
      return [childOf(node, 'name')]
    case 'as_pattern_target':
      return node.children.filter(({ named }) => named)
    case 'aliased_import':
      return [childOf(node, 'alias')]
    default:
      return []
  }
}

const PATTERNS = new Set([
  'pattern_list',
  'tuple_pattern',
  'list_pattern',
  'list_splat_pattern',
  'tuple',
  'list',
  'list_splat',
])

function boundIn(target: Node): Node[] {
  if (target.type === 'identifier') return [target]
  return PATTERNS.has(target.type) ? target.children.flatMap(boundIn) : []
}

function isInside(node: Node, types: ReadonlySet<string>): boolean {
  for (let at = node.parent; at !== undefined; at = at.parent) {
    if (types.has(at.type)) return true
    if (at.type === 'function_definition' && !types.has('function_definition')) {
      // A class around the function does not matter: methods are functions.
      return false
    }
  }
  return false
}
