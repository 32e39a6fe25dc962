import type { Node } from '../os/tree.js'
import type { Binding, Side, Span } from './binding.js'
import { ecmascriptBindings, isEcmascriptVariable } from './bindings-ecmascript.js'
import { isPythonVariable, pythonBindings } from './bindings-python.js'
import type { Language } from './languages.js'
import type { Token } from './stream.js'

export interface Comparison {
  readonly language: Language
  readonly before: Side
  readonly after: Side
}

interface Scoping {
  /** False for names of properties, keyword arguments, imports and the like, which other files know. */
  isVariable(node: Node): boolean
  /** All local names of a file. None where its code can observe names. */
  bindings(side: Side): readonly Binding[]
  /** Whether a node is the name in a declaration, or in a call. */
  isCall(node: Node): boolean
}

const isCalled = (node: Node) =>
  (node.parent?.type === 'call_expression' || node.parent?.type === 'call') && node.field === 'function'

const ECMASCRIPT: Scoping = { isVariable: isEcmascriptVariable, bindings: ecmascriptBindings, isCall: isCalled }
const PYTHON: Scoping = { isVariable: isPythonVariable, bindings: pythonBindings, isCall: isCalled }

/** The limits of the search, whose cost is the product of names and tokens. */
const MOST = { uses: 5_000, names: 100, scopes: 50 }

/**
 * The names in which two files differ, if they are local on both sides and every use changed.
 *
 * It does not resolve each use, and requires more than a resolver would: the old name is absent from the new scope, and
 * the new one from the old scope. Then every use still has its binding, in this scope or an inner one.
 */
export function findRenames(sides: Comparison): readonly (readonly [from: string, to: string])[] | undefined {
  const { language, before, after } = sides
  const scoping = {
    ecmascript: ECMASCRIPT,
    python: PYTHON,
    go: undefined,
    free: undefined,
    css: undefined,
    spaced: undefined,
  }[language.spacing]
  if (scoping === undefined) return undefined
  const changed = changedNames(before.tokens, after.tokens, scoping)
  if (changed === undefined) return undefined
  const old = scoping.bindings(before)
  const now = new Map(scoping.bindings(after).map((binding) => [binding.declared.start, binding]))
  const renames = new Map<string, readonly [string, string]>()
  const explained = new Set<number>()
  if (changed.length > MOST.uses) return undefined
  for (const at of changed) {
    if (renames.size > MOST.names) return undefined
    if (explained.has(at)) continue
    const renamed = explain(at, { sides, scoping, old, now, changed })
    if (renamed === undefined) return undefined
    for (const each of renamed.uses) explained.add(each)
    renames.set(renamed.pair.join(' '), renamed.pair)
  }
  return [...renames.values()]
}

/** The positions where the tokens differ, if they differ only in the names of variables. */
function changedNames(old: readonly Token[], now: readonly Token[], { isVariable }: Scoping): number[] | undefined {
  if (old.length !== now.length) return undefined
  const changed: number[] = []
  for (const [at, token] of old.entries()) {
    const other = now[at]
    if (other === undefined || token.shape !== other.shape) return undefined
    if (token.text === other.text) continue
    if (!token.node || !other.node || !isVariable(token.node) || !isVariable(other.node)) return undefined
    changed.push(at)
  }
  return changed
}

interface Search {
  readonly sides: Comparison
  readonly scoping: Scoping
  readonly old: readonly Binding[]
  /** Bindings by the position of their declaration. */
  readonly now: ReadonlyMap<number, Binding>
  readonly changed: readonly number[]
}

/** The widest scope in which a rename explains a changed token, with all tokens that it explains. */
function explain(at: number, search: Search): { uses: readonly number[]; pair: readonly [string, string] } | undefined {
  const { before, after } = search.sides
  const [token, other] = [before.tokens[at], after.tokens[at]]
  if (!token?.node || !other) return undefined
  const { node } = token
  const pair = [token.text, other.text] as const
  if (!isRenamable(...pair)) return undefined
  const candidates = search.old
    .filter(({ name, scope }) => name === token.text && node.start >= scope.start && node.end <= scope.end)
    .sort((a, b) => a.scope.start - b.scope.start || b.scope.end - a.scope.end)
  for (const binding of candidates.slice(0, MOST.scopes)) {
    const uses = usesIn(binding, pair, search)
    if (uses?.includes(at)) return { uses, pair }
  }
  return undefined
}

