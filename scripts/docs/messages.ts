// Long because: every surface has its row here, and each form of a literal its case.
import { join } from 'node:path'
import ts from 'typescript'
import { REPOSITORY } from './sources.js'

/**
 * The catalogue of messages: every text in the source that a person or an agent can read, found by syntax.
 * A text is a literal, a template or JSX with words in it. A value inside it is printed as `<its name>`.
 */
export interface Message {
  readonly surface: Surface
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  readonly text: string
}

/** Where a text is read, in the order of the page. */
export const SURFACES = {
  help: 'Help of the commands',
  prompts: 'Questions of the command line',
  output: 'Output of the command line',
  'cli-errors': 'Errors of the command line',
  doctor: 'Doctor and client settings',
  terminal: 'Terminal review',
  page: 'Review page',
  editor: 'Visual Studio Code',
  denials: 'Denials',
  errors: 'Errors',
  hints: 'Hints and advice',
  hooks: "Answers to clients' hooks",
  tools: 'Tools of MCP, ACP and Roo Code',
  other: 'Reasons and details inside other messages',
  node: "Errors of the facade in Node's own words",
} as const
export type Surface = keyof typeof SURFACES

/** Files whose texts are not messages: programs, patterns and data. */
const NOT_MESSAGES = [
  'src/cli/completion/',
  'src/change-class/',
  'src/client-settings/texts.ts',
  'src/os/grammars.ts',
  'src/trace/intent-map/',
  'src/terminal/seccomp.ts',
  'src/terminal/secret-variables.ts',
  'src/agents/roo/walk.ts',
]

/** Values of HTTP headers and media queries, options, names of a shell or an editor, command lines of Node, and SQL. */
const NOT_TEXT =
  /::(?:text|float8|bigint|timestamptz)\b|\b(?:update|schema if not exists|into|from|select|table) escrow\b|^<node> -e|^do \$\$ |; ?charset=|^[\w-]+ '(?:none|self|script|unsafe)|^\(m(?:in|ax)-width|^-|^[<\w]+>?=|^HTTP\/1|^set -e|\brequire\('/

/** Surfaces of whole directories. The first matching prefix applies. */
const BY_FILE: readonly (readonly [string, Surface])[] = [
  ['src/cli/commands/doctor.ts', 'doctor'],
  ['src/cli/foreign-settings.ts', 'doctor'],
  ['src/client-settings/', 'doctor'],
  ['src/hosts/', 'doctor'],
  ['src/terminal/probe.ts', 'doctor'],
  ['src/cli/review/', 'terminal'],
  ['web/src/', 'page'],
  ['src/web/', 'page'],
  ['src/agents/vscode/', 'editor'],
  ['src/agents/mcp/', 'tools'],
  ['src/agents/acp/', 'tools'],
  ['src/agents/roo/', 'tools'],
  ['src/agents/', 'hooks'],
  ['src/hooks/', 'hooks'],
  ['src/policy/messages.ts', 'denials'],
  ['src/fs/derive.ts', 'denials'],
  ['src/fs/judge-move.ts', 'denials'],
  ['src/fs/open-rules.ts', 'denials'],
  ['src/fs/ops.ts', 'denials'],
  ['src/fs/facade.ts', 'denials'],
  ['src/fs/handle-ops.ts', 'denials'],
  ['src/fs/', 'node'],
]

/** All messages, by surface, file and line. */
export function findMessages(): Message[] {
  const files = ['src', 'overlay', 'web/src'].flatMap((folder) =>
    ts.sys.readDirectory(join(REPOSITORY, folder), ['.ts', '.tsx']),
  )
  const order = Object.keys(SURFACES)
  return files
    .map((file) => file.slice(REPOSITORY.length + 1))
    .filter((file) => !NOT_MESSAGES.some((prefix) => file.startsWith(prefix)))
    .sort()
    .flatMap((file) => messagesOf(file, ts.sys.readFile(join(REPOSITORY, file)) ?? ''))
    .sort((a, b) => order.indexOf(a.surface) - order.indexOf(b.surface))
}

/** The messages of one source text, by line. @param file relative to the repository */
export function messagesOf(file: string, source: string): Message[] {
  const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true)
  const found: Message[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return
    const text = textOf(node)
    if (text === undefined) {
      ts.forEachChild(node, visit)
      return
    }
    if (isMessage(text, node)) {
      const { line } = tree.getLineAndCharacterOfPosition(node.getStart())
      found.push({ surface: surfaceOf(file, node), file, line: line + 1, text })
    }
    // A value in a template can contain another message.
    ts.forEachChild(node, (child) => visitValues(child, visit))
  }
  visit(tree)
  return found
}

