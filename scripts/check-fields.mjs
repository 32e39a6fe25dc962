// Fails if `...defined({ field })` gives an object a field that its type does not have: node scripts/check-fields.mjs
// TypeScript checks for unknown fields in a literal, but not in spread objects. A misspelt option must not vanish.
import ts from 'typescript'

const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile)
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.')
const roots = ts.sys.readDirectory('.', ['.ts'], ['**/node_modules', '**/dist'], ['src', 'overlay'])
const program = ts.createProgram(roots, { ...options, noEmit: true })
const checker = program.getTypeChecker()

/** The possible types of the literal. */
function expectedTypes(literal) {
  const type = checker.getContextualType(literal)
  if (type === undefined) return []
  return (type.isUnion() ? type.types : [type]).filter(
    (each) => each.flags & ts.TypeFlags.Object || each.isIntersection(),
  )
}

function isOpen(type) {
  return checker.getIndexInfosOfType(type).length > 0 || checker.getPropertiesOfType(type).length === 0
}

function unknownFields(spread) {
  const types = expectedTypes(spread.parent)
  if (types.length === 0 || types.some(isOpen)) return []
  return spread.expression.arguments[0].properties
    .map((property) => property.name?.getText() ?? '')
    .filter((name) => !types.some((type) => checker.getPropertyOfType(type, name)))
}

let count = 0
const wrong = []
for (const file of program.getSourceFiles()) {
  if (file.isDeclarationFile) continue
  const visit = (node) => {
    if (isDefinedSpread(node)) {
      count += 1
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      for (const name of unknownFields(node))
        wrong.push(`${file.fileName}:${line + 1}: no field ${name} is expected here`)
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}

function isDefinedSpread(node) {
  return (
    ts.isSpreadAssignment(node) &&
    ts.isCallExpression(node.expression) &&
    node.expression.expression.getText() === 'defined' &&
    ts.isObjectLiteralExpression(node.expression.arguments[0])
  )
}

for (const line of wrong) console.error(line)
console.log(`${count} optional spreads checked`)
process.exit(wrong.length === 0 && count > 0 ? 0 : 1)
