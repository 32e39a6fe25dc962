import { readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import ts from 'typescript'

/**
 * The fifth lock: what in a source file could change the disk, past every guard. Read off its syntax, and strict: what
 * cannot be seen to be harmless is a power, by the name it is given here.
 */

/** Functions of node:fs that change nothing, whatever they are given. */
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
/** The same of fs.promises. */
const READING_LATER = new Set(['access', 'lstat', 'opendir', 'readdir', 'readlink', 'realpath', 'stat', 'statfs'])
/** Reading with reading flags, and only then. */
const BY_FLAGS = new Set(['openSync', 'readFileSync', 'promises.open', 'promises.readFile'])
/** Modules of Node that neither reach the disk nor start what could. */
const MODULES = new Set([
  ...['async_hooks', 'buffer', 'crypto', 'events', 'os', 'path', 'path/posix', 'readline', 'stream', 'stream/web'],
  ...['timers', 'timers/promises', 'url', 'util', 'zlib', 'perf_hooks', 'string_decoder', 'assert', 'stream/promises'],
])
/** Dependencies that keep off the disk. */
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
/** Ways to a module or to code that no import shows. */
const BACK_DOORS = new Set([
  'binding',
  '_linkedBinding',
  'getBuiltinModule',
  'dlopen',
  'mainModule',
  'createRequire',
  'writeReport',
])
/** Objects that lead to all of those: they are used as `process.pid`, or got out of sight. */
const GLOBALS = new Set(['process', 'globalThis', 'global'])
const CODE = new Set(['eval', 'Function', 'require', 'module'])

/** What a file could change the disk by: `fs.writeFileSync`, `module child_process`, `import of any name`, … */
export function diskPowers(file: string, text = readFileSync(file, 'utf8')): string[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const found = new Found(source)
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) found.imported(node)
    else if (ts.isExportDeclaration(node) && node.moduleSpecifier) found.exported(node)
    else if (ts.isImportEqualsDeclaration(node)) found.add('import =')
    else if (ts.isTypeNode(node)) return
    else {
      if (ts.isCallExpression(node)) found.called(node)
      if (ts.isIdentifier(node)) found.named(node)
      ts.forEachChild(node, visit)
    }
  }
  visit(source)
  return [...new Set(found.powers)]
}

class Found {
  readonly powers: string[] = []
  /** Local names of node:fs itself, and of functions of it that need reading flags. */
  readonly #whole = new Set<string>()
  readonly #flagged = new Map<string, string>()

  constructor(private readonly source: ts.SourceFile) {}

  add(power: string): void {
    this.powers.push(power)
  }

  imported({ moduleSpecifier, importClause }: ts.ImportDeclaration): void {
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

  exported({ moduleSpecifier, exportClause, isTypeOnly }: ts.ExportDeclaration): void {
    if (!moduleSpecifier || isTypeOnly || !this.#isFs(moduleSpecifier)) return
    if (!exportClause || !ts.isNamedExports(exportClause)) this.add('fs handed on')
    else for (const { name, propertyName } of exportClause.elements) this.#member((propertyName ?? name).text)
  }

  called({ expression, arguments: [argument] }: ts.CallExpression): void {
    if (expression.kind !== ts.SyntaxKind.ImportKeyword) return
    if (!argument || !ts.isStringLiteral(argument)) this.add('import of any name')
    else if (this.#isFs(argument)) this.add('fs handed on')
  }

  named(node: ts.Identifier): void {
    const { text, parent } = node
    const isKey = ts.isPropertyAccessExpression(parent) && parent.name === node
    const declares = ts.isPropertySignature(parent) || ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)
    if (BACK_DOORS.has(text) && isKey) this.add(text)
    else if (CODE.has(text) && !isKey && !declares && !ts.isVariableDeclaration(parent)) this.#code(node)
    else if (GLOBALS.has(text) && ts.isExpression(node) && !isKey && !declares) this.#globalUsed(node)
    else if (this.#whole.has(text) && !isKey && !(declares && parent.name === node)) this.#wholeUsed(node)
    else if (this.#flagged.has(text) && !isKey) this.#flaggedUsed(node, this.#flagged.get(text) ?? '')
  }

  /** A module other than node:fs is a power unless it is known to be none. */
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

  #globalUsed({ text, parent }: ts.Identifier): void {
    if (!ts.isPropertyAccessExpression(parent)) this.add(`${text} handed on`)
  }

  #code(node: ts.Identifier): void {
    if (ts.isParameter(node.parent) || ts.isBindingElement(node.parent)) return
    const used = ts.isCallExpression(node.parent) || ts.isNewExpression(node.parent)
    if (used && node.parent.expression === node) this.add(node.text)
  }

  /** The whole of fs is used as `fs.member`, or it got out of sight. */
  #wholeUsed(node: ts.Identifier): void {
    const { parent } = node
    if (ts.isImportClause(parent) || ts.isNamespaceImport(parent) || ts.isImportSpecifier(parent)) return
    if (!ts.isPropertyAccessExpression(parent)) {
      this.add('fs handed on')
      return
    }
    const member = parent.name.text
    if (member === 'promises') this.#promisesUsed(parent.parent)
    else if (BY_FLAGS.has(member)) this.#flaggedUsed(parent, member)
    else this.#member(member)
  }

  #promisesUsed(node: ts.Node): void {
    if (!ts.isPropertyAccessExpression(node)) {
      this.add('fs.promises handed on')
      return
    }
    const member = `promises.${node.name.text}`
    if (BY_FLAGS.has(member)) this.#flaggedUsed(node, member)
    else if (!READING_LATER.has(node.name.text)) this.add(`fs.${member}`)
  }

  #flaggedUsed(callee: ts.Node, member: string): void {
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

  /** 'r', reading constants joined by `|`, or the name of a constant of this file that is made of them. */
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
