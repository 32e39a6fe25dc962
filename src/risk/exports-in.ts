import { childOf, type Node, walk } from '../os/tree.js'
import type { File, Place } from './syntax.js'

/** The names that a statement exports, of an ES or a CommonJS module. */
export function exportsIn(node: Node, file: File): Place[] {
  return node.type === 'export_statement' ? esExports(node, file) : commonExports(node, file)
}

function esExports(node: Node, { text, lineOf }: File): Place[] {
  const line = lineOf(node)
  if (node.children.some(({ type }) => type === 'default')) return [{ text: 'default', line }]
  const declaration = childOf(node, 'declaration')
  if (declaration !== undefined) return declaredNames(declaration, text).map((name) => ({ text: name, line }))
  const clause = node.children.find(({ type }) => type === 'export_clause')
  const source = childOf(node, 'source')
  if (clause === undefined) return source === undefined ? [] : [{ text: `* from ${text(source)}`, line }]
  return clause.children.flatMap((each) => {
    const name = each.type === 'export_specifier' ? (childOf(each, 'alias') ?? childOf(each, 'name')) : undefined
    return name === undefined ? [] : [{ text: text(name), line: lineOf(each) }]
  })
}

function declaredNames(declaration: Node, text: File['text']): string[] {
  const name = childOf(declaration, 'name')
  if (name !== undefined) return [text(name)]
  return declaration.children.flatMap((declarator) => {
    const names = declarator.type === 'variable_declarator' ? childOf(declarator, 'name') : undefined
    if (names === undefined) return []
    if (names.type === 'identifier') return [text(names)]
    return [...walk(names)].filter(({ type }) => /identifier_pattern$|^identifier$/.test(type)).map(text)
  })
}

/** `exports.a = …`, `module.exports.a = …`, `module.exports = { a }`. */
function commonExports(node: Node, { text, lineOf }: File): Place[] {
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')]
  if (left?.type !== 'member_expression') return []
  const line = lineOf(node)
  const target = text(left)
  const own = /^(?:module\.)?exports\.([\w$]+)$/.exec(target)?.[1]
  if (own !== undefined) return [{ text: own, line }]
  if (target !== 'module.exports') return []
  if (right?.type !== 'object') return [{ text: 'module.exports', line }]
  return right.children.flatMap((each) => {
    const key = each.type === 'shorthand_property_identifier' ? each : (childOf(each, 'key') ?? childOf(each, 'name'))
    return key === undefined ? [] : [{ text: text(key), line: lineOf(each) }]
  })
}
