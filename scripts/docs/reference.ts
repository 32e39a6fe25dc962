import ts from 'typescript'
import { code, fence, table } from './markdown.js'
import { docOf, nameOf, plainDoc, REPOSITORY, sources } from './sources.js'

/** The API reference: each export of each entry point, its docstring and its declaration. */

/** Entry point → its source, as `exports` of package.json has them. */
export const ENTRIES: Readonly<Record<string, string>> = entries()

function entries(): Record<string, string> {
  const read: unknown = JSON.parse(ts.sys.readFile(`${REPOSITORY}/package.json`) ?? '{}')
  const { exports: given } = read as { exports: Record<string, string | { default: string }> }
  const found = Object.entries(given).flatMap(([name, target]) => {
    if (typeof target === 'string') return []
    const source = target.default.replace(/^\.\/dist\//, '').replace(/\.js$/, '.ts')
    return [[`escrowfs${name.slice(1)}`, source] as const]
  })
  return Object.fromEntries(found)
}

/** `docs/reference/hooks.md` of `escrowfs/hooks`; the root's is `escrowfs.md`. */
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

/** All that an entry point exports, by name. */
export function exportsOf(entry: string): Exported[] {
  const { checker, file } = sources()
  const module = checker.getSymbolAtLocation(file(ENTRIES[entry] ?? ''))
  if (!module) throw new Error(`${entry} is no module.`)
  return checker
    .getExportsOfModule(module)
    .map((each) => exported(each, checker))
    .sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1))
}

function exported(symbol: ts.Symbol, checker: ts.TypeChecker): Exported {
  const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
  // A const and a type may share a name; the docstring stands at the first.
  const declarations = (target.declarations ?? []).map(whole)
  const [first] = declarations
  if (!first) throw new Error(`${symbol.name} is declared nowhere.`)
  return {
    name: symbol.name,
    kind: kindOf(first),
    from: nameOf(first.getSourceFile()),
    doc: declarations.map(docOf).find((doc) => doc !== '') ?? '',
    tags: ts.getJSDocTags(first).filter(isTold).map(told),
    text: declarations.map(textOf).join('\n\n'),
  }
}

/** Of a variable, the statement it is declared in. */
function whole(node: ts.Declaration): ts.Node {
  return ts.isVariableDeclaration(node) ? node.parent.parent : node
}

function kindOf(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node)) return 'function'
  if (ts.isClassDeclaration(node)) return 'class'
  if (ts.isInterfaceDeclaration(node)) return 'interface'
  if (ts.isTypeAliasDeclaration(node)) return 'type'
  return 'constant'
}

function isTold({ tagName }: ts.JSDocTag): boolean {
  return ['param', 'returns', 'throws'].includes(tagName.text)
}

function told(tag: ts.JSDocTag): string {
  const text = plainDoc(ts.getTextOfJSDocComment(tag.comment))
  if (ts.isJSDocParameterTag(tag)) return `${code(tag.name.getText())}: ${text}`
  // The parser takes the first word behind `@throws` for a type.
  return `${tag.tagName.text} ${text.trim()}`
}

/** A declaration as a caller needs it: no bodies, nothing private. */
function textOf(node: ts.Node): string {
  if (ts.isFunctionDeclaration(node)) return node.body ? headOf(node, node.body).replace('async ', '') : node.getText()
  if (ts.isClassDeclaration(node)) return classText(node)
  if (ts.isVariableStatement(node)) return constText(node)
  return node.getText()
}

function headOf(node: ts.Node, body: ts.Node): string {
  return node.getSourceFile().text.slice(node.getStart(), body.getStart()).trimEnd()
}

/** Values are for readers of the source; where there is no type, the names of what an object has are told. */
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
  const plain = (text: string) =>
    text
      .replace(/\b(?:async|public) /g, '')
      .replace(/\s*\n\s*/g, ' ')
      .replace(/\( | ?,? \)/g, (around) => around.trim().replace(',', '').trim())
  if (ts.isConstructorDeclaration(member)) {
    const given = member.parameters.map((each) => each.getText().replace(/^(?:(?:private|protected|readonly) )+/, ''))
    return plain(`constructor(${given.join(', ')})`)
  }
  if (ts.isPropertyDeclaration(member)) {
    const { type, initializer } = member
    if (type || !initializer) return plain(type ? `${headOf(member, type)} ${type.getText()}` : member.getText())
    return plain(ts.isNewExpression(initializer) ? typedByNew(member, initializer) : member.getText())
  }
  const body = ts.isMethodDeclaration(member) || ts.isAccessor(member) ? member.body : undefined
  return plain(body ? headOf(member, body) : member.getText())
}

function typedByNew(member: ts.PropertyDeclaration, { expression, typeArguments }: ts.NewExpression): string {
  const given = typeArguments ? `<${typeArguments.map((each) => each.getText()).join(', ')}>` : ''
  return `${member.getText().slice(0, member.name.getEnd() - member.getStart())}: ${expression.getText()}${given}`
}

/** The page of an entry point. */
export function referencePage(entry: string): string {
  const all = exportsOf(entry)
  const title = docOf(sources().file(ENTRIES[entry] ?? '').statements[0] ?? sources().file(ENTRIES[entry] ?? ''))
  const rows = all.map(({ name, kind, doc }) => [`[${code(name)}](#${name.toLowerCase()})`, kind, firstSentence(doc)])
  const parts = [
    `# ${code(entry)}`,
    '<!-- Made by `npm run docs` of the docstrings; a test fails where it is stale. -->',
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
