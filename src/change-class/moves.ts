import { childOf, type Node, walk } from '../os/tree.js'
import type { Side } from './binding.js'
import type { Comparison } from './renames.js'
import { isSame, type Token } from './stream.js'

/** The declarations of a language whose order has no meaning. */
interface Movable {
  /** Type of a scope → types of its possible parents. */
  readonly scopes: Readonly<Record<string, RegExp>>
  readonly declarations: RegExp
  /** Names of declarations that a tool runs in order. */
  readonly fixed: RegExp
  /** Whether declarations of one name can differ in more than their order. */
  readonly overloads?: true
}

/** Functions are hoisted within their scope, and types are not code. Classes are neither. */
const ECMASCRIPT: Movable = {
  scopes: { program: /^$/, statement_block: /function|method/ },
  declarations: /^(?:(?:generator_)?function|interface|type_alias)_declaration$/,
  fixed: /^$/,
}

const MOVABLE: Readonly<Record<string, Movable>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  go: {
    scopes: { source_file: /^$/ },
    declarations: /^(?:function|method|type)_declaration$/,
    fixed: /^(?:init|_|Test|Example|Benchmark|Fuzz)/,
    overloads: true,
  },
  rust: {
    scopes: { source_file: /^$/, declaration_list: /^(?:impl|trait|mod)_item$/ },
    declarations: /^(?:function|struct|enum|type)_item$/,
    fixed: /^$/,
  },
  java: {
    scopes: { class_body: /^class_declaration$/ },
    declarations: /^method_declaration$/,
    fixed: /^test/i,
    overloads: true,
  },
  'c-sharp': {
    scopes: { declaration_list: /^class_declaration$/ },
    declarations: /^method_declaration$/,
    fixed: /^test/i,
    overloads: true,
  },
}

/** One child of a scope, with its tokens. */
interface Unit {
  readonly node: Node
  readonly tokens: readonly Token[]
  /** The tokens as one text. Equal texts are equal declarations. */
  readonly text: string
}

/**
 * Whether both sides differ only in the order of declarations within one scope, where that order has no meaning.
 * Everything between them must keep its order, and their names must be unique.
 */
export function isMoved({ language, before, after }: Comparison): boolean {
  const movable = MOVABLE[language.grammar]
  if (movable === undefined || before.tokens.length !== after.tokens.length) return false
  const first = before.tokens.findIndex((token, at) => !isSame(token, after.tokens[at] ?? token))
  const last = before.tokens.findLastIndex((token, at) => !isSame(token, after.tokens[at] ?? token))
  const [old, now] = [scopeAround(before, first, last, movable), scopeAround(after, first, last, movable)]
  if (old === undefined || now === undefined || old.type !== now.type || !hasSameEnds(before, after, old, now))
    return false
  if (holdsDirective(before) || holdsDirective(after)) return false
  return isReordered(unitsOf(before, old), unitsOf(after, now), movable)
}

/** The innermost scope that contains a range of tokens. */
function scopeAround({ tokens }: Side, first: number, last: number, { scopes }: Movable): Node | undefined {
  const nodes = tokens.slice(first, last + 1).flatMap(({ node }) => (node ? [node] : []))
  const [start, end] = [nodes[0]?.start ?? 0, nodes.at(-1)?.end ?? 0]
  const isScope = ({ type, parent }: Node) => Object.hasOwn(scopes, type) && scopes[type]?.test(parent?.type ?? '')
  let at = nodes[0]?.parent
  while (at !== undefined && !(isScope(at) && at.start <= start && at.end >= end)) at = at.parent
  return at
}

/** Whether the scope covers the same part of both token streams. */
function hasSameEnds(before: Side, after: Side, old: Node, now: Node): boolean {
  const bounds = ({ tokens }: Side, scope: Node) => [
    tokens.findIndex(({ node }) => node === scope),
    tokens.findLastIndex(({ node }) => node === scope),
  ]
  return bounds(before, old).join() === bounds(after, now).join()
}

