import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** What a module gives to others and takes of them, read off its syntax. `*` stands for all there is. */
export interface Module {
  /** What it declares and lets others have. */
  readonly exports: readonly string[]
  /** Those of them that are types. */
  readonly types: readonly string[]
  readonly takes: readonly Taken[]
  readonly handsOn: readonly HandedOn[]
  /** Declared name → the types of the same file it is spelt with: who has the one can be given the others. */
  readonly spelt: ReadonlyMap<string, readonly string[]>
  /** Every module it names, as it spells them. */
  readonly specifiers: readonly string[]
  /** Its texts that end like a file's name: what it starts, or reads, by a path. */
  readonly paths: readonly string[]
}

export interface Taken {
  readonly from: string
  readonly name: string
}

/** `export { name as as } from from`; both are `*` of `export * from`. */
export interface HandedOn extends Taken {
  readonly as: string
}

export function moduleOf(file: string, text = readFileSync(file, 'utf8')): Module {
  const reader = new Reader(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  reader.read()
  return reader
}

class Reader implements Module {
  readonly exports: string[] = []
  readonly types: string[] = []
  readonly takes: Taken[] = []
  readonly handsOn: HandedOn[] = []
  readonly spelt = new Map<string, string[]>()
  readonly specifiers: string[] = []
  readonly paths: string[] = []
  /** Name of a whole module in this file → the module. */
  readonly #spaces = new Map<string, string>()

  constructor(private readonly source: ts.SourceFile) {}

  read(): void {
    for (const statement of this.source.statements) {
      const before = this.exports.length
      this.#declared(statement)
      const named = this.exports.slice(before)
      for (const name of named) this.spelt.set(name, typesIn(statement))
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) this.types.push(...named)
    }
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) this.#imported(node)
      else if (ts.isExportDeclaration(node)) this.#handedOn(node)
      else {
        if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) this.#loaded(node)
        if (ts.isImportTypeNode(node)) this.#named(node)
        if (ts.isStringLiteralLike(node) || ts.isTemplateTail(node)) this.#told(node.text)
        if (ts.isIdentifier(node)) this.#ofSpace(node)
        ts.forEachChild(node, visit)
      }
    }
    visit(this.source)
  }

  #declared(statement: ts.Statement): void {
    if (ts.isExportAssignment(statement)) this.exports.push('default')
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    const has = (kind: ts.SyntaxKind) => modifiers.some((each) => each.kind === kind)
    if (!has(ts.SyntaxKind.ExportKeyword)) return
    if (has(ts.SyntaxKind.DefaultKeyword)) this.exports.push('default')
    else if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) this.exports.push(...boundIn(name))
    else if (ts.isDeclarationStatement(statement) && statement.name) this.exports.push(statement.name.text)
  }

  #imported({ importClause, moduleSpecifier }: ts.ImportDeclaration): void {
    const from = this.#from(moduleSpecifier)
    if (importClause?.name) this.takes.push({ from, name: 'default' })
    const bindings = importClause?.namedBindings
    if (bindings && ts.isNamespaceImport(bindings)) this.#spaces.set(bindings.name.text, from)
    else
      for (const each of bindings?.elements ?? [])
        this.takes.push({ from, name: (each.propertyName ?? each.name).text })
  }

  #handedOn({ exportClause, moduleSpecifier }: ts.ExportDeclaration): void {
    const from = moduleSpecifier && this.#from(moduleSpecifier)
    if (from === undefined) {
      if (exportClause && ts.isNamedExports(exportClause))
        this.exports.push(...exportClause.elements.map(({ name }) => name.text))
    } else if (!exportClause) this.handsOn.push({ from, name: '*', as: '*' })
    else if (ts.isNamedExports(exportClause)) {
      for (const { name, propertyName = name } of exportClause.elements)
        this.handsOn.push({ from, name: propertyName.text, as: name.text })
    } else this.handsOn.push({ from, name: '*', as: exportClause.name.text })
  }

  /** `import('x')`: by how its answer is taken apart, if it is. */
  #loaded(call: ts.CallExpression): void {
    const [specifier] = call.arguments
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const from = this.#from(specifier)
    for (const name of loadedNames(call)) this.takes.push({ from, name })
  }

  #named({ argument, qualifier }: ts.ImportTypeNode): void {
    if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return
    const from = this.#from(argument.literal)
    const first = qualifier && (ts.isQualifiedName(qualifier) ? leftOf(qualifier) : qualifier)
    this.takes.push({ from, name: first?.text ?? '*' })
  }

  /** `space.name`; the space by itself is all of it. */
  #ofSpace(node: ts.Identifier): void {
    const from = this.#spaces.get(node.text)
    if (from === undefined) return
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node)
      this.takes.push({ from, name: parent.name.text })
    else if (ts.isQualifiedName(parent) && parent.left === node) this.takes.push({ from, name: parent.right.text })
    else if (!isOthersName(node)) this.takes.push({ from, name: '*' })
  }

  #told(text: string): void {
    if (/[\w-]\.(?:[cm]?[jt]s|tsx)$/.test(text)) this.paths.push(text)
  }

  #from(specifier: ts.Expression): string {
    const text = ts.isStringLiteralLike(specifier) ? specifier.text : ''
    this.specifiers.push(text)
    return text
  }
}

function typesIn(statement: ts.Node): string[] {
  const found = new Set<string>()
  const visit = (node: ts.Node): void => {
    if (ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName)) found.add(node.typeName.text)
    if (ts.isExpressionWithTypeArguments(node) && ts.isIdentifier(node.expression)) found.add(node.expression.text)
    ts.forEachChild(node, visit)
  }
  visit(statement)
  return [...found]
}

function boundIn(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((each) => (ts.isOmittedExpression(each) ? [] : boundIn(each.name)))
}

function leftOf({ left }: ts.QualifiedName): ts.Identifier {
  return ts.isQualifiedName(left) ? leftOf(left) : left
}

/** A property or a key that is only spelt like it. */
function isOthersName(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  return (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node
  )
}

function loadedNames(call: ts.CallExpression): string[] {
  const around = ts.isAwaitExpression(call.parent) ? call.parent : call
  const whole = ts.isParenthesizedExpression(around.parent) ? around.parent : around
  const { parent } = whole
  if (ts.isExpressionStatement(parent)) return []
  if (ts.isVariableDeclaration(parent)) return takenApart(parent.name)
  if (!ts.isPropertyAccessExpression(parent)) return ['*']
  if (around !== call) return [parent.name.text]
  const [taker] = ts.isCallExpression(parent.parent) ? parent.parent.arguments : []
  const isThen = parent.name.text === 'then' && taker && (ts.isArrowFunction(taker) || ts.isFunctionExpression(taker))
  const [first] = isThen ? taker.parameters : []
  return first ? takenApart(first.name) : ['*']
}

function takenApart(name: ts.BindingName): string[] {
  if (!ts.isObjectBindingPattern(name)) return ['*']
  return name.elements.map(({ name: as, propertyName = as, dotDotDotToken }) =>
    dotDotDotToken || !ts.isIdentifier(propertyName) ? '*' : propertyName.text,
  )
}