/** The tokens of a scope that a rename changes; undefined unless it changes all uses. */
function usesIn(old: Binding, [from, to]: readonly [string, string], search: Search): number[] | undefined {
  const { before, after } = search.sides
  const declaredAt = before.tokens.findIndex(({ node }) => node === old.declared)
  const now = search.now.get(after.tokens[declaredAt]?.node?.start ?? -1)
  if (now?.name !== to || now.callsOnly !== old.callsOnly) return undefined
  const uses: number[] = []
  for (const [at, token] of before.tokens.entries()) {
    const other = after.tokens[at]
    if (other === undefined || !isIn(token, old.around) !== !isIn(other, now.around)) return undefined
    if (!isIn(token, old.around)) continue
    const inScope = isIn(token, old.scope)
    if (inScope !== isIn(other, now.scope)) return undefined
    const isUse = inScope && token.text === from && other.text === to
    if (isUse) {
      const { node } = token
      if (node && isShown(node, old)) return undefined
      if (old.callsOnly && node !== old.declared && !(node && search.scoping.isCall(node))) return undefined
      uses.push(at)
    } else if (names(token, from, to, search) || names(other, from, to, search)) return undefined
  }
  return uses
}

/** Functions and classes show their name at run time, and some tools know templates by their tags. */
function isShown({ parent, field, end }: Node, { callsOnly }: Binding): boolean {
  if (parent === undefined) return false
  if (field === 'name' && !callsOnly && /function|class/.test(parent.type)) return true
  return field === 'function' && parent.children.some(({ type, start }) => type === 'template_string' && start >= end)
}

/** Whether a token has one of two names: as a variable, or in a text that may be evaluated. */
function names({ node, text, shape }: Token, from: string, to: string, { scoping }: Search): boolean {
  if (text === from || text === to) return node === undefined || !isProperty(node) || scoping.isVariable(node)
  if (!/string|template|unnamed|comment|regex/.test(shape)) return false
  return text.split(/[^\w$\u0080-\uffff]+/).some((word) => word === from || word === to)
}

const PROPERTIES = new Set([
  'property_identifier',
  'private_property_identifier',
  'statement_identifier',
  'string_fragment',
])

/** Whether a name is a property, which no variable in scope can change. */
function isProperty(node: Node): boolean {
  if (PROPERTIES.has(node.type)) return node.type !== 'string_fragment'
  const { parent, field } = node
  return (
    (parent?.type === 'keyword_argument' && field === 'name') || (parent?.type === 'attribute' && field === 'attribute')
  )
}

function isIn({ node }: Token, span: Span): boolean {
  return node !== undefined && node.start >= span.start && node.end <= span.end
}

/**
 * Names that a tool or host reads: injectors, test runners, hooks, module loaders, and words reserved only in places.
 */
const TELLING =
  /^\$|^(?:t|i18n|gql|graphql|css|styled|html|sql|tw|process|global|globalThis|window|document)$|^__|^mock|^(?:vi|jest|React|h|jsx|Fragment|preact|angular|require|exports|module|define|undefined|NaN|Infinity|arguments|eval|await|yield|let|static|async|of|get|set|type|implements|interface|package|private|protected|public|as|is|super|self|cls|this|None|print|exec|match|case|_)$/

/** A new name must be free, and its spelling must not have a meaning for a tool. */
function isRenamable(from: string, to: string): boolean {
  if (TELLING.test(from) || TELLING.test(to)) return false
  const styleOf = (name: string) =>
    [/^use[A-Z0-9]/, /^[A-Z]/, /^_/, /^test|^Test/].map((each) => each.test(name)).join()
  return styleOf(from) === styleOf(to)
}
