import { childOf, type Node } from '../os/tree.js'
import { argumentsOf, type CallIn, calleeOf, PROCESSES } from './calls-in.js'
import type { FactName } from './facts.js'
import type { File } from './syntax.js'

/**
 * Names by which code reaches things that it does not import: loaders, evaluation, the process, and global objects.
 * Code can also reach them in other ways; this finds only names that are written out.
 */
export function powerIn(node: Node, file: File): CallIn | undefined {
  const found = powerOf(node, file)
  if (found === undefined) return undefined
  const excerpt = file.text(outermost(node)).slice(0, 200)
  return { name: found, key: `${found} ${excerpt.replace(/\s+/g, '')}`, text: excerpt, line: file.lineOf(node) }
}

function powerOf(node: Node, file: File): FactName | undefined {
  switch (node.type) {
    case 'identifier':
      return nameFact(node, file)
    case 'property_identifier':
      return propertyFact(node, file)
    case 'string':
      return isIndex(node) && /constructor/.test(file.text(node)) ? 'runs-text' : undefined
    case 'assignment_expression':
    case 'augmented_assignment_expression':
      return changedFact(childOf(node, 'left'), file)
    case 'call_expression':
      return DEFINES.test(file.text(calleeOf(node) ?? node)) ? changedFact(argumentsOf(node)[0], file) : undefined
    case 'with_statement':
      return 'global-state'
    default:
      return undefined
  }
}

const LOADERS =
  /^(?:createRequire|getBuiltinModule|mainModule|_load|_compile|_extensions|registerHooks|_linkedBinding|importScripts|loadExtension)$/
const GLOBALS = /^(?:globalThis|global)$/

function nameFact(node: Node, { text, modules }: File): FactName | undefined {
  const name = text(node)
  if (name.includes('\\')) return 'escaped-name'
  const { parent, field } = node
  const type = parent?.type ?? ''
  if (LOADERS.test(name)) return 'dynamic-import'
  if (name === 'require') return isPlainRequire(node, text) ? undefined : 'dynamic-import'
  if (name === 'eval') return isCallee(node) ? undefined : 'runs-text'
  if (name === 'Function') return isCallee(node) || isTypeTest(node, text) ? undefined : 'runs-text'
  if (name === 'process') return processFact(node, text)
  if (GLOBALS.test(name)) return isPlainGlobal(node) ? undefined : 'global-state'
  // A use of a module that starts processes, other than a call that is found as such.
  if (!PROCESSES.has(modules.get(name) ?? '') || /specifier|import_clause|namespace_import|pattern/.test(type))
    return undefined
  const isDeclared = type === 'variable_declarator' && field === 'name'
  return isDeclared || isCallee(node) || (parent !== undefined && field === 'object' && isCallee(parent))
    ? undefined
    : 'process-call'
}

function isCallee({ parent, field }: Node): boolean {
  return (
    (parent?.type === 'call_expression' && field === 'function') ||
    (parent?.type === 'new_expression' && field === 'constructor')
  )
}

/** `require('x')`, `require.resolve('x')`, `require.main`, `typeof require`. */
function isPlainRequire(node: Node, text: File['text']): boolean {
  const { parent, field } = node
  if (isCallee(node) || isTypeof(node, text)) return true
  const property = parent?.type === 'member_expression' && field === 'object' ? childOf(parent, 'property') : undefined
  return property !== undefined && /^(?:resolve|main)$/.test(text(property))
}

function isTypeof({ parent }: Node, text: File['text']): boolean {
  return parent?.type === 'unary_expression' && text(parent).startsWith('typeof')
}

/** `x instanceof Function`, `Function.prototype`, `=== Function`. */
function isTypeTest({ parent, field }: Node, text: File['text']): boolean {
  if (parent?.type === 'binary_expression') return true
  const property = parent?.type === 'member_expression' && field === 'object' ? childOf(parent, 'property') : undefined
  return property !== undefined && text(property) === 'prototype'
}

