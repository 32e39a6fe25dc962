// The public surface as text: npm run api renews docs/api/, node scripts/api.mjs --check fails where it differs from dist/.
// Printed are the declarations that each entry of the package exports, and those which they speak of.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const HERE = fileURLToPath(new URL('..', import.meta.url))
const checks = process.argv.includes('--check')
const root = resolve(process.argv.slice(2).find((arg) => !arg.startsWith('--')) ?? HERE)

const reports = reportsOf(root)
const folder = join(root, 'docs', 'api')
const there = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.api.md')) : []
const differing = [...new Set([...reports.keys(), ...there])].filter((name) => reports.get(name) !== written(name))

if (!checks) {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of reports) writeFileSync(join(folder, name), text)
  const orphans = there.filter((name) => !reports.has(name))
  if (orphans.length > 0) fail(`No entry of the package stands behind ${orphans.join(', ')}: remove it.`)
} else if (differing.length > 0) {
  const lines = differing.map((name) => `docs/api/${name}\n${difference(written(name) ?? '', reports.get(name) ?? '')}`)
  fail(`What the package exports has changed:\n${lines.join('\n')}\nIf that is meant: npm run build && npm run api`)
}

function written(name) {
  const path = join(folder, name)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}

/** The lines that only one side has. */
function difference(before, after) {
  const [was, is] = [before.split('\n'), after.split('\n')]
  const gone = was.filter((line) => !is.includes(line)).map((line) => `- ${line}`)
  const come = is.filter((line) => !was.includes(line)).map((line) => `+ ${line}`)
  return [...gone, ...come].slice(0, 40).join('\n')
}

function fail(words) {
  console.error(words)
  process.exit(1)
}

/** File name of the report → its text. */
function reportsOf(root) {
  const { name, exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const entries = Object.entries(exports).flatMap(([path, { types }]) =>
    types ? [{ name: path.replace('.', name), file: join(root, types) }] : [],
  )
  const missing = entries.filter(({ file }) => !existsSync(file))
  if (missing.length > 0) fail(`${missing.map(({ file }) => file).join(', ')}: missing. First: npm run build`)
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
  const homes = new Map()
  for (const { name, exported } of surfaces)
    for (const symbol of exported.values()) if (!homes.has(symbol)) homes.set(symbol, name)
  return new Map(
    surfaces.map((surface) => [
      `${surface.name.replace('/', '.')}.api.md`,
      reportOf(surface, homes, (node) => reachedBy(checker, node, root)),
    ]),
  )
}

/** Exported name → the symbol behind it. */
function exportsOf(checker, file) {
  const names = checker.getExportsOfModule(checker.getSymbolAtLocation(file))
  const resolved = names.map((symbol) => [symbol.name, real(checker, symbol)])
  return new Map(resolved.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function real(checker, symbol) {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
}

function reportOf({ name, exported }, homes, reached) {
  const own = new Set(exported.values())
  const hidden = new Set()
  const elsewhere = new Map()
  const queue = [...own]
  for (const symbol of queue)
    for (const found of statementsOf(symbol).flatMap(reached)) {
      const home = homes.get(found)
      if (own.has(found) || hidden.has(found)) continue
      if (home !== undefined) elsewhere.set(home, (elsewhere.get(home) ?? new Set()).add(found.name))
      else {
        hidden.add(found)
        queue.push(found)
      }
    }
  const said = [...exported].map(
    ([as, symbol]) => (as === symbol.name ? '' : `// exported as ${as}\n`) + printed(symbol),
  )
  const below = [...hidden].sort((a, b) => (a.name < b.name ? -1 : 1)).map(printed)
  const imports = [...elsewhere].sort().map(([from, names]) => `- of \`${from}\`: ${[...names].sort().join(', ')}`)
  return [
    `# ${name}\n`,
    'What this entry exports. Made by `npm run api`; a test compares it.\n',
    fenced(said),
    ...(below.length > 0 ? ['Spoken of, but not exported by name:\n', fenced(below)] : []),
    ...(imports.length > 0 ? ['Spoken of, and exported elsewhere:\n', `${imports.join('\n')}\n`] : []),
  ].join('\n')
}

function fenced(texts) {
  return `\`\`\`ts\n${texts.join('\n')}\n\`\`\`\n`
}

/** The statements that declare it; a variable's is two levels up. */
function statementsOf(symbol) {
  return (symbol.declarations ?? []).map((node) => (ts.isVariableDeclaration(node) ? node.parent.parent : node))
}

/** Symbols of this package that a declaration speaks of. */
function reachedBy(checker, statement, root) {
  const found = []
  const visit = (node) => {
    if (isPrivate(node)) return
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node)
      const meant = symbol && real(checker, symbol)
      if (meant?.declarations?.some((declared) => isTop(declared) && isOurs(declared, root))) found.push(meant)
    }
    ts.forEachChild(node, visit)
  }
  visit(statement)
  return found
}

function isTop(node) {
  const statement = ts.isVariableDeclaration(node) ? node.parent.parent : node
  return ts.isSourceFile(statement.parent ?? statement) && !ts.isSourceFile(node)
}

function isOurs(node, root) {
  const { fileName } = node.getSourceFile()
  return fileName.startsWith(root.endsWith(sep) ? root : root + sep) && !fileName.includes('/node_modules/')
}

function isPrivate(node) {
  if (!ts.isClassElement(node)) return false
  const named = node.name !== undefined && ts.isPrivateIdentifier(node.name)
  return named || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0
}

function printed(symbol) {
  const printer = ts.createPrinter({ removeComments: true })
  const lean = (context) => {
    const visit = (node) => (isPrivate(node) ? undefined : ts.visitEachChild(node, visit, context))
    return (node) => ts.visitNode(node, visit)
  }
  const texts = statementsOf(symbol).map((statement) => {
    const { transformed, dispose } = ts.transform(statement, [lean])
    const text = printer.printNode(ts.EmitHint.Unspecified, transformed[0], statement.getSourceFile())
    dispose()
    return text
  })
  return texts.join('\n')
}
