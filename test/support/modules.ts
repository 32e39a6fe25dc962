import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** The imports and exports of a module, read from its syntax. `*` means all names. */
export interface Module {
  /** The exported declarations. */
  readonly exports: readonly string[]
  /** The exported types. */
  readonly types: readonly string[]
  readonly imports: readonly ImportedName[]
  readonly reexports: readonly ReexportedName[]
  /** The types that each exported declaration references. A user of the declaration may use them too. */
  readonly referencedTypes: ReadonlyMap<string, readonly string[]>
  /** The module specifiers. */
  readonly specifiers: readonly string[]
  /** String literals that end like a file name: files that it starts or reads. */
  readonly paths: readonly string[]
}

export interface ImportedName {
  readonly from: string
  readonly name: string
}

/** `export { name as as } from from`. Both names are `*` for `export * from`. */
export interface ReexportedName extends ImportedName {
  readonly as: string
}

export function readModule(file: string, text = readFileSync(file, 'utf8')): Module {
  const reader = new Reader(ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true))
  reader.read()
  return reader
}

class Reader implements Module {
  readonly exports: string[] = []
  readonly types: string[] = []
  readonly imports: ImportedName[] = []
  readonly reexports: ReexportedName[] = []
  readonly referencedTypes = new Map<string, string[]>()
  readonly specifiers: string[] = []
  readonly paths: string[] = []
  /** Maps a namespace's local name to its module. */
  readonly #namespaces = new Map<string, string>()

  constructor(private readonly source: ts.SourceFile) {}

  read(): void {
    for (const statement of this.source.statements) {
      const before = this.exports.length
      this.#readDeclaration(statement)
      const added = this.exports.slice(before)
      for (const name of added) this.referencedTypes.set(name, typesIn(statement))
      if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement)) this.types.push(...added)
    }
    const visit = (node: ts.Node): void => {
      if (ts.isImportDeclaration(node)) this.#readImport(node)
      else if (ts.isExportDeclaration(node)) this.#readExport(node)
      else {
        if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
          this.#readDynamicImport(node)
        if (ts.isImportTypeNode(node)) this.#readImportType(node)
        if (ts.isStringLiteralLike(node) || ts.isTemplateTail(node)) this.#addPath(node.text)
        if (ts.isIdentifier(node)) this.#readNamespaceUse(node)
        ts.forEachChild(node, visit)
      }
    }
    visit(this.source)
  }

  #readDeclaration(statement: ts.Statement): void {
    if (ts.isExportAssignment(statement)) this.exports.push('default')
    const modifiers = ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []
    const has = (kind: ts.SyntaxKind) => modifiers.some((each) => each.kind === kind)
    if (!has(ts.SyntaxKind.ExportKeyword)) return
    if (has(ts.SyntaxKind.DefaultKeyword)) this.exports.push('default')
    else if (ts.isVariableStatement(statement))
      for (const { name } of statement.declarationList.declarations) this.exports.push(...boundNames(name))
    else if (ts.isDeclarationStatement(statement) && statement.name) this.exports.push(statement.name.text)
  }

  #readImport({ importClause, moduleSpecifier }: ts.ImportDeclaration): void {
    const from = this.#from(moduleSpecifier)
    if (importClause?.name) this.imports.push({ from, name: 'default' })
    const bindings = importClause?.namedBindings
    if (bindings && ts.isNamespaceImport(bindings)) this.#namespaces.set(bindings.name.text, from)
    else
      for (const each of bindings?.elements ?? [])
        this.imports.push({ from, name: (each.propertyName ?? each.name).text })
  }

  #readExport({ exportClause, moduleSpecifier }: ts.ExportDeclaration): void {
    const from = moduleSpecifier && this.#from(moduleSpecifier)
    if (from === undefined) {
      if (exportClause && ts.isNamedExports(exportClause))
        this.exports.push(...exportClause.elements.map(({ name }) => name.text))
    } else if (!exportClause) this.reexports.push({ from, name: '*', as: '*' })
    else if (ts.isNamedExports(exportClause)) {
      for (const { name, propertyName = name } of exportClause.elements)
        this.reexports.push({ from, name: propertyName.text, as: name.text })
    } else this.reexports.push({ from, name: '*', as: exportClause.name.text })
  }

  /** Reads `import('x')` with the names that are destructured from it. */
  #readDynamicImport(call: ts.CallExpression): void {
    const [specifier] = call.arguments
    if (!specifier || !ts.isStringLiteralLike(specifier)) return
    const from = this.#from(specifier)
    for (const name of loadedNames(call)) this.imports.push({ from, name })
  }

  #readImportType({ argument, qualifier }: ts.ImportTypeNode): void {
    if (!ts.isLiteralTypeNode(argument) || !ts.isStringLiteral(argument.literal)) return
    const from = this.#from(argument.literal)
    const first = qualifier && (ts.isQualifiedName(qualifier) ? leftmostName(qualifier) : qualifier)
    this.imports.push({ from, name: first?.text ?? '*' })
  }

  /** Reads `namespace.name`. The namespace alone counts as all names. */
  #readNamespaceUse(node: ts.Identifier): void {
    const from = this.#namespaces.get(node.text)
    if (from === undefined) return
    const { parent } = node
    if (ts.isPropertyAccessExpression(parent) && parent.expression === node)
      this.imports.push({ from, name: parent.name.text })
    else if (ts.isQualifiedName(parent) && parent.left === node) this.imports.push({ from, name: parent.right.text })
    else if (!isPropertyName(node)) this.imports.push({ from, name: '*' })
  }

  #addPath(text: string): void {
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

function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text]
  return name.elements.flatMap((each) => (ts.isOmittedExpression(each) ? [] : boundNames(each.name)))
}

function leftmostName({ left }: ts.QualifiedName): ts.Identifier {
  return ts.isQualifiedName(left) ? leftmostName(left) : left
}

/** True for a property or key that only has the same name. */
function isPropertyName(node: ts.Identifier): boolean {
  const { parent } = node
  if (ts.isPropertyAccessExpression(parent)) return parent.name === node
  return (
    (ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isMethodDeclaration(parent)) &&
    parent.name === node
  )
}

function loadedNames(call: ts.CallExpression): string[] {
  const awaited = ts.isAwaitExpression(call.parent) ? call.parent : call
  const whole = ts.isParenthesizedExpression(awaited.parent) ? awaited.parent : awaited
  const { parent } = whole
  if (ts.isExpressionStatement(parent)) return []
  if (ts.isVariableDeclaration(parent)) return destructuredNames(parent.name)
  if (!ts.isPropertyAccessExpression(parent)) return ['*']
  if (awaited !== call) return [parent.name.text]
  const [callback] = ts.isCallExpression(parent.parent) ? parent.parent.arguments : []
  const isThen =
    parent.name.text === 'then' && callback && (ts.isArrowFunction(callback) || ts.isFunctionExpression(callback))
  const [first] = isThen ? callback.parameters : []
  return first ? destructuredNames(first.name) : ['*']
}

function destructuredNames(name: ts.BindingName): string[] {
  if (!ts.isObjectBindingPattern(name)) return ['*']
  return name.elements.map(({ name: as, propertyName = as, dotDotDotToken }) =>
    dotDotDotToken || !ts.isIdentifier(propertyName) ? '*' : propertyName.text,
  )
}
