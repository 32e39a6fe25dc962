import { ancestor, childOf, isWithin, type Node, type Syntax, textOf, walk } from '../os/tree.js'
import { type Binding, mentions, type Side, type Span } from './binding.js'

/** Names in a text that can reach a variable by its name, or a parameter by the way it is passed. */
const SEES_NAMES = new Set(['eval', 'with', 'arguments', 'angular', '$inject', 'awilix', 'caller', 'callee'])

const FUNCTIONS = new Set([
  'function_declaration',
  'generator_function_declaration',
  'function_expression',
  'generator_function',
  'arrow_function',
  'method_definition',
])
const VAR_SCOPES = new Set([...FUNCTIONS, 'class_static_block', 'program'])
const BLOCKS = new Set(['statement_block', 'switch_body', 'for_statement', 'for_in_statement', 'program'])
const FUNCTION_VALUES = new Set(['function_expression', 'arrow_function', 'generator_function', 'class'])

const INJECTS =
  /^(?:controller|service|factory|directive|filter|provider|config|run|component|decorator|animation|invoke|inject|register|define|build|resolve)$/

export function isEcmascriptVariable(node: Node): boolean {
  const { type, parent, field } = node
  if (type !== 'identifier' || parent === undefined) return false
  if (parent.type.startsWith('jsx_') && parent.type !== 'jsx_expression') return false
  if (parent.type === 'export_specifier' || parent.type === 'nested_identifier') return false
  if (parent.type === 'export_statement' || isExported(node)) return false
  return !(parent.type === 'import_specifier' && field === 'name')
}

const DECLARING = /declarator$|declaration$|pattern$|_parameter$/

/** Whether an `export` statement declares the name. */
function isExported(node: Node): boolean {
  let at = node
  while (at.parent !== undefined && DECLARING.test(at.parent.type) && at.field !== 'value' && at.field !== 'body') {
    at = at.parent
  }
  return at.parent?.type === 'export_statement'
}

/** Scopes whose names another block, or a list of members, can also define. */
const OPEN_SCOPES = new Set(['internal_module', 'module', 'enum_declaration', 'with_statement'])

/**
 * The names that a file declares and no other file can see: in functions and blocks, and at the top level of an ES
 * module where they are not exported.
 */
export function ecmascriptBindings(side: Side): Binding[] {
  if (mentions(side, SEES_NAMES) || hasEscapes(side)) return []
  const file = new File(side.syntax)
  const nodes = [...walk(side.syntax.root)]
  if (nodes.some(({ named, type }) => named && OPEN_SCOPES.has(type))) return []
  const found = nodes.flatMap((node) => file.declaredBy(node))
  const functions = nodes.flatMap((node) => namesOfFunctions(side.syntax, node))
  return found.map((each) => {
    const holds = functions.some(({ name, node }) => name === each.name && isIn(node, each.scope))
    return holds ? { ...each, callsOnly: true } : each
  })
}

/** A name can be written with escapes, too. */
function hasEscapes({ tokens }: Side): boolean {
  return tokens.some(({ node, text }) => node !== undefined && /identifier/.test(node.type) && text.includes('\\'))
}

/** Names that an assignment or default gives to an anonymous function, whose `name` shows it. */
function namesOfFunctions(syntax: Syntax, node: Node): { name: string; node: Node }[] {
  const value = childOf(node, 'value') ?? childOf(node, 'right')
  const target = childOf(node, 'name') ?? childOf(node, 'left') ?? childOf(node, 'pattern')
  if (value === undefined || target?.type !== 'identifier' || !isFunction(value)) return []
  return [{ name: textOf(syntax, target), node: target }]
}

function isFunction(value: Node): boolean {
  if (value.type !== 'parenthesized_expression') return FUNCTION_VALUES.has(value.type)
  return value.children.some((child) => child.named && isFunction(child))
}

class File {
  readonly #isModule: boolean
  /** Leaves by their text. */
  #leaves: Map<string, Node[]> | undefined

