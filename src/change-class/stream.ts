import { type Node, type Syntax, textOf } from '../os/tree.js'
import { everyCommentCounts, isComment, isNoSpace, isPlainComment, keepsComments } from './comments.js'
import {
  endsByLine,
  isEnd,
  isEndingSemicolon,
  isTrailingComma,
  plainQuote,
  soleExpression,
  soleMember,
  soleParameter,
  unindentComment,
} from './formatting.js'
import { COMMENT_ALONE, type Gap, gapMark, type Leaf } from './gaps.js'
import { Indentation } from './indentation.js'
import type { Language } from './languages.js'
import { Brackets } from './macro-brackets.js'
import { checkReading } from './misread.js'

/**
 * One token of a file as its language reads it. Files with equal streams are the same program but for layout and
 * comments.
 */
export interface Token {
  /** The kind of token, and the meaning of the white space before it. */
  readonly shape: string
  readonly text: string
  /** The leaf, or the node that begins or ends here. */
  readonly node?: Node
}

/**
 * The tree in source order. Every byte of the text is in a leaf or known to be layout.
 * @throws Inconclusive where the meaning of the text is unknown
 */
export function streamOf(syntax: Syntax, language: Language): Token[] {
  checkReading(syntax, language)
  const stream = new Stream(syntax, language)
  stream.visit(syntax.root, false)
  stream.finish()
  return stream.tokens
}

export function isSame(a: Token, b: Token): boolean {
  return a.shape === b.shape && a.text === b.text
}

class Stream {
  readonly tokens: Token[] = []
  readonly #indentation: Indentation | undefined
  readonly #brackets: Brackets | undefined
  readonly #allComments: boolean
  #end = 0
  #gap = ''
  #gapOwner: Node | undefined
  #left: Leaf | undefined
  /**
   * Whether an ECMAScript statement has ended since the last leaf: by a semicolon, or in a way that is not known yet.
   */
  #ended: { readonly semicolon?: Node } | undefined

  constructor(
    private readonly syntax: Syntax,
    private readonly language: Language,
  ) {
    this.#indentation = language.spacing === 'python' ? new Indentation(syntax.text) : undefined
    this.#brackets = language.grammar === 'cpp' ? new Brackets() : undefined
    this.#allComments = everyCommentCounts(syntax.text, language)
  }

  visit(node: Node, within: boolean): void {
    this.#between(node.start, node.parent ?? node, within, node)
    if (isComment(node)) this.#comment(node, within)
    else if (node.type === 'line_continuation') this.#continue(node)
    else if (node.children.length === 0) this.#leaf(node, within)
    else this.#inner(node, within)
  }

