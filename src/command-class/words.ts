import type { Node, Syntax } from '../os/tree.js'

/** One word of a command, as far as it is known before the shell expands it. */
export interface Word {
  /** The source text. */
  readonly source: string
  /** The argument the program gets; undefined if it is known only at run time. */
  readonly text: string | undefined
  /** The known beginning of the argument. */
  readonly lead: string
  /** Whether the shell may split it into several words, or none. */
  readonly splits: boolean
}

/** A word without expansions. */
export function literal(text: string): Word {
  return { source: text, text, lead: text, splits: false }
}

/** A word of unknown content. */
export function unknownWord(source: string): Word {
  return { source, text: undefined, lead: '', splits: true }
}

/** Whether a word is certainly no option. */
export function isOperand({ text, lead, splits }: Word): boolean {
  if (text !== undefined) return !text.startsWith('-') || text === '-'
  return !splits && lead !== '' && !lead.startsWith('-')
}

/** A piece of a word. */
interface Piece {
  readonly text: string
  readonly quoted: boolean
  /** Set for an expansion, whose text is unknown: it yields one word, or many. */
  readonly open?: 'one' | 'many'
}

export function wordOf(syntax: Syntax, node: Node): Word {
  const pieces = piecesOf(syntax, node)
  const source = syntax.text.slice(node.start, node.end)
  const at = firstOpen(pieces)
  const text = pieces.map((piece) => piece.text).join('')
  if (at === undefined) return { source, text, lead: text, splits: false }
  const { index, offset } = at
  const before = pieces.slice(0, index).map((piece) => piece.text)
  const lead = before.join('') + (pieces[index]?.text.slice(0, offset) ?? '')
  const splits = pieces.some((piece) => piece.open === 'many') || hasBraces(pieces)
  return { source, text: undefined, lead, splits }
}

/** The position of the first expansion, glob or brace. */
function firstOpen(pieces: readonly Piece[]): { index: number; offset: number } | undefined {
  const special = hasBraces(pieces) ? /[*?[{]/ : /[*?[]/
  for (const [index, piece] of pieces.entries()) {
    if (piece.open) return { index, offset: 0 }
    const offset = piece.quoted ? -1 : piece.text.search(special)
    if (offset >= 0) return { index, offset }
  }
  return undefined
}

/** `{a,b}` and `{1..3}` become several words in some shells. */
function hasBraces(pieces: readonly Piece[]): boolean {
  const bare = pieces.map(({ text, quoted }) => (quoted ? '_' : text)).join('')
  return bare.includes('{') && /,|\.\./.test(bare)
}

function piecesOf(syntax: Syntax, node: Node): Piece[] {
  const text = syntax.text.slice(node.start, node.end)
  switch (node.type) {
    case 'word':
    case 'number':
    case 'test_operator':
    case 'variable_name':
    case 'extglob_pattern':
    case 'regex':
      return unescapePlain(text)
    case 'raw_string':
      return [{ text: text.slice(1, -1), quoted: true }]
    case 'ansi_c_string':
      return [decodeAnsi(text.slice(2, -1))]
    case 'string':
      return unquote(syntax, node, node.start + 1, node.end - 1)
    case 'translated_string':
      return node.children.flatMap((child) => (child.type === 'string' ? piecesOf(syntax, child) : []))
    case 'command_name':
    case 'concatenation':
      return node.children.flatMap((child) => piecesOf(syntax, child))
    case 'process_substitution':
      return [
        { text: '/', quoted: true },
        { text: '', quoted: true, open: 'one' },
      ]
    case 'arithmetic_expansion':
      return [{ text: '', quoted: true, open: 'one' }]
    default:
      return [{ text: '', quoted: false, open: 'many' }]
  }
}

/** Unquoted text: a backslash quotes the next character and removes a newline. */
function unescapePlain(text: string): Piece[] {
  return [...text.matchAll(/\\(?:(\n)|([\s\S])|$)|[^\\]+/g)].flatMap(([bare, newline, escaped]): Piece[] => {
    if (newline !== undefined) return []
    if (escaped !== undefined) return [{ text: escaped, quoted: true }]
    return [{ text: bare, quoted: false }]
  })
}

const EXPANSIONS = new Set(['simple_expansion', 'expansion', 'command_substitution', 'arithmetic_expansion'])

/** Double-quoted text or a here-document: an expansion stays one word, except for `$@`. */
export function unquote(syntax: Syntax, node: Node, start: number, end: number): Piece[] {
  const pieces: Piece[] = []
  let at = start
  const plain = (to: number) => {
    const text = syntax.text.slice(at, to).replace(/\\(\n|[$`"\\])/g, (_, char: string) => (char === '\n' ? '' : char))
    if (to > at) pieces.push({ text, quoted: true })
  }
  for (const child of node.children) {
    if (!EXPANSIONS.has(child.type)) continue
    plain(child.start)
    const isMany = /^\$\{?[^}]*@/.test(syntax.text.slice(child.start, child.end))
    pieces.push({ text: '', quoted: true, open: isMany ? 'many' : 'one' })
    at = child.end
  }
  plain(end)
  return pieces
}

const ANSI: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\', "'": "'", '"': '"', '?': '?' }

function decodeAnsi(text: string): Piece {
  let isKnown = true
  const decoded = text.replace(
    /\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|([0-7]{1,3})|([\s\S]))/gi,
    (_, hex, wide, octal, one) => {
      const code = hex ?? wide
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 255)
      const known = ANSI[one]
      if (known === undefined) isKnown = false
      return known ?? ''
    },
  )
  return isKnown ? { text: decoded, quoted: true } : { text: '', quoted: true, open: 'one' }
}

/** The text of pieces without expansions; undefined otherwise. */
export function plainText(pieces: readonly Piece[]): string | undefined {
  return pieces.some(({ open }) => open) ? undefined : pieces.map(({ text }) => text).join('')
}