/** The page: one section for each surface, one list for each file. */
export function messagesPage(all: readonly Message[] = findMessages()): string {
  const sections = Object.entries(SURFACES).map(([surface, title]) => {
    const here = all.filter((each) => each.surface === surface)
    const files = [...new Set(here.map(({ file }) => file))].map((file) => {
      const lines = here.filter((each) => each.file === file).map(({ line, text }) => `${line}: ${text}`)
      return `### ${file}\n\n${lines.join('\n')}`
    })
    return [`## ${title} (${here.length})`, ...files].join('\n\n')
  })
  return `# ${all.length} messages\n\n${sections.join('\n\n')}\n`
}

/** Visits the values inside a text, not the parts of the text itself. */
function visitValues(node: ts.Node, visit: (node: ts.Node) => void): void {
  if (ts.isCallExpression(node) || ts.isArrowFunction(node)) visit(node)
  else ts.forEachChild(node, (child) => visitValues(child, visit))
}

/** The text of a literal, a template, a concatenation, or a JSX element with words. Undefined for another node. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return normalize(node.text)
  if (ts.isTemplateExpression(node) || isSum(node)) return normalize(textInside(node))
  if (ts.isJsxElement(node) && node.children.some((child) => ts.isJsxText(child) && /\w/.test(child.text)))
    return normalize(node.children.map(textInside).join(''))
  return undefined
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return false
  return [node.left, node.right].some(
    (side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side) || isSum(side),
  )
}

function normalize(text: string): string {
  return text
    .replace(/\x1b\[[\d;]*m/g, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim()
}

/** The text of an expression inside a message. */
function textInside(node: ts.Node): string {
  if (ts.isStringLiteralLike(node)) return node.text
  if (ts.isJsxText(node)) return node.text.replace(/\s*\n\s*/g, ' ')
  if (ts.isTemplateExpression(node))
    return (
      node.head.text +
      node.templateSpans.map(({ expression, literal }) => textInside(expression) + literal.text).join('')
    )
  if (isSum(node)) return textInside(node.left) + textInside(node.right)
  if (ts.isParenthesizedExpression(node)) return textInside(node.expression)
  if (ts.isConditionalExpression(node)) return `(${textInside(node.whenTrue)}|${textInside(node.whenFalse)})`
  if (ts.isJsxExpression(node)) return node.expression ? textInside(node.expression) : ''
  if (ts.isJsxElement(node)) return node.children.map(textInside).join('')
  if (ts.isJsxSelfClosingElement(node)) return ''
  return `<${nameOf(node)}>`
}

/** A name for a value: the last meaningful identifier in it. */
function nameOf(node: ts.Node): string {
  if (ts.isIdentifier(node)) return node.text
  if (ts.isPropertyAccessExpression(node)) return /^(?:length|size)$/.test(node.name.text) ? 'count' : node.name.text
  if (ts.isCallExpression(node)) {
    const { expression, arguments: given } = node
    const [first] = given
    if (
      ts.isPropertyAccessExpression(expression) &&
      /^(?:join|map|filter|slice|at|to\w+|replace\w*)$/.test(expression.name.text)
    )
      return nameOf(expression.expression)
    if (first && (ts.isIdentifier(first) || ts.isPropertyAccessExpression(first))) return nameOf(first)
    return nameOf(expression)
  }
  if (ts.isBinaryExpression(node)) return nameOf(node.left)
  if (ts.isNonNullExpression(node) || ts.isAwaitExpression(node) || ts.isAsExpression(node))
    return nameOf(node.expression)
  if (ts.isElementAccessExpression(node)) return nameOf(node.expression)
  return 'value'
}