  #inner(node: Node, within: boolean): void {
    const parameter = soleParameter(node)
    const only = this.language.spacing === 'ecmascript' ? (soleMember(node) ?? soleExpression(node)) : undefined
    if (parameter !== undefined) this.#parameter(node, parameter, within)
    else if (only !== undefined) {
      this.#end = only.start
      this.visit(only, within)
      this.#end = node.end
    } else this.#tree(node, within || this.#isExact(node))
  }

  #tree(node: Node, exact: boolean): void {
    this.#push(`(${node.type}`, '', node)
    for (const child of node.children) this.visit(child, exact)
    this.#between(node.end, node, exact)
    this.#push(')', '', node)
    if (endsByLine(node, this.language)) this.#ended ??= {}
  }

  /** `(x) =>` is `x =>`. */
  #parameter(brackets: Node, parameter: Node, exact: boolean): void {
    this.#end = parameter.start
    this.#leaf(parameter, exact)
    this.#end = brackets.end
  }

  finish(): void {
    this.#between(this.syntax.text.length, this.syntax.root, false)
    // Text after the end of the code is printed.
    if (this.#left?.text === '?>') this.#push('gap', this.#gap)
  }

  #isExact(node: Node): boolean {
    if (!node.named) return false
    if (this.language.exact.test(node.type)) return true
    // A property of the program's own keeps its text, and the grammar reads some as nested rules.
    if (this.language.spacing === 'css')
      return /^(?:declaration|rule_set)$/.test(node.type) && this.#textOf(node).startsWith('--')
    // The names of a list of the shell keep their white space.
    if (this.language.grammar === 'bash') return node.type === 'array' && /[\s(]\[/.test(this.#textOf(node))
    return (
      this.language.grammar === 'cpp' &&
      node.type === 'call_expression' &&
      /^(?:[A-Z_][A-Z0-9_]*|\w*assert\w*)\s*\(/.test(this.#textOf(node))
    )
  }

  /** Reads the text up to the next node: grammars leave out bytes, and only white space may be dropped. */
  #between(until: number, owner: Node, exact: boolean, next?: Node): void {
    if (until <= this.#end) return
    const text = this.syntax.text.slice(this.#end, until)
    this.#end = until
    const read = this.#indentation ? text.replace(/\\\r?\n/g, ' ') : text
    const isBlank = !/[^ \t\r\n]/.test(read)
    // A backslash makes the blank after it part of a word.
    if (exact || (!isBlank && read.includes('\\'))) this.#pushUnnamed(owner, text)
    else if (!isBlank) {
      const start = text.search(/[^ \t\r\n]/)
      let end = text.length
      while (/[ \t\r\n]/.test(text[end - 1] ?? '')) end--
      this.#gap += text.slice(0, start)
      this.#pushUnnamed(owner, text.slice(start, end))
      this.#gap += text.slice(end)
    } else if (isJsx(owner)) {
      // Between JSX tags white space is text, unless it has a line break.
      if (!text.includes('\n') || nextToEntity(next)) this.#push('gap', text)
    } else this.#gap += read
    this.#gapOwner = owner
  }

  /** Text for which the grammar has no leaf. */
  #pushUnnamed(node: Node, text: string): void {
    const leaf = { node, text }
    this.#push(`${this.#mark(leaf, this.#end - text.length)}unnamed`, text, node)
    this.#left = leaf
    this.#gap = ''
  }

  #comment(node: Node, within: boolean): void {
    const text = this.#textOf(node)
    this.#end = node.end
    const counts = this.#allComments || (within && keepsComments(this.language)) || isContent(node, text)
    if (!counts && isPlainComment(text, this.language)) {
      this.#gap += isNoSpace(this.language) ? COMMENT_ALONE : text.replace(/[^\n]+/g, '') || ' '
      return
    }
    // Some tools read the very next line, so the distance matters too.
    const above = lineBreaks(this.#gap)
    const below = lineBreaks(/^\s*/.exec(this.syntax.text.slice(node.end, node.end + 200))?.[0] ?? '')
    const shown = this.language.spacing === 'ecmascript' ? unindentComment(text.trimEnd()) : text.trimEnd()
    // The system reads the first line to its end.
    const [line = ''] = text.startsWith('#!') ? this.syntax.text.slice(node.start).split('\n', 1) : [shown]
    this.#push(`comment ${above} ${below}`, line, node)
    this.#gap += isNoSpace(this.language) ? COMMENT_ALONE : text.includes('\n') ? '\n' : ' '
  }

  /** A backslash joins two lines in Python. */
  #continue(node: Node): void {
    this.#gap += ' '
    this.#end = node.end
  }

  #leaf(node: Node, exact: boolean): void {
    const text = this.#textOf(node)
    // Some grammars have a leaf for the end of a line.
    if (!node.named && !exact && /^\s*$/.test(text)) {
      this.#gap += text
      this.#end = node.end
      return
    }
    this.#end = node.end
    if (text === '') {
      this.#push(`leaf ${node.type}`)
      return
    }
    if (isEndingSemicolon(node, this.language)) {
      this.#ended = { semicolon: node }
      return
    }
    if (isTrailingComma(node, this.language)) return
    const right = { node, text }
    const mark = this.#mark(right, node.start)
    this.#indentation?.leaf(text, exact)
    this.#brackets?.leaf(right)
    this.#word(node, text, isArrowParameter(node) ? '' : mark)
    this.#left = right
    this.#gap = ''
  }

  #word(node: Node, text: string, mark: string): void {
    const shown = node.type === 'jsx_text' && !nextToEntity(node) ? shownText(text) : text
    const read = plainQuote(node, shown, this.language)
    const type = read === text ? node.type : read
    if (read !== '') this.#push(`${mark}${node.named ? node.type : `${type}~`}`, read, node)
  }

  /** The end between two statements: whether the tree alone shows it, or only its spelling. */
  #endStatement(right: Leaf): void {
    const ended = this.#ended
    this.#ended = undefined
    const left = this.#left
    if (ended === undefined || left === undefined) return
    const isPlain = isEnd(left, right)
    if (!isPlain && ended.semicolon === undefined) return
    if (!isPlain) this.#push(';~', ';')
    this.#left = { node: ended.semicolon ?? left.node, text: ';' }
  }

  #mark(right: Leaf, start: number): string {
    this.#endStatement(right)
    const inMacro = this.#brackets?.holds(this.#left, right) ?? false
    const gap: Gap = { left: this.#left, right, text: this.#gap, owner: this.#gapOwner, inMacro }
    const { spacing } = this.language
    if (spacing === 'go' && endsGoStatement(gap)) this.#push(';~', ';')
    const line = this.#indentation?.mark(this.#gap, start)
    if (line !== undefined) return line
    // After the end of the code one line break is dropped, and other white space is printed.
    if (gap.left?.text === '?>' || /^(?:php_tag|text)$/.test(right.node.type)) return `${JSON.stringify(gap.text)} `
    return gapMark(gap, this.language)
  }

  #push(shape: string, text = '', node?: Node): void {
    this.tokens.push({ shape, text, ...(node && { node }) })
  }

  #textOf(node: Node): string {
    return textOf(this.syntax, node)
  }
}