  constructor(private readonly syntax: Syntax) {
    const { children } = syntax.root
    this.#isModule = children.some(({ type }) => type === 'import_statement' || type === 'export_statement')
  }

  declaredBy(node: Node): Binding[] {
    switch (node.type) {
      case 'variable_declarator':
        return this.#variable(node)
      case 'for_in_statement':
        return this.#loop(node)
      case 'catch_clause':
        return this.#names(childOf(node, 'parameter'), node, node).filter(({ name }) => !this.#hoists(node, name))
      case 'import_clause':
      case 'namespace_import':
      case 'import_specifier':
        return this.#import(node)
      case 'function_declaration':
        return [...this.#function(node), ...this.#parameters(node)]
      default:
        return FUNCTIONS.has(node.type) ? this.#parameters(node) : []
    }
  }

  #variable(node: Node): Binding[] {
    const declaration = node.parent
    const name = childOf(node, 'name')
    if (declaration?.parent === undefined) return []
    if (['export_statement', 'ambient_declaration'].includes(declaration.parent.type)) return []
    const isVar = declaration.type === 'variable_declaration'
    const block = isVar ? this.#varScope(declaration) : ancestor(declaration, BLOCKS)
    return block && this.#isLocal(block) ? this.#names(name, block, around(block)) : []
  }

  #loop(node: Node): Binding[] {
    const [left, kind] = [childOf(node, 'left'), childOf(node, 'kind')]
    if (kind === undefined) return []
    const block = kind.type === 'var' ? this.#varScope(node) : node
    return block && this.#isLocal(block) ? this.#names(left, block, around(block)) : []
  }

  /** The body of the nearest function. Its parameters are another scope. */
  #varScope(node: Node): Node | undefined {
    const owner = ancestor(node, VAR_SCOPES)
    if (owner === undefined || owner.type === 'program') return owner
    const body = childOf(owner, 'body')
    return body !== undefined && isWithin(node, body) ? body : undefined
  }

  /** A `var` in a catch clause may have the name of the caught value, and is visible outside. */
  #hoists(clause: Node, name: string): boolean {
    return [...walk(clause)].some(({ type, parent, children }) => {
      const declares = type === 'variable_declarator' || type === 'function_declaration' || type === 'for_in_statement'
      const isLexical = type === 'variable_declarator' && parent?.type === 'lexical_declaration'
      return declares && !isLexical && children.some((child) => this.#holds(child, name))
    })
  }

  #holds(node: Node, name: string): boolean {
    return /name|left/.test(node.field ?? '') && [...walk(node)].some((each) => textOf(this.syntax, each) === name)
  }

  /** At the top level of a script every name is global. */
  #isLocal(block: Node): boolean {
    return block.type !== 'program' || this.#isModule
  }

  #import(node: Node): Binding[] {
    const own = node.type === 'import_specifier' ? childOf(node, 'alias') : node.children.find(isIdentifier)
    return this.#names(own, this.syntax.root, this.syntax.root)
  }

  /** Strict mode decides whether a function in a plain block is visible outside it. */
  #function(node: Node): Binding[] {
    const block = node.parent
    if (block === undefined || !this.#isLocal(block)) return []
    const isBody = block.type === 'program' || (block.parent !== undefined && FUNCTIONS.has(block.parent.type))
    if (!isBody) return []
    return this.#names(childOf(node, 'name'), block, around(block)).map((each) => ({ ...each, callsOnly: true }))
  }

  #parameters(node: Node): Binding[] {
    const single = childOf(node, 'parameter')
    const list = childOf(node, 'parameters')
    const first = single ?? list
    if (first === undefined || this.#isSignature(node)) return []
    const scope = { start: first.start, end: node.end }
    const patterns = single ? [single] : (list?.children.filter(isPlainParameter) ?? [])
    return patterns.flatMap((pattern) => this.#names(pattern, scope, node))
  }

  /** The parameters of a function that is, or may be, exported are part of what others see. */
  #isSignature(node: Node): boolean {
    if (childOf(node, 'name')?.type === 'property_identifier' && this.#isConstructor(node)) return true
    if (node.parent?.type === 'arguments') return this.#isInjected(node.parent)
    if (node.type.endsWith('declaration')) {
      const name = childOf(node, 'name')
      if (name === undefined || !this.#isOnlyCalled(textOf(this.syntax, name), name)) return true
    }
    if (ancestor(node, FUNCTIONS) !== undefined) return false
    const top = topOf(node)
    if (!this.#isModule || top.type === 'export_statement') return true
    const declared = declaredName(top)
    return declared === undefined || !this.#isOnlyCalled(textOf(this.syntax, declared), declared)
  }

  #isConstructor(node: Node): boolean {
    const name = childOf(node, 'name')
    return name !== undefined && textOf(this.syntax, name) === 'constructor'
  }

  /** Dependency injectors read the names of parameters from a function's text. */
  #isInjected(list: Node): boolean {
    const callee = list.parent && childOf(list.parent, 'function')
    const method = callee && childOf(callee, 'property')
    return method !== undefined && INJECTS.test(textOf(this.syntax, method))
  }

  #isOnlyCalled(name: string, declared: Node): boolean {
    this.#leaves ??= leavesByText(this.syntax)
    for (const node of this.#leaves.get(name) ?? []) {
      if (node === declared) continue
      const { parent, field } = node
      const isCallee = parent?.type === 'call_expression' && field === 'function'
      if (!isCallee && !(parent?.type === 'new_expression' && field === 'constructor')) return false
    }
    return true
  }

  #names(pattern: Node | undefined, scope: Span, outer: Span): Binding[] {
    if (pattern === undefined) return []
    return boundIn(pattern).map((declared) => {
      return { name: textOf(this.syntax, declared), declared, scope, around: outer, callsOnly: false }
    })
  }
}

