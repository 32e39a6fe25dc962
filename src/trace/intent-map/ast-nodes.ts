import { languageOf } from '../../change-class/index.js'
import { lineFinder } from '../../core/line-finder.js'
import { parse } from '../../os/grammars.js'
import { childOf, type Node, type Syntax, textOf } from '../../os/tree.js'

/** A function, class or method of a file, with its lines from 1. */
export interface AstNode {
  /** `f()`, `A`, `A.m()`. */
  readonly name: string
  readonly first: number
  readonly last: number
}

const CLASSES =
  /^(?:abstract_)?(?:class|interface|enum|struct|trait|record|module|namespace|object|impl)(?:_(?:declaration|definition|specifier|item))?$/
const FUNCTIONS =
  /^(?:(?:generator_)?function|method|constructor|singleton_method)(?:_(?:declaration|definition|item|signature))?$|^method$/
const FUNCTION_VALUES = /^(?:arrow_function|function_expression|generator_function)$/

/** Larger files are listed without their functions and classes. */
const MAX_BYTES = 512 * 1024

/**
 * The functions, classes and methods of a file, in order. None if its language is unknown or it does not parse.
 * @param looked called with the number of syntax nodes that were visited
 */
export async function astNodes(
  path: string,
  content: Uint8Array,
  looked: (nodes: number) => void = () => undefined,
): Promise<AstNode[]> {
  const language = languageOf(path)
  if (language === undefined || content.length > MAX_BYTES) return []
  const parsed = await parse(language.grammar, Buffer.from(content).toString('utf8'), isBody)
  if (!parsed.ok) return []
  looked(parsed.syntax.nodes)
  return nodesIn(parsed.syntax)
}

/** The inside of a function is not searched. */
function isBody({ field, parent }: Node): boolean {
  if (field !== 'body' || parent === undefined) return false
  const isValue = parent.field === 'value' && parent.parent?.type === 'variable_declarator'
  return FUNCTIONS.test(parent.type) || (isValue && FUNCTION_VALUES.test(parent.type))
}

function nodesIn(syntax: Syntax): AstNode[] {
  const lineAt = lineFinder(syntax.text)
  const found: AstNode[] = []
  const visit = (node: Node, within: string) => {
    const part = partOf(syntax, node)
    const name = part && `${within}${part.name}${part.isFunction ? '()' : ''}`
    if (name !== undefined) {
      const last = Math.max(node.start, node.end - 1)
      found.push({ name: safeName(name), first: lineAt(node.start), last: lineAt(last) })
    }
    if (part?.isFunction) return
    for (const child of node.children) visit(child, part ? `${within}${part.name}.` : within)
  }
  visit(syntax.root, '')
  return found
}

function partOf(syntax: Syntax, node: Node): { readonly name: string; readonly isFunction: boolean } | undefined {
  if (!node.named) return undefined
  const value = node.type === 'variable_declarator' ? childOf(node, 'value') : undefined
  const isFunction = FUNCTIONS.test(node.type) || (value !== undefined && FUNCTION_VALUES.test(value.type))
  if (!isFunction && !CLASSES.test(node.type) && node.type !== 'type_spec') return undefined
  const name = childOf(node, 'name') ?? childOf(node, 'type') ?? nameIn(childOf(node, 'declarator'))
  return name && { name: textOf(syntax, name), isFunction }
}

/** In C and its relatives the name is nested in the declarator. */
function nameIn(declarator: Node | undefined): Node | undefined {
  let at = declarator
  for (let next = at; next !== undefined; next = childOf(next, 'declarator')) at = next
  return at
}

/** A name without characters that break a Markdown table. */
function safeName(name: string): string {
  return name.replace(/[^\w.$#:~!?=()<>@\u00a1-\uffff-]+/g, '_').slice(0, 120)
}
