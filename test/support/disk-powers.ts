import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import ts from 'typescript'

/**
 * The fifth lock: finds code in a source file that could change the disk, past every guard. It reads only the syntax,
 * and is strict: code that is not provably harmless counts as a capability.
 */

/** Functions of node:fs that change nothing for any arguments. */
const READING = new Set([
  ...['accessSync', 'existsSync', 'fstatSync', 'lstatSync', 'readSync', 'readdirSync', 'readlinkSync', 'realpathSync'],
  ...[
    'statSync',
    'statfsSync',
    'closeSync',
    'constants',
    'Stats',
    'Dirent',
    'Dir',
    'opendirSync',
    'fsyncSync',
    'watch',
  ],
])
/** Functions of fs.promises that change nothing. */
const READING_PROMISES = new Set(['access', 'lstat', 'opendir', 'readdir', 'readlink', 'realpath', 'stat', 'statfs'])
/** Functions that change nothing if their flags are for reading. */
const BY_FLAGS = new Set(['openSync', 'readFileSync', 'promises.open', 'promises.readFile'])
/** Node modules that neither reach the disk nor start other code that could. */
const MODULES = new Set([
  ...['async_hooks', 'buffer', 'crypto', 'events', 'os', 'path', 'path/posix', 'readline', 'stream', 'stream/web'],
  ...['timers', 'timers/promises', 'url', 'util', 'zlib', 'perf_hooks', 'string_decoder', 'assert', 'stream/promises'],
])
/** Dependencies that do not use the disk. */
const PACKAGES = new Set([
  'commander',
  'diff',
  'hono',
  'memfs',
  'minimatch',
  'node-diff3',
  'picocolors',
  'picomatch',
  'yaml',
  'zod',
])
/** Ways to load a module or code without an import. */
const BACK_DOORS = new Set([
  'binding',
  '_linkedBinding',
  'getBuiltinModule',
  'dlopen',
  'mainModule',
  'createRequire',
  'writeReport',
])
/** Objects that give access to all of those. Only uses such as `process.pid` are allowed. */
const GLOBALS = new Set(['process', 'globalThis', 'global'])
const CODE = new Set(['eval', 'Function', 'require', 'module'])

/** Finds the capabilities of a file: `fs.writeFileSync`, `module child_process`, `import of any name`, … */
export function findDiskPowers(file: string, text = readFileSync(file, 'utf8')): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const finder = new PowerFinder(source)
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) finder.checkImport(node)
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) finder.checkExport(node)
    else if (ts.isImportEqualsDeclaration(node)) finder.add('import =')
    else if (ts.isTypeNode(node)) return
    else {
      if (ts.isCallExpression(node)) finder.checkCall(node)
      if (ts.isIdentifier(node)) finder.checkName(node)
      ts.forEachChild(node, visit)
    }
  }
  visit(source)
  return [...new Set(finder.powers)]
}

class PowerFinder {
  readonly powers: string[] = []
  /** Local names of node:fs, and of its functions that need reading flags. */
  readonly #whole = new Set<string>()
  readonly #flagged = new Map<string, string>()

  constructor(private readonly source: ts.SourceFile) {}

  add(power: string): void {
    this.powers.push(power)
  }

