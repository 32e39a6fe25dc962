import type { Node } from '../os/tree.js'
import type { Language } from './languages.js'

/** A leaf of the tree with its text, for the rules about the white space next to it. */
export interface Leaf {
  readonly node: Node
  readonly text: string
}

export interface Gap {
  readonly left: Leaf | undefined
  readonly right: Leaf
  /** Only white space. A comment counts as a space, or as the line breaks in it. */
  readonly text: string
  /** The node that contains it. */
  readonly owner: Node | undefined
  /** Within the brackets of what may be a macro, which can read its arguments as text. */
  readonly inMacro?: boolean
}

/** The meaning of the white space between two leaves. Two gaps with equal marks mean the same. */
export function gapMark(gap: Gap, { spacing, grammar }: Language): string {
  if (gap.left === undefined) return ''
  switch (spacing) {
    case 'spaced':
      // In Ruby `a +#` is a call, and `a + #` an addition.
      return (
        presence(gap) && (gap.text.startsWith(COMMENT_ALONE) ? COMMENT_ALONE : '') + (lineMark(gap, grammar) || ' ')
      )
    case 'css':
      return cssMark(gap)
    case 'ecmascript':
      return ecmascriptMark(gap)
    default:
      return endMark(gap) || (gap.inMacro === true ? presence(gap) : wordMark(gap))
  }
}

/** In Ruby `.b` continues the line above across comments, but not across an empty line. */
function lineMark({ right, text }: Gap, grammar: string): string {
  if (grammar === 'ruby' && /^&?\.$/.test(right.text)) return text.replace(/[ \t\r]+/g, '')
  return text.includes('\n') ? '\n' : ''
}

const presence = ({ text }: Gap) => (text === '' ? '' : ' ')

const SOLO = new Set(['(', ')', '[', ']', '{', '}', ';', ','])
const WORDISH = /[\w$"'`#@\\\u0080-\uffff]/

/** White space separates words, and characters that could form one operator. */
function wordMark(gap: Gap): string {
  const [before, after] = [gap.left?.text.at(-1) ?? '', gap.right.text[0] ?? '']
  if (SOLO.has(before) || SOLO.has(after)) return ''
  if (isNumber(gap)) return presence(gap)
  return WORDISH.test(before) === WORDISH.test(after) ? presence(gap) : ''
}

/** Whether both sides could be one number without the white space: `. 5`, and `0xe +1` in C. */
function isNumber({ left, right }: Gap): boolean {
  const text = left?.text ?? ''
  return (text.endsWith('.') && /^\d/.test(right.text)) || (/^\.?\d.*[ep]$/i.test(text) && /^[+-]/.test(right.text))
}

/** A line break where it ends something: a directive, an attribute that is a comment in PHP 7, the brackets of a PHP cast. */
function endMark({ left, right, text, owner }: Gap): string {
  if (!text.includes('\n')) return ''
  const isDirective = isInDirective(owner) || /^[#%]/.test(right.text) || left?.text.startsWith('#')
  const isAttribute = left?.text === ']' && left.node.parent?.type === 'attribute_group'
  return isDirective || isAttribute || owner?.type === 'cast_expression' ? '\n' : ''
}

/** Directly in a directive, or in its condition. */
function isInDirective(owner: Node | undefined): boolean {
  if (owner?.type.startsWith('preproc')) return true
  let at = owner
  while (at !== undefined && at.field !== 'condition') at = at.parent
  return at?.parent?.type.startsWith('preproc') === true
}

/** Tokens after which a line break ends nothing. */
const OPEN_LEFT = new Set(
  '{ ( [ < , ; ? : = += -= *= /= %= **= <<= >>= >>>= &= ^= |= &&= ||= ??= => && || ?? === !== == != + - * % ** & | ^ . ?. ...'.split(
    ' ',
  ),
)
/** Tokens before which a line break ends nothing. */
const CLOSE_RIGHT = new Set([')', ']', '}', ',', ';'])
/** As above, except after words that take no operand from the next line. */
const OPEN_RIGHT = new Set('. ?. && || ?? === !== == != % = += -= *= /= => : ? | & + -'.split(' '))
const CONTEXTUAL =
  /^(?:async|await|get|set|static|accessor|declare|abstract|type|interface|namespace|module|global|readonly|using|of|let|yield|as|is|satisfies|asserts|keyof|infer|unique|override|out|in)$/

/**
 * Statements end at a line break where the grammar allows no other reading, and always after words like `return`. So a
 * line break may be added or removed only where no statement can end.
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

/** Whether a bracket ends the header of an `if` or a loop. */
function isHeaderEnd({ node, text }: Leaf): boolean {
  const { parent } = node
  if (text !== ')' || parent === undefined) return false
  return HEADED.has((parent.type === 'parenthesized_expression' ? parent.parent : parent)?.type ?? '')
}

/** Whether a leaf is a keyword, or a name that is a keyword in some places. */
export function isContextual({ node, text }: Leaf): boolean {
  return /^[A-Za-z]/.test(text) && (!node.named || CONTEXTUAL.test(text))
}

/** In selectors and values white space is an operator. */
function cssMark(gap: Gap): string {
  const { left, right, owner } = gap
  const isEdge = (leaf: Leaf | undefined) => leaf !== undefined && /^[{};,]$/.test(leaf.text)
  if (isEdge(left) || isEdge(right)) return ''
  if (owner?.type === 'declaration' && left?.text === ':' && left.node.parent === owner) return ''
  return /\s/.test(gap.text) ? ' ' : gap.text && COMMENT_ALONE
}

/** A comment where it is not the same as white space: in CSS it only separates two words, and in Ruby its line is not empty. */
export const COMMENT_ALONE = '/'