/** Members that only describe the process, or write to its streams. */
const QUIET_PROCESS =
  /^(?:env|argv|argv0|execArgv|execPath|cwd|platform|version|versions|arch|release|features|config|pid|ppid|title|stdout|stderr|stdin|nextTick|hrtime|uptime|memoryUsage|cpuUsage|resourceUsage|emitWarning|on|once|off|addListener|removeListener|removeAllListeners|listeners|listenerCount|exitCode|getuid|geteuid|getgid|getegid|umask|browser|type|connected|noDeprecation|allowedNodeEnvironmentFlags)$/

function processFact(node: Node, text: File['text']): FactName | undefined {
  const { parent, field } = node
  if (parent?.type === 'member_expression' && field === 'object') {
    const name = text(childOf(parent, 'property') ?? parent)
    return QUIET_PROCESS.test(name) ? undefined : LOADERS.test(name) ? 'dynamic-import' : 'process-state'
  }
  if (isTypeof(node, text) || /^(?:import_specifier|import_clause|namespace_import)$/.test(parent?.type ?? ''))
    return undefined
  // A variable, a parameter or a member of that name.
  if (/^(?:name|pattern|parameter|key)$/.test(field ?? '') || parent?.type === 'formal_parameters') return undefined
  return parent?.type === 'call_expression' && field === 'function' ? undefined : 'process-state'
}

function isPlainGlobal({ parent, field }: Node): boolean {
  return (parent?.type === 'member_expression' && field === 'object') || parent?.type === 'unary_expression'
}

function propertyFact(node: Node, { text }: File): FactName | undefined {
  const name = text(node)
  if (name.includes('\\')) return 'escaped-name'
  const { parent } = node
  if (parent?.type !== 'member_expression') return undefined
  if (LOADERS.test(name) || name === 'require') return 'dynamic-import'
  if (name !== 'constructor') return undefined
  const object = childOf(parent, 'object')
  const of = object && text(object)
  const isLiteral =
    object !== undefined &&
    /^(?:array|string|object|number|parenthesized_expression|arrow_function|function_expression|template_string)$/.test(
      object.type,
    )
  return parent.parent?.type === 'call_expression' && parent.field === 'function'
    ? 'runs-text'
    : isLiteral || of?.endsWith('.constructor')
      ? 'runs-text'
      : undefined
}

function isIndex({ parent, field }: Node): boolean {
  return parent?.type === 'subscript_expression' && field === 'index'
}

const DEFINES =
  /^(?:Object\.(?:definePropert(?:y|ies)|assign|setPrototypeOf)|Reflect\.(?:set|defineProperty|deleteProperty|setPrototypeOf))$/
const BUILTIN =
  /^(?:Object|Array|String|Number|Boolean|Symbol|BigInt|Function|RegExp|Date|Math|JSON|Promise|Map|Set|WeakMap|WeakSet|Error|TypeError|Reflect|Proxy|Intl|Buffer|URL|globalThis|global|expect|assert|it|describe|test)$/

/** Whether the target of an assignment or definition belongs to the language, to the runtime, or to another module. */
function changedFact(target: Node | undefined, { text, modules }: File): FactName | undefined {
  let root = target
  while (root?.type === 'member_expression' || root?.type === 'subscript_expression') root = childOf(root, 'object')
  if (target === undefined || root?.type !== 'identifier') return undefined
  const name = text(root)
  if (name === 'process')
    return /^process\s*\??\.\s*(?:env|exitCode)\b/.test(text(target)) ? 'process-state' : undefined
  if (BUILTIN.test(name))
    return root === target && !GLOBALS.test(name) && !/^(?:assert|expect)$/.test(name) ? undefined : 'global-state'
  return modules.has(name) && root !== target ? 'global-state' : undefined
}

/** The whole of `a.b.c()` around a name in it. */
function outermost(node: Node): Node {
  let at = node
  while (
    at.parent !== undefined &&
    /^(?:member_expression|subscript_expression|call_expression|new_expression)$/.test(at.parent.type) &&
    at.field !== 'arguments'
  )
    at = at.parent
  return at
}