function leavesByText(syntax: Syntax): Map<string, Node[]> {
  const found = new Map<string, Node[]>()
  for (const node of walk(syntax.root)) {
    if (node.children.length > 0) continue
    const text = textOf(syntax, node)
    const alike = found.get(text)
    if (alike) alike.push(node)
    else found.set(text, [node])
  }
  return found
}

function isIn(node: Node, span: Span): boolean {
  return node.start >= span.start && node.end <= span.end
}

function isIdentifier({ type }: Node): boolean {
  return type === 'identifier'
}

/** A TypeScript parameter may also be a property, and a decorator may read it. */
function isPlainParameter(node: Node): boolean {
  if (!node.named) return false
  return !node.children.some(({ type }) => /accessibility_modifier|override_modifier|readonly|decorator/.test(type))
}

/** A block with the construct it is the body of, where that declares names too. */
function around(block: Node): Span {
  const { parent } = block
  const declares = parent !== undefined && (FUNCTIONS.has(parent.type) || parent.type === 'catch_clause')
  return declares ? parent : block
}

function topOf(node: Node): Node {
  let at = node
  while (at.parent?.parent !== undefined) at = at.parent
  return at
}

function declaredName(top: Node): Node | undefined {
  const declarators = top.children.filter(({ type }) => type === 'variable_declarator')
  if (declarators.length > 1) return undefined
  const name = childOf(declarators[0] ?? top, 'name')
  return name?.type === 'identifier' || name?.type === 'type_identifier' ? name : undefined
}

/** The identifiers that a pattern binds, without defaults, keys, and names that are also keys. */
function boundIn(pattern: Node): Node[] {
  switch (pattern.type) {
    case 'identifier':
      return [pattern]
    case 'array_pattern':
    case 'object_pattern':
    case 'rest_pattern':
      return pattern.children.filter(({ named }) => named).flatMap(boundIn)
    case 'pair_pattern':
      return fieldsOf(pattern, 'value')
    case 'assignment_pattern':
      return fieldsOf(pattern, 'left')
    case 'required_parameter':
    case 'optional_parameter':
      return fieldsOf(pattern, 'pattern')
    default:
      return []
  }
}

function fieldsOf(node: Node, field: string): Node[] {
  const child = childOf(node, field)
  return child === undefined ? [] : boundIn(child)
}
