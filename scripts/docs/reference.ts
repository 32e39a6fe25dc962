import ts from 'typescript'
import { code, fence, table } from './markdown.js'
import { docOf, loadSources, nameOf, plainDoc, REPOSITORY } from './sources.js'

/** The API reference: each export of each entry point, its docstring and its declaration. */

/** The source of each entry point in `exports` of package.json. */
export const ENTRIES: Readonly<Record<string, string>> = readEntries()

function readEntries(): Record<string, string> {
  const read: unknown = JSON.parse(ts.sys.readFile(`${REPOSITORY}/package.json`) ?? '{}')
  const { exports: given } = read as { exports: Record<string, string | { default: string }> }
  const found = Object.entries(given).flatMap(([name, target]) => {
    if (typeof target === 'string') return []
    const source = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
    return [[`escrowfs${name.slice(1)}`, source] as const]
  })
  return Object.fromEntries(found)
}

/** The page of an entry point: `docs/reference/hooks.md` for `escrowfs/hooks`, `escrowfs.md` for the root. */
export function pageOf(entry: string): string {
  return `docs/reference/${entry.slice(entry.lastIndexOf('/') + 1)}.md`
}

export interface Exported {
  readonly name: string
  readonly kind: string
  readonly from: string
  readonly doc: string
  readonly tags: readonly string[]
  readonly text: string
}

/** The exports of an entry point, sorted by name. */
export function exportsOf(entry: string): Exported[] {
  const { checker, file } = loadSources()
  const module = checker.getSymbolAtLocation(file(ENTRIES[entry] ?? ''))
  if (!module) throw new Error(`${entry} is not a module.`)
  return checker
    .getExportsOfModule(module)
    .map((each) => toExported(each, checker))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function toExported(symbol: ts.Symbol, checker: ts.TypeChecker): Exported {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  // A const and a type may share a name. The docstring is at the first one that has it.
  const declarations = (target.declarations ?? []).map(declarationStatement)
  const [first] = declarations
  if (!first) throw new Error(`${symbol.name} is declared nowhere.`)
  return {
    name: symbol.name,
    kind: kindOf(first),
    from: nameOf(first.getSourceFile()),
    doc: declarations.map(docOf).find((doc) => doc !== '') ?? '',
    tags: ts.getJSDocTags(first).filter(isShownTag).map(formatTag),
    text: declarations.map(textOf).join('\n\n'),
  }
}

/** The statement of a variable, else the declaration itself. */
function declarationStatement(node: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node
}

function kindOf(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isTypeAliasDeclaration(node)) return 'type'
  return 'constant'
}

function isShownTag({ tagName }: ts.JSDocTag): boolean {
  return ['param', 'returns', 'throws'].includes(tagName.text)
}

function formatTag(tag: ts.JSDocTag): string {
  const text = plainDoc(ts.getTextOfJSDocComment(tag.comment))
  if (ts.isJSDocParameterTag(tag)) return `${code(tag.name.getText())}: ${text}`
  // The parser reads the first word after `@throws` as a type.
  return `${tag.tagName.text} ${text.trim()}`
}

/** A declaration without bodies and private members. */
function textOf(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node)) return node.body ? headOf(node, node.body).replace('async ', '') : node.getText()
  if (ts.isClassDeclaration(node)) return classText(node)
  if (ts.isVariableStatement(node)) return constText(node)
  return node.getText()
}

function headOf(node: ts.Node, body: ts.Node): string {
  return node.getSourceFile().text.slice(node.getStart(), body.getStart()).trimEnd()
}

/** The declaration of a constant. A long value is replaced by its number of lines. */
function constText(node: ts.VariableStatement): string {
  const lines = node.getText().split('\n')
  if (lines.length <= 12) return lines.join('\n')
  const [declaration] = node.declarationList.declarations
  const type = declaration?.type
  return `export const ${declaration?.name.getText()}${type ? `: ${type.getText()}` : ''} // ${lines.length} lines`
}

function classText(node: ts.ClassDeclaration): string {
  const [first] = node.members
  const source = node.getSourceFile().text
  const head = source.slice(node.getStart(), first ? first.getFullStart() : node.getEnd()).trimEnd()
  return [head, ...node.members.flatMap(memberText), '}'].join('\n')
}

function memberText(member: ts.ClassElement): string[] {
  const isHidden = ts.canHaveModifiers(member) && ts.getModifiers(member)?.some(isPrivate)
  if (isHidden || (member.name && ts.isPrivateIdentifier(member.name))) return []
  const doc = docOf(member)
  const lines = doc === '' ? [] : [`  /** ${doc} */`]
  return [...lines, `  ${signatureOf(member)}`]
}

function isPrivate({ kind }: ts.Modifier): boolean {
  return kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword
}

function signatureOf(member: ts.ClassElement): string {
  const simplify = (text: string) =>
    text
      .replace(/\b(?:async|public) /g, '')
      .replace(/\s*\n\s*/g, ' ')
      .replace(/\( | ?,? \)/g, (around) => around.trim().replace(',', '').trim())
  if (ts.isConstructorDeclaration(member)) {
    const given = member.parameters.map((each) => each.getText().replace(/^(?:(?:private|protected|readonly) )+/, ''))
    return simplify(`constructor(${given.join(', ')})`)
  }
  if (ts.isPropertyDeclaration(member)) {
    const { type, initializer } = member
    if (type || !initializer) return simplify(type ? `${headOf(member, type)} ${type.getText()}` : member.getText())
    return simplify(ts.isNewExpression(initializer) ? typeFromNew(member, initializer) : member.getText())
  }
  const body = ts.isMethodDeclaration(member) || ts.isAccessor(member) ? member.body : undefined
  return simplify(body ? headOf(member, body) : member.getText())
}

function typeFromNew(member: ts.PropertyDeclaration, { expression, typeArguments }: ts.NewExpression): string {
  const given = typeArguments ? `<${typeArguments.map((each) => each.getText()).join(', ')}>` : ''
  return `${member.getText().slice(0, member.name.getEnd() - member.getStart())}: ${expression.getText()}${given}`
}

/** The page of an entry point. */
export function referencePage(entry: string): string {
  const all = exportsOf(entry)
  const title = docOf(
    loadSources().file(ENTRIES[entry] ?? '').statements[0] ?? loadSources().file(ENTRIES[entry] ?? ''),
  )
  const rows = all.map(({ name, kind, doc }) => [`[${code(name)}](#${name.toLowerCase()})`, kind, firstSentence(doc)])
  const parts = [
    `# ${code(entry)}`,
    '<!-- Generated from the docstrings by `npm run docs`; a test fails if it is stale. -->',
    title,
    table(['export', 'kind', 'what it is'], rows),
    ...all.map(section),
  ]
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`
}

function firstSentence(doc: string): string {
  return /^.*?[.](?= [A-Z`]|$)/.exec(doc)?.[0] ?? doc
}

function section({ name, kind, from, doc, tags, text }: Exported): string {
  const list = tags.map((each) => `- ${each}`).join('\n')
  const where = `${kind === 'interface' ? 'An' : 'A'} ${kind} of ${code(from)}.`
  return [`## ${code(name)}`, `${doc}`, list, where, fence('ts', text)].filter((part) => part !== '').join('\n\n')
}