  checkImport({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
    if (importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword) return
    if (!this.#isFs(moduleSpecifier)) return
    if (importClause?.name) this.#whole.add(importClause.name.text)
    const bindings = importClause?.namedBindings
    if (bindings && ts.isNamespaceImport(bindings)) this.#whole.add(bindings.name.text)
    if (!bindings || !ts.isNamedImports(bindings)) return
    for (const { name, propertyName, isTypeOnly } of bindings.elements) {
      const member = (propertyName ?? name).text
      if (isTypeOnly) continue
      if (member === 'default') this.#whole.add(name.text)
      else if (BY_FLAGS.has(member)) this.#flagged.set(name.text, member)
      else this.#member(member)
    }
  }

  checkExport({ moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration): void {
    if (!moduleSpecifier || isTypeOnly || !this.#isFs(moduleSpecifier)) return
    if (!exportClause || !ts.isNamedExports(exportClause)) this.add('fs handed on')
    else for (const { name, propertyName } of exportClause.elements) this.#member((propertyName ?? name).text)
  }

  checkCall({ expression, arguments: [argument] }: ts.CallExpression): void {
    if (expression.kind !== ts.SyntaxKind.ImportKeyword) return
    if (!argument || !ts.isStringLiteral(argument)) this.add('import of any name')
    else if (this.#isFs(argument)) this.add('fs handed on')
  }

  checkName(node: ts.Identifier): void {
    const { text, parent } = node
    const isKey = ts.isPropertyAccessExpression(parent) && parent.name === node
    const declares = ts.isPropertySignature(parent) || ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)
    if (BACK_DOORS.has(text) && isKey) this.add(text)
    else if (CODE.has(text) && !isKey && !declares && !ts.isVariableDeclaration(parent)) this.#code(node)
    else if (GLOBALS.has(text) && ts.isExpression(node) && !isKey && !declares) this.#checkGlobal(node)
    else if (this.#whole.has(text) && !isKey && !(declares && parent.name === node)) this.#checkFsUse(node)
    else if (this.#flagged.has(text) && !isKey) this.#checkFlags(node, this.#flagged.get(text) ?? '')
  }

  /** True for node:fs. Any other module counts as a capability unless it is known to be harmless. */
  #isFs(specifier: ts.Expression): boolean {
    const name = ts.isStringLiteral(specifier) ? specifier.text : ''
    if (name.startsWith('.')) return false
    const module = name.replace(/^node:/, '')
    if (module === 'fs') return true
    const builtin = name.startsWith('node:') || builtinModules.includes(module)
    const known = builtin ? MODULES : PACKAGES
    const subject = builtin || !name.includes('/') ? module : (/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name)
    if (!known.has(subject)) this.add(`${builtin ? 'module' : 'package'} ${subject}`)
    return false
  }

  #member(member: string): void {
    if (!READING.has(member)) this.add(`fs.${member}`)
  }

  #checkGlobal({ text, parent }: ts.Identifier): void {
    if (!ts.isPropertyAccessExpression(parent)) this.add(`${text} handed on`)
  }

  #code(node: ts.Identifier): void {
    if (ts.isParameter(node.parent) || ts.isBindingElement(node.parent)) return
    const used = ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent)
    if (used && node.parent.expression === node) this.add(node.text)
  }

  /** Allows `fs.member` only. Other uses of fs cannot be followed. */
  #checkFsUse(node: ts.Identifier): void {
    const { parent } = node
    if (ts.isImportClause(parent) || ts.isNamespaceImport(parent) || ts.isImportSpecifier(parent)) return
    if (!ts.isPropertyAccessExpression(parent)) {
      this.add('fs handed on')
      return
    }
    const member = parent.name.text
    if (member === 'promises') this.#checkPromises(parent.parent)
    else if (BY_FLAGS.has(member)) this.#checkFlags(parent, member)
    else this.#member(member)
  }

  #checkPromises(node: ts.Node): void {
    if (!ts.isPropertyAccessExpression(node)) {
      this.add('fs.promises handed on')
      return
    }
    const member = `promises.${node.name.text}`
    if (BY_FLAGS.has(member)) this.#checkFlags(node, member)
    else if (!READING_PROMISES.has(node.name.text)) this.add(`fs.${member}`)
  }

  #checkFlags(callee: ts.Node, member: string): void {
    const call = callee.parent
    if (ts.isImportSpecifier(call)) return
    const reads =
      ts.isCallExpression(call) && call.expression === callee && this.#readsOnly(member, call.arguments[1] ?? undefined)
    if (!reads) this.add(`fs.${member} with flags that may write`)
  }

  #readsOnly(member: string, second: ts.Expression | undefined): boolean {
    if (/open/.test(member)) return second !== undefined && this.#areReadFlags(second)
    if (second === undefined || ts.isStringLiteral(second)) return true
    if (!ts.isObjectLiteralExpression(second)) return false
    return second.properties.every((each) => {
      if (!ts.isPropertyAssignment(each)) return false
      return each.name.getText(this.source) !== 'flag' || this.#areReadFlags(each.initializer)
    })
  }

  /** True for 'r', for reading constants joined by `|`, and for a constant of this file made of them. */
  #areReadFlags(expression: ts.Expression): boolean {
    if (ts.isParenthesizedExpression(expression)) return this.#areReadFlags(expression.expression)
    if (ts.isStringLiteral(expression)) return expression.text === 'r'
    if (ts.isNumericLiteral(expression)) return expression.text === '0'
    if (ts.isBinaryExpression(expression)) {
      const joined = ['|', '??'].includes(expression.operatorToken.getText(this.source))
      return joined && this.#areReadFlags(expression.left) && this.#areReadFlags(expression.right)
    }
    if (ts.isPropertyAccessExpression(expression))
      return /constants\.O_(RDONLY|NOFOLLOW|NONBLOCK|DIRECTORY)$/.test(expression.getText(this.source))
    return ts.isIdentifier(expression) && this.#isReadConstant(expression.text)
  }

  #isReadConstant(name: string): boolean {
    const [only, ...more] = this.source.statements
      .filter(ts.isVariableStatement)
      .filter(({ declarationList }) => declarationList.flags & ts.NodeFlags.Const)
      .flatMap(({ declarationList }) => [...declarationList.declarations])
      .filter((each) => each.name.getText(this.source) === name)
    return more.length === 0 && only?.initializer !== undefined && this.#areReadFlags(only.initializer)
  }
}
