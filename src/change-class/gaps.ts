import type { Node } from '../host/tree.js'
import type { Language } from './languages.js'

/** A leaf of the tree with its text, as far as the white space beside it goes. */
export interface Leaf {
  readonly node: Node
  readonly text: string
}

export interface Gap {
  readonly left: Leaf | undefined
  readonly right: Leaf
  /** White space alone; a comment in it counts as a space, or as the line breaks it holds. */
  readonly text: string
  /** The node it stands in. */
  readonly owner: Node | undefined
}

/** What of the white space between two leaves means something: two gaps with the same mark read alike. */
export function gapMark(gap: Gap, { spacing }: Language): string {
  if (gap.left === undefined) return ''
  switch (spacing) {
    case 'spaced':
      return presence(gap) && (gap.text.includes('\n') ? '\n' : ' ')
    case 'css':
      return cssMark(gap)
    case 'ecmascript':
      return ecmascriptMark(gap)
    default:
      return preprocessorMark(gap) || wordMark(gap)
  }
}

const presence = ({ text }: Gap) => (text === '' ? '' : ' ')

const SOLO = new Set(['(', ')', '[', ']', '{', '}', ';', ','])
const WORDISH = /[\w$"'`#@\\\u0080-\uffff]/

/** White space parts words, and what could be one operator. */
function wordMark(gap: Gap): string {
  const [before, after] = [gap.left?.text.at(-1) ?? '', gap.right.text[0] ?? '']
  if (SOLO.has(before) || SOLO.has(after)) return ''
  return WORDISH.test(before) === WORDISH.test(after) ? presence(gap) : ''
}

/** A directive ends with its line. */
function preprocessorMark({ left, right, text, owner }: Gap): string {
  const isDirective = owner?.type.startsWith('preproc') || /^[#%]/.test(right.text) || left?.text.startsWith('#')
  return isDirective && text.includes('\n') ? '\n' : ''
}

/** Behind these a line break ends nothing. */
const OPEN_LEFT = new Set(
  '{ ( [ < , ; ? : = += -= *= /= %= **= <<= >>= >>>= &= ^= |= &&= ||= ??= => && || ?? === !== == != + - * % ** & | ^ . ?. ...'.split(
    ' ',
  ),
)
/** Before these a line break ends nothing, whatever stands before it. */
const CLOSE_RIGHT = new Set([')', ']', '}', ',', ';'])
/** Before these neither, but for words that take no operand from the next line. */
const OPEN_RIGHT = new Set('. ?. && || ?? === !== == != % = += -= *= /= => : ? | & + -'.split(' '))
const CONTEXTUAL =
  /^(?:async|await|get|set|static|accessor|declare|abstract|type|interface|namespace|module|global|readonly|using|of|let|yield|as|is|satisfies|asserts|keyof|infer|unique|override|out|in)$/

/**
 * Statements end at a line break where the grammar allows no other reading, and behind words like `return` at once. So a
 * line break may come or go only where no statement can end.
 */
function ecmascriptMark(gap: Gap): string {
  const { left, right, text, owner } = gap
  if (left === undefined) return ''
  if (right.text === '>' && TYPES.has(right.node.parent?.type ?? '')) return ''
  if (owner?.type === 'jsx_opening_element' || owner?.type === 'jsx_self_closing_element') return presence(gap)
  const isFree =
    OPEN_LEFT.has(left.text) ||
    isHeaderEnd(left) ||
    CLOSE_RIGHT.has(right.text) ||
    (left.text === 'else' && !left.node.named) ||
    UNIONS.has(right.node.parent?.type ?? '') ||
    (right.text !== '=>' && OPEN_RIGHT.has(right.text) && !isContextual(left))
  if (!isFree && text.includes('\n')) return '\n'
  return wordMark(gap)
}

const TYPES = new Set(['type_arguments', 'type_parameters'])
const UNIONS = new Set(['union_type', 'intersection_type'])
const HEADED = new Set(['if_statement', 'while_statement', 'for_statement', 'for_in_statement'])

/** The bracket before the body of an `if` or a loop. */
function isHeaderEnd({ node, text }: Leaf): boolean {
  const { parent } = node
  if (text !== ')' || parent === undefined) return false
  return HEADED.has((parent.type === 'parenthesized_expression' ? parent.parent : parent)?.type ?? '')
}

/** A keyword, or a name that is one in some places. */
export function isContextual({ node, text }: Leaf): boolean {
  return /^[A-Za-z]/.test(text) && (!node.named || CONTEXTUAL.test(text))
}

/** In selectors and values white space is an operator. */
function cssMark(gap: Gap): string {
  const { left, right, owner } = gap
  const isEdge = (leaf: Leaf | undefined) => leaf !== undefined && /^[{};,]$/.test(leaf.text)
  if (isEdge(left) || isEdge(right)) return ''
  if (owner?.type === 'declaration' && left?.text === ':' && left.node.parent === owner) return ''
  return presence(gap)
}
