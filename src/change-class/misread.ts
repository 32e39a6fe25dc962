import { type Node, type Syntax, textOf, walk } from '../os/tree.js'
import { isComment } from './comments.js'
import { Inconclusive } from './inconclusive.js'
import type { Language } from './languages.js'

type Check = (syntax: Syntax) => void

const CHECKS: Readonly<Record<string, Check>> = {
  'c-sharp': checkConditions,
  ruby: checkRuby,
  bash: checkShell,
  php: checkPhp,
  css: checkQuotes,
}

/**
 * Finds the places where a grammar is known to differ from its language about the end of comments, strings and skipped code.
 * @throws Inconclusive if the grammar may take code for data, or data for code
 */
export function checkReading(syntax: Syntax, { grammar }: Language): void {
  CHECKS[grammar]?.(syntax)
}

const CONDITION = /(?:^|\u0085)[ \t]*#[ \t]*(?:if|elif|else|endif)\b/gm

/** In skipped code C# recognizes no strings and comments, so each line that looks like a directive must be one. */
function checkConditions({ text, root }: Syntax): void {
  const lines = text.match(CONDITION)?.length ?? 0
  if (lines === 0) return
  const read = [...walk(root)].filter(({ type }) => /^#\s*(?:if|elif|else|endif)$/.test(type)).length
  if (read !== lines) throw new Inconclusive('a directive in a string or comment')
}

/** The grammar begins a block comment of Ruby after blanks, too, and ends it at any `=end`. It ends a text at its word, whatever follows. */
function checkRuby(syntax: Syntax): void {
  const { text, root } = syntax
  const nodes = [...walk(root)]
  const mayIndent = nodes.every((node) => node.type !== 'heredoc_beginning' || /^<<[-~]/.test(textOf(syntax, node)))
  for (const node of nodes) {
    if (node.type === 'comment') checkBlockComment(textOf(syntax, node), lineOf(text, node.start))
    if (node.type === 'heredoc_body') checkRubyText(textOf(syntax, node), lineOf(text, node.end), mayIndent)
  }
}

function checkBlockComment(own: string, line: string): void {
  if (!own.startsWith('=begin')) return
  const isWhole = line.startsWith('=begin') && /^=begin(?:\s(?:(?!=end)[\s\S])*)?\n=end(?:\s.*)?$/.test(own)
  if (!isWhole) throw new Inconclusive('a block comment with another `=end`')
}

/** @param last the line that ends the text */
function checkRubyText(own: string, last: string, mayIndent: boolean): void {
  const mark = bare(own.slice(own.lastIndexOf('\n') + 1))
  const isEnd = bare(last) === mark && !/\s$/.test(last) && (mayIndent || !/^\s/.test(last))
  const endsEarlier = own
    .split('\n')
    .slice(0, -1)
    .some((line) => bare(line) === mark)
  if (!isEnd || endsEarlier) throw new Inconclusive('a here-document that may end elsewhere')
}

/** The grammar of PHP finds comments in texts, and in what is printed between the tags. */
function checkPhp({ root }: Syntax): void {
  let isCode = false
  for (const node of walk(root)) {
    if (node.type === 'php_tag') isCode = true
    if (node.type === 'php_end_tag' || node.type === '?>') isCode = false
    if (node.type === 'comment' && (!isCode || /heredoc|nowdoc|string/.test(node.parent?.type ?? '')))
      throw new Inconclusive('a comment in a text')
  }
}

/** The grammar of CSS reads a string that follows a word directly as more words. */
function checkQuotes(syntax: Syntax): void {
  for (const node of walk(syntax.root)) {
    const isWord = node.children.length === 0 && !isComment(node) && node.parent?.type !== 'string_value'
    if (isWord && /["']/.test(textOf(syntax, node))) throw new Inconclusive('a quote in a word')
  }
}

function checkShell(syntax: Syntax): void {
  const lines = new Set<number>()
  for (const node of walk(syntax.root)) {
    if (node.type === 'comment') checkSign(node, syntax.text)
    if (node.type === 'command_substitution') checkBackticks(textOf(syntax, node))
    if (node.type === 'heredoc_redirect') checkHeredoc(node, syntax.text, lines)
  }
}

/** Nodes of commands, and those of texts and numbers, in which the shell knows no comments. */
const COMMANDS = /^(?:command_substitution|process_substitution|subshell|compound_statement|do_group|program)$/
const VALUES = /^(?:arithmetic_expansion|c_style_for_statement|subscript|expansion)$/

/** For the shell a comment begins only after a blank or an operator, in a command. */
function checkSign(comment: Node, text: string): void {
  let at = comment.parent
  while (at !== undefined && !COMMANDS.test(at.type) && !VALUES.test(at.type)) at = at.parent
  const before = text.slice(Math.max(0, comment.start - 2), comment.start)
  if (VALUES.test(at?.type ?? '') || !/^(?:|[^\\]?[ \t\n;&|(])$/.test(before))
    throw new Inconclusive('a sign that begins no comment')
}

/** The shell ends a command in backticks at the next one, in a comment and in quotes as well. */
function checkBackticks(text: string): void {
  if (text.startsWith('`') && text.slice(1, -1).includes('`'))
    throw new Inconclusive('a backtick in a command in backticks')
}

/** The grammar ends a here-document where its word begins a line after any white space, whatever follows. */
function checkHeredoc(redirect: Node, text: string, lines: Set<number>): void {
  const child = (type: string) => redirect.children.find((each) => each.type === type)
  const [begin, body, end] = [child('heredoc_start'), child('heredoc_body'), child('heredoc_end')]
  const word = /^(['"]?)(\w+)\1$|^\\(\w+)$/.exec(begin ? text.slice(begin.start, begin.end) : '')
  const mark = word?.[2] ?? word?.[3]
  const line = text.lastIndexOf('\n', redirect.start)
  if (mark === undefined || end === undefined || lines.has(line)) throw new Inconclusive('an unusual here-document')
  lines.add(line)
  const from = text.lastIndexOf('\n', (body ?? end).start - 1) + 1
  const to = text.indexOf('\n', end.end)
  const all = text.slice(from, to === -1 ? text.length : to).split('\n')
  const last = all.pop() ?? ''
  const isEnd = (redirect.children.some(({ type }) => type === '<<-') ? last.replace(/^\t+/, '') : last) === mark
  if (!isEnd || all.some((each) => bare(each) === mark) || all.at(-1)?.endsWith('\\') === true)
    throw new Inconclusive('a here-document that may end elsewhere')
}

/** The line around a position. */
function lineOf(text: string, at: number): string {
  const end = text.indexOf('\n', at)
  return text.slice(text.lastIndexOf('\n', at - 1) + 1, end === -1 ? text.length : end)
}

function bare(line: string): string {
  return line.replace(/[\s\\]/g, '')
}
