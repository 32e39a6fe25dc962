// The public API as text: the declarations that each entry of a package exports, and those that they reference.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import ts from 'typescript'

interface Manifest {
  readonly name: string
  readonly exports: Readonly<Record<string, { readonly types?: string }>>
}

/** An entry of the package: its exported names, and the symbol behind each. */
interface Surface {
  readonly name: string
  readonly file: string
  readonly exported: ReadonlyMap<string, ts.Symbol>
}

export interface ApiComparison {
  /** The text of each report, by file name. */
  readonly reports: ReadonlyMap<string, string>
  /** The files of docs/api/ for which the package has no entry. */
  readonly orphans: readonly string[]
  /** The changed lines of each report that differs. */
  readonly differences: readonly string[]
}

/**
 * Compares docs/api/ of a package with what its declarations export.
 * @param root the package's directory, with its built declarations
 * @throws if a declaration file of an entry is missing
 */
export function compareApi(root: string): ApiComparison {
  const folder = join(root, 'docs', 'api')
  const reports = reportsOf(root)
  const present = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.api.md')) : []
  const differences = [...new Set([...reports.keys(), ...present])].flatMap((name) => {
    const before = present.includes(name) ? readFileSync(join(folder, name), 'utf8') : undefined
    const after = reports.get(name)
    return before === after ? [] : [`docs/api/${name}\n${diffLines(before ?? '', after ?? '')}`]
  })
  return { reports, orphans: present.filter((name) => !reports.has(name)), differences }
}

/** The lines that are only on one side. */
function diffLines(before: string, after: string): string {
  const [oldLines, newLines] = [before.split('\n'), after.split('\n')]
  const removed = oldLines.filter((line) => !newLines.includes(line)).map((line) => `- ${line}`)
  const added = newLines.filter((line) => !oldLines.includes(line)).map((line) => `+ ${line}`)
  return [...removed, ...added].slice(0, 40).join('\n')
}

/** File name of the report → its text. */
function reportsOf(root: string): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest
  const entries = Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [{ name: path.replace('.', name), file: join(root, types) }] : [],
  )
  const missing = entries.filter(({ file }) => !existsSync(file))
  if (missing.length > 0)
    throw new Error(`${missing.map(({ file }) => file).join(', ')}: missing. First: npm run build`)
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: ['node'], noLib: true }
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    options,
  )
  const checker = program.getTypeChecker()
  const surfaces = entries.map((entry) => ({
    ...entry,
    exported: exportsOf(checker, program.getSourceFile(entry.file)),
  }))
  const homes = new Map<ts.Symbol, string>()
  for (const { name, exported } of surfaces)
    for (const symbol of exported.values()) if (!homes.has(symbol)) homes.set(symbol, name)
  return new Map(
    surfaces.map((surface) => [
      `${surface.name.replace('/', '.')}.api.md`,
      reportOf(surface, homes, (node) => referencedSymbols(checker, node, root)),
    ]),
  )
}

/** Exported name → the symbol behind it. */
function exportsOf(checker: ts.TypeChecker, file: ts.SourceFile | undefined): Map<string, ts.Symbol> {
  const module = file && checker.getSymbolAtLocation(file)
  if (module === undefined) return new Map()
  const names = checker.getExportsOfModule(module)
  const resolved = names.map((symbol) => [symbol.name, resolveAlias(checker, symbol)] as const)
  return new Map(resolved.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function resolveAlias(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function reportOf(
  { name, exported }: Surface,
  homes: ReadonlyMap<ts.Symbol, string>,
  findReferences: (statement: ts.Node) => ts.Symbol[],
): string {
  const exportedSymbols = new Set(exported.values())
  const hidden = new Set<ts.Symbol>()
  const elsewhere = new Map<string, Set<string>>()
  const queue = [...exportedSymbols]
  for (const symbol of queue)
    for (const found of statementsOf(symbol).flatMap(findReferences)) {
      const home = homes.get(found)
      if (exportedSymbols.has(found) || hidden.has(found)) continue
      if (home !== undefined) elsewhere.set(home, (elsewhere.get(home) ?? new Set()).add(found.name))
      else {
        hidden.add(found)
        queue.push(found)
      }
    }
  const declarations = [...exported].map(
    ([as, symbol]) => (as === symbol.name ? '' : `// exported as ${as}\n`) + printDeclaration(symbol),
  )
  const below = [...hidden].sort((a, b) => (a.name < b.name ? -1 : 1)).map(printDeclaration)
  const imports = [...elsewhere].sort().map(([from, names]) => `- of \`${from}\`: ${[...names].sort().join(', ')}`)
  return [
    `# ${name}\n`,
    'The exports of this entry. Generated by `npm run api`; a test compares it.\n',
    codeBlock(declarations),
    ...(below.length > 0 ? ['Referenced, but not exported by name:\n', codeBlock(below)] : []),
    ...(imports.length > 0 ? ['Referenced, and exported elsewhere:\n', `${imports.join('\n')}\n`] : []),
  ].join('\n')
}

function codeBlock(texts: readonly string[]): string {
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`
}

/** The statements that declare a symbol. A variable's statement is two levels up. */
function statementsOf(symbol: ts.Symbol): ts.Node[] {
  return (symbol.declarations ?? []).map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node))
}

/** The symbols of this package that a declaration references. */
function referencedSymbols(checker: ts.TypeChecker, statement: ts.Node, root: string): ts.Symbol[] {
  const found: ts.Symbol[] = []
  const visit = (node: ts.Node): void => {
    if (isPrivate(node)) return
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      const target = symbol && resolveAlias(checker, symbol)
      if (target?.declarations?.some((node) => isTopLevel(node) && isOurs(node, root))) found.push(target)
    }
    ts.forEachChild(node, visit)
  }
  visit(statement)
  return found
}

function isTopLevel(node: ts.Node): boolean {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts.isSourceFile(statement.parent ?? statement) && !ts.isSourceFile(node)
}

function isOurs(node: ts.Node, root: string): boolean {
  const { fileName } = node.getSourceFile()
  return fileName.startsWith(root.endsWith(sep) ? root : root + sep) && !fileName.includes('/node_modules/')
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false
  const named = node.name !== undefined && ts.isPrivateIdentifier(node.name)
  return named || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0
}

function printDeclaration(symbol: ts.Symbol): string {
  const printer = ts.createPrinter({ removeComments: true })
  const withoutPrivate: ts.TransformerFactory<ts.Node> = (context) => {
    const visit = (node: ts.Node): ts.Node | undefined =>
      isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context)
    return (node) => ts.visitEachChild(node, visit, context)
  }
  const texts = statementsOf(symbol).map((statement) => {
    const { transformed, dispose } = ts.transform(statement, [withoutPrivate])
    const file = statement.getSourceFile()
    const text = transformed.map((node) => printer.printNode(ts.EmitHint.Unspecified, node, file)).join('\n')
    dispose()
    return text
  })
  return texts.join('\n')
}