/** At least two words, or a word of the page; no code, pattern or comparison. */
function isMessage(text: string, node: ts.Node): boolean {
  const { parent } = node
  if (ts.isJsxElement(node)) return true
  const owner = ownerOf(node)
  if (ts.isJsxAttribute(owner)) {
    const name = owner.name.getText()
    if (/^(?:title|label|placeholder|alt|aria-label|aria-description)$/.test(name)) return /[A-Za-z]/.test(text)
    if (/^(?:className|class|id|key|d|viewBox|style)$/.test(name)) return false
  }
  if (parent && (ts.isLiteralTypeNode(parent) || ts.isCaseClause(parent) || ts.isElementAccessExpression(parent)))
    return false
  if (parent && ts.isBinaryExpression(parent) && /^[!=]==?$/.test(parent.operatorToken.getText())) return false
  if (parent && ts.isPropertyAssignment(parent) && parent.name === node) return false
  if (
    isArgumentOf(
      node,
      /(?:^|\.)(?:RegExp|startsWith|endsWith|includes|split|replace|replaceAll|indexOf|querySelector\w*|matchMedia|words|import)$/,
    )
  )
    return false
  if (ts.isPropertyAccessExpression(parent) || isProgramList(node)) return false
  return /[A-Za-z]{2,}[,.:;]? .*[A-Za-z<]|<\w+> [a-z]{2,}/.test(text) && !NOT_TEXT.test(text)
}

/** True for names of programs, subcommands or options in a row of the command classifier. */
function isProgramList(node: ts.Node): boolean {
  const call = ownerOf(node)
  if (!ts.isCallExpression(call) || !/^(?:rowsFor|on|tool|sub)$/.test(call.expression.getText())) return false
  const index = call.expression.getText() === 'tool' ? 2 : 0
  return call.arguments.some((argument, at) => at <= index && argument.pos <= node.pos && node.end <= argument.end)
}

/** True if the text is an argument of a call with this name. */
function isArgumentOf(node: ts.Node, name: RegExp): boolean {
  const call = ownerOf(node)
  return (ts.isCallExpression(call) || ts.isNewExpression(call)) && name.test(call.expression.getText())
}

/** The statement, call, property or function that a text is a value of. */
function ownerOf(node: ts.Node): ts.Node {
  let at = node.parent
  while (
    at.parent &&
    (ts.isConditionalExpression(at) ||
      ts.isBinaryExpression(at) ||
      ts.isParenthesizedExpression(at) ||
      ts.isTemplateSpan(at) ||
      ts.isTemplateExpression(at) ||
      ts.isArrayLiteralExpression(at) ||
      ts.isJsxExpression(at) ||
      ts.isSpreadElement(at))
  )
    at = at.parent
  return at
}

const HELP =
  /(?:^|\.)(?:description|summary|option|argument|addHelpText|Option|Argument|jsonOption|InvalidArgumentError)$/
const PROMPTING = /(?:^|\.)(?:confirm|multiselect|select|text|ask)$/
const FAILING =
  /(?:Error|(?<!disk)Failure|Denied|NotRun|NoWorkspace|Unsupported|Conflict|BadRequest|Failed|refusedCommit|corrupt|invalid|stale|fsError)$/

function surfaceOf(file: string, node: ts.Node): Surface {
  const owner = ownerOf(node)
  const called = ts.isCallExpression(owner) || ts.isNewExpression(owner) ? owner.expression.getText() : ''
  const key = ts.isPropertyAssignment(owner) ? owner.name.getText() : ''
  const isCli = file.startsWith('src/cli/')
  if (isCli && !/Error$/.test(called) && (HELP.test(called) || /^(?:summary|group|example)$/.test(key))) return 'help'
  const fixed = BY_FILE.find(([prefix]) => file.startsWith(prefix))?.[1]
  if (fixed !== undefined) return fixed
  if (/^(?:hint|advice|fix)$/.test(key)) return 'hints'
  if (isCli) {
    if (PROMPTING.test(called) || key === 'question' || key === 'label') return 'prompts'
    return isThrown(node) || FAILING.test(called) || /(?:^|\.)err(?:or)?$/.test(called) ? 'cli-errors' : 'output'
  }
  if (key === 'message' && isDenial(owner)) return 'denials'
  if (/(?:^|\.)(?:Denied|denied|deny|denial\w*)$/.test(called)) return 'denials'
  return FAILING.test(called) || isThrown(node) || key === 'message' ? 'errors' : 'other'
}

function isThrown(node: ts.Node): boolean {
  for (let at = node.parent; at && !ts.isBlock(at) && !ts.isFunctionLike(at); at = at.parent)
    if (ts.isThrowStatement(at)) return true
  return false
}

/** True if the object with this message also has a `reason`. */
function isDenial({ parent }: ts.Node): boolean {
  return ts.isObjectLiteralExpression(parent) && parent.properties.some((each) => each.name?.getText() === 'reason')
}