/** Whether there is a directive, which belongs to its place. */
function holdsDirective({ tokens }: Side): boolean {
  return tokens.some(({ shape }) => shape.startsWith('comment'))
}

function unitsOf({ tokens }: Side, scope: Node): Unit[] {
  const units = scope.children.filter(({ named, type }) => named && !/comment/.test(type))
  const first = new Map<Node, number>()
  const last = new Map<Node, number>()
  for (const [at, { node }] of tokens.entries()) {
    if (node === undefined) continue
    if (!first.has(node)) first.set(node, at)
    last.set(node, at)
  }
  return units.map((node) => {
    const own = tokens.slice(first.get(node) ?? 0, (last.get(node) ?? -1) + 1)
    // The white space before a declaration is not part of it.
    const begin = own.findIndex((token) => token.text !== '')
    const text = own.map(({ shape, text }, at) => `${at === begin ? shape.trimStart() : shape}\0${text}`).join('\0')
    return { node, tokens: own, text: `${node.type}\0${text}` }
  })
}

function isReordered(old: readonly Unit[], now: readonly Unit[], movable: Movable): boolean {
  const isMovable = (unit: Unit) => movable.declarations.test(declarationOf(unit).type)
  const texts = (units: readonly Unit[]) => units.map(({ text }) => text)
  const fixedUnits = (units: readonly Unit[]) => texts(units.filter((unit) => !isMovable(unit)))
  const movableUnits = (units: readonly Unit[]) => texts(units.filter(isMovable)).sort()
  if (!isEqual(fixedUnits(old), fixedUnits(now)) || !isEqual(movableUnits(old), movableUnits(now))) return false
  if (old.some(isAttached) || prologue(old) !== prologue(now)) return false
  const named = countNames(old)
  const displaced = old.filter((unit, at) => unit.text !== now[at]?.text)
  return displaced.filter(isMovable).every((unit) => isFree(unit, named, movable))
}

/** The declaration of a unit: a function is hoisted, exported or not. */
function declarationOf({ node }: Unit): Node {
  if (node.type !== 'export_statement') return node
  return node.children.find(({ field }) => field === 'declaration') ?? node
}

/** An attribute belongs to the next declaration, and a macro may. */
function isAttached({ node }: Unit): boolean {
  return /attribute|macro|decorator|preproc/.test(node.type) || node.children.some(({ type }) => /macro/.test(type))
}

/** Frameworks read decorated declarations in order. */
function isMarked({ node }: Unit): boolean {
  return [...walk(node)].some(({ type }) => /attribute|annotation$|decorator/.test(type) && type !== 'type_annotation')
}

/** Whether a unit may move: its name is unique in the scope, and nothing runs it or observes it at its place. */
function isFree(unit: Unit, named: ReadonlyMap<string, number>, { fixed, overloads }: Movable): boolean {
  const name = nameOf(unit)
  if (name === undefined || fixed.test(name) || isMarked(unit)) return false
  return overloads === true || named.get(name) === 1
}

function nameOf(unit: Unit): string | undefined {
  const named = childOf(declarationOf(unit), 'name') ?? declarationOf(unit).children.flatMap(specOf)[0]
  return unit.tokens.find(({ node, text }) => node === named && text !== '')?.text
}

/** A Go declaration contains a list of specs. */
function specOf(node: Node): Node[] {
  const name = childOf(node, 'name')
  return node.named && name !== undefined ? [name] : []
}

/** Name → the number of units that may declare it. */
function countNames(units: readonly Unit[]): Map<string, number> {
  const count = new Map<string, number>()
  for (const { tokens } of units) {
    const names = new Set(tokens.filter(({ node }) => node?.field === 'name').map(({ text }) => text))
    for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)
  }
  return count
}

/** The number of directives like 'use strict' at the start, the only place where they are directives. */
function prologue(units: readonly Unit[]): number {
  const isDirective = ({ node }: Unit) => node.type === 'expression_statement' && node.children[0]?.type === 'string'
  const end = units.findIndex((unit) => !isDirective(unit))
  return end < 0 ? units.length : end
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((each, at) => each === b[at])
}
