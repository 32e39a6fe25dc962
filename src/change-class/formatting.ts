import type { Node } from '../os/tree.js'
import { isContextual, type Leaf } from './gaps.js'
import type { Language } from './languages.js'

/** The choices of formatters that change neither the tree nor its meaning. */

const BRACKETS = new Set([')', ']', '}', '>'])

/** Lists in which a comma before the closing bracket has no meaning. Without those where it makes a tuple. */
const LISTS: Readonly<Record<string, ReadonlySet<string>>> = {
  ecmascript: new Set(
    (
      'arguments array object formal_parameters named_imports export_clause object_pattern array_pattern ' +
      'type_arguments type_parameters tuple_type enum_body'
    ).split(' '),
  ),
  python: new Set(['argument_list', 'parameters', 'list', 'dictionary']),
  go: new Set(['argument_list', 'parameter_list', 'literal_value']),
  rust: new Set([
    ...['arguments', 'parameters', 'array_expression', 'field_initializer_list', 'field_declaration_list'],
    'enum_variant_list',
  ]),
}

/** The comma after the last item of a list. `[a,,]` has one more item, and keeps both commas. */
export function isTrailingComma(node: Node, { spacing, grammar }: Language): boolean {
  if (node.type !== ',' || node.parent === undefined) return false
  if (!(LISTS[spacing] ?? LISTS[grammar])?.has(node.parent.type)) return false
  const siblings = node.parent.children
  const at = siblings.indexOf(node)
  const [before, after] = [siblings[at - 1], siblings[at + 1]]
  return after !== undefined && BRACKETS.has(after.type) && before?.named === true && before.type !== 'comment'
}

/** A string's delimiter regardless of the kind of quotes. The text between them is compared as it is. */
export function plainQuote(node: Node, text: string, { spacing }: Language): string {
  if (node.parent?.type !== 'string') return text
  if (spacing === 'ecmascript') return text === '"' && !node.named ? "'" : text
  if (spacing !== 'python' || !/^string_(?:start|end)$/.test(node.type) || text.includes('"""')) return text
  return text.replace('"', "'")
}

/** The only parameter of an arrow function, with or without brackets; undefined for a longer list. */
export function soleParameter(parameters: Node): Node | undefined {
  if (parameters.parent?.type !== 'arrow_function') return undefined
  if (parameters.type === 'identifier') return parameters.field === 'parameter' ? parameters : undefined
  const [open, only, close] = parameters.children
  if (parameters.type !== 'formal_parameters' || parameters.children.length !== 3) return undefined
  if (open?.type !== '(' || close?.type !== ')' || only === undefined) return undefined
  if (only.type === 'identifier') return only
  const [name] = only.children
  return only.type === 'required_parameter' && only.children.length === 1 && name?.type === 'identifier'
    ? name
    : undefined
}

/** The member of a union with one member: `| A` is the same as `A`. */
export function soleMember({ type, children }: Node): Node | undefined {
  const [mark, only] = children
  const isOne = type === 'union_type' ? mark?.type === '|' : type === 'intersection_type' && mark?.type === '&'
  return isOne && children.length === 2 ? only : undefined
}

/** Nodes in which brackets have no meaning, because the tree itself shows what belongs together. */
const BRACKETED: Readonly<Record<string, string>> = {
  return_statement: '',
  arrow_function: 'body',
  variable_declarator: 'value',
  pair: 'value',
  assignment_expression: 'right',
  arguments: '',
  ternary_expression: 'consequence alternative',
}

/** An expression in brackets without a meaning; undefined if they have or may have one. */
export function soleExpression(node: Node): Node | undefined {
  const { type, parent, field, children } = node
  if (type !== 'parenthesized_expression' || parent === undefined || children.length !== 3) return undefined
  const fields = BRACKETED[parent.type]
  const fits = fields === '' || (fields !== undefined && field !== null && fields.split(' ').includes(field))
  const [, only] = children
  const isPlain = only?.named === true && only.type !== 'comment' && only.type !== 'sequence_expression'
  const isCast = parent.children.some((each) => each.type === 'comment')
  return fits && isPlain && !isCast ? only : undefined
}

/** A block comment with starred lines, without its indentation. */
export function unindentComment(comment: string): string {
  return /^\/\*[^\n]*(?:\n[ \t]*\*[^\n]*)+$/.test(comment) ? comment.replace(/\n[ \t]*\*/g, '\n *') : comment
}

const ENDED = new Set(
  (
    'expression_statement lexical_declaration variable_declaration return_statement throw_statement import_statement ' +
    'export_statement type_alias_declaration continue_statement break_statement'
  ).split(' '),
)
const BODIES = new Set(['program', 'statement_block', 'switch_case', 'switch_default', 'export_statement'])
/** Nodes with a field for one statement. */
const BRANCHES = new Set(['if_statement', 'while_statement', 'for_statement', 'for_in_statement', 'else_clause'])
const FIELDS = new Set(['public_field_definition', 'field_definition'])
const SIGNATURES = /_signature$/
const TYPES = new Set(['interface_body', 'object_type'])

/** Whether a line break can end a class or type member as a semicolon does. */
function isMember(node: Node): boolean {
  const within = node.parent?.type ?? ''
  return (FIELDS.has(node.type) && within === 'class_body') || (SIGNATURES.test(node.type) && TYPES.has(within))
}

/** Whether a line break after a node can end it as a semicolon does. */
export function endsByLine(node: Node, { spacing }: Language): boolean {
  if (spacing !== 'ecmascript') return false
  if (isMember(node)) return true
  const within = node.parent?.type ?? ''
  if (!ENDED.has(node.type)) return false
  return BODIES.has(within) || (BRANCHES.has(within) && (within === 'else_clause' || isBody(node)))
}

function isBody({ field }: Node): boolean {
  return field === 'body' || field === 'consequence'
}

/** Whether a token is the semicolon of such a node, or the comma after a type's member. */
export function isEndingSemicolon(node: Node, language: Language): boolean {
  if (node.parent === undefined || (node.type !== ';' && !(node.type === ',' && TYPES.has(node.parent.type))))
    return false
  if (endsByLine(node.parent, language)) return node.parent.children.at(-1) === node
  const siblings = node.parent.children
  const before = siblings[siblings.indexOf(node) - 1]
  return before !== undefined && isMember(before) && endsByLine(before, language)
}

/** Tokens after which a statement cannot continue on the next line. */
const ENDS =
  /^(?:return|break|continue|const|symbol|string|number|boolean|bigint|object|any|unknown|never|void|null|true|false|this)$/

/** Words that continue the statement of the line before. */
const GOES_ON = /^(?:in|instanceof|of|as|satisfies|is)$/

/** Whether a statement ends between two leaves with or without a semicolon. */
export function isEnd(left: Leaf, right: Leaf): boolean {
  if (right.text === '}') return true
  const beginsAnew = /^[\w$#"'{]/.test(right.text) && !GOES_ON.test(right.text)
  return beginsAnew && (ENDS.test(left.text) || !isContextual(left))
}