function isArrowParameter(node: Node): boolean {
  const { parent } = node
  if (parent === undefined || node.type !== 'identifier') return false
  const list = parent.type === 'required_parameter' ? parent.parent : parent
  return [node, parent, list].some((each) => each !== undefined && soleParameter(each) === node)
}

/** A block comment that is all of a function: some programs read their texts out of such functions. */
function isContent({ parent }: Node, text: string): boolean {
  return (
    text.startsWith('/*') &&
    parent?.type === 'statement_block' &&
    parent.children.filter(({ named }) => named).length === 1
  )
}

function lineBreaks(text: string): number {
  return Math.min(2, text.split('\n').length - 1)
}

const GO_ENDS = new Set(['break', 'continue', 'fallthrough', 'return', '++', '--', ')', ']', '}', '"', "'", '`'])

/** The rule of the Go specification. The semicolon before a closing bracket is optional. */
function endsGoStatement({ left, right, text }: Gap): boolean {
  if (left === undefined || !text.includes('\n') || right.text === ')' || right.text === '}') return false
  return left.node.named || GO_ENDS.has(left.text)
}

function isJsx(node: Node | undefined): boolean {
  return node?.type === 'jsx_element' || node?.type === 'jsx_fragment'
}

function nextToEntity(node: Node | undefined): boolean {
  if (node === undefined) return true
  const siblings = node.parent?.children ?? []
  const at = siblings.indexOf(node)
  return [siblings[at - 1], node, siblings[at + 1]].some((each) => each?.type === 'html_character_reference')
}

/** The text that JSX shows: without the white space around line breaks. */
function shownText(text: string): string {
  const lines = text.split('\n')
  const trimmed = lines.map((line, index) => {
    const begun = index === 0 ? line : line.replace(/^[ \t]+/, '')
    return index === lines.length - 1 ? begun : begun.replace(/[ \t\r]+$/, '')
  })
  return trimmed.filter((line) => line !== '').join(' ')
}
