import { childOf, type Node, walk } from '../os/tree.js'
import type { FactName } from './facts.js'
import type { File, Modules, Place } from './syntax.js'

/** A call that reaches out of the program, or runs what it should not. */
export interface CallIn extends Place {
  readonly name: FactName
  /** The same for two calls of one function. */
  readonly key: string
}

export const PROCESSES = new Set([
  'child_process',
  'execa',
  'cross-spawn',
  'shelljs',
  'zx',
  'node-pty',
  'tinyexec',
  'nano-spawn',
])
export const NETWORK = new Set(
  'http https http2 net tls dgram dns dns/promises axios got node-fetch undici superagent request ky ws needle phin nodemailer'.split(
    ' ',
  ),
)
/** Functions of network modules that open no connection. */
const QUIET =
  /^(?:STATUS_CODES|METHODS|isIP(?:v[46])?|Agent|globalAgent|validateHeader\w*|isAxiosError|Headers|FormData)$/
const GLOBAL_NETWORK = new Set(['fetch', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'sendBeacon'])

export function importsOf(root: Node, text: File['text']): Modules {
  const modules = new Map<string, string>()
  for (const node of walk(root)) {
    const isImport = node.type === 'import_statement'
    const source = isImport ? childOf(node, 'source') : requiredBy(node, text)
    if (source === undefined) continue
    const names = isImport ? node.children.find(({ type }) => type === 'import_clause') : childOf(node, 'name')
    const module = (literalOf(source, text) ?? '').replace(/^node:/, '')
    for (const node of names === undefined ? [] : walk(names)) if (isLocalName(node)) modules.set(text(node), module)
  }
  return modules
}

function isLocalName({ type, field, parent }: Node): boolean {
  if (type === 'shorthand_property_identifier_pattern') return true
  const isForeign = field === 'name' && parent?.type === 'import_specifier' && childOf(parent, 'alias') !== undefined
  return type === 'identifier' && !isForeign
}

/** The string of `const x = require('module')`. */
function requiredBy(node: Node, text: File['text']): Node | undefined {
  if (node.type !== 'variable_declarator') return undefined
  let value = childOf(node, 'value')
  if (value?.type === 'await_expression') value = value.children.at(-1)
  if (value?.type !== 'call_expression') return undefined
  const called = childOf(value, 'function')
  const [first] = argumentsOf(value)
  return called && /^(?:require|import)$/.test(text(called)) && first && literalOf(first, text) !== undefined
    ? first
    : undefined
}

/** The text of a string, or of a template without expressions; undefined for any other, and where escapes hide it. */
export function literalOf(node: Node, text: File['text']): string | undefined {
  const isPlain =
    node.type === 'string' ||
    (node.type === 'template_string' && !node.children.some(({ type }) => type === 'template_substitution'))
  const value = isPlain ? text(node).slice(1, -1) : undefined
  return value?.includes('\\') ? undefined : value
}

export function argumentsOf(call: Node): readonly Node[] {
  return childOf(call, 'arguments')?.children.filter(({ named, type }) => named && type !== 'comment') ?? []
}

/** The called function of a call or a `new`. */
export function calleeOf(node: Node): Node | undefined {
  return childOf(node, node.type === 'new_expression' ? 'constructor' : 'function')
}

/** `c` of `a.b.c`. */
export function lastNameOf(callee: Node, text: File['text']): string {
  return text(childOf(callee, 'property') ?? callee)
}

/** The leftmost name of `a.b.c()`, and the module of `require('m').f`. */
function moduleOf(callee: Node, { text, modules }: File): string | undefined {
  let at = callee
  for (;;) {
    const next = childOf(at, 'object') ?? (at.type === 'call_expression' ? childOf(at, 'function') : undefined)
    if (next === undefined) return modules.get(text(at))
    const [first] = at.type === 'call_expression' ? argumentsOf(at) : []
    const name = first && /^(?:require|import)$/.test(text(next)) ? literalOf(first, text) : undefined
    if (name !== undefined) return name.replace(/^node:/, '')
    at = next
  }
}

export function callIn(node: Node, file: File): CallIn | undefined {
  const { text } = file
  const found = nameOfCall(node, file)
  if (found === undefined) return undefined
  const callee = calleeOf(node)
  const key = `${found} ${callee ? lastNameOf(callee, text) : node.type}`
  return { name: found, key: WHOLE.has(found) ? text(node) : key, text: text(node), line: file.lineOf(node) }
}

/** Facts about the arguments of a call: another argument makes another fact. */
const WHOLE: ReadonlySet<FactName> = new Set(['data-sent', 'query-from-parts', 'raw-html', 'dynamic-import'])

function nameOfCall(node: Node, file: File): FactName | undefined {
  if (node.type === 'assignment_expression') return htmlSink(node, file)
  if (node.type === 'jsx_attribute') {
    return file.text(node).startsWith('dangerouslySetInnerHTML') ? 'raw-html' : undefined
  }
  if (node.type === 'member_expression') return isWholeEnvironment(node, file) ? 'environment-read' : undefined
  const callee = calleeOf(node)
  if (callee === undefined) return undefined
  const name = lastNameOf(callee, file.text)
  return runsText(node, callee, name, file) ?? reachesOut(node, callee, name, file) ?? handlesData(node, name, file)
}

function runsText(node: Node, callee: Node, name: string, file: File): FactName | undefined {
  const [first] = argumentsOf(node)
  const whole = file.text(callee)
  if (/^(?:(?:globalThis|window|global|self)\.)?(?:eval|Function)$/.test(whole)) return 'runs-text'
  const module = moduleOf(callee, file)
  if (module === 'vm' && /^(?:runIn\w+|compileFunction|Script)$/.test(name)) return 'runs-text'
  if (/^process\.(?:binding|dlopen)$/.test(whole)) return 'runs-text'
  if (/^(?:setTimeout|setInterval)$/.test(whole) && first?.type === 'string') return 'runs-text'
  const isLoad = /^(?:require|import)$/.test(whole)
  return isLoad && first && !isKnown(first, file) ? 'dynamic-import' : undefined
}

/** Whether the location of a loaded module is certain. */
function isKnown(name: Node, { text }: File): boolean {
  return literalOf(name, text) !== undefined || (name.type === 'template_string' && /^`\.{1,2}\//.test(text(name)))
}

function reachesOut(node: Node, callee: Node, name: string, file: File): FactName | undefined {
  const module = moduleOf(callee, file)
  const whole = file.text(callee)
  if (module !== undefined && PROCESSES.has(module)) return 'process-call'
  if (/^(?:Bun\.spawn(?:Sync)?|Deno\.(?:run|Command))$/.test(whole)) return 'process-call'
  const isNetwork = module === undefined ? GLOBAL_NETWORK.has(name) : NETWORK.has(module) && !QUIET.test(name)
  if (!isNetwork || (module === undefined && !isGlobal(whole))) return undefined
  return sendsData(node, file) ? 'data-sent' : 'network-call'
}

const isGlobal = (callee: string) => /^(?:(?:globalThis|window|self|navigator|global)\.)?\w+$/.test(callee)

function sendsData(call: Node, file: File): boolean {
  for (const node of walk(childOf(call, 'arguments') ?? call)) {
    if (node.type === 'member_expression' && isWholeEnvironment(node, file)) return true
    const callee = node.type === 'call_expression' ? calleeOf(node) : undefined
    if (callee && /^(?:readFile(?:Sync)?|homedir|userInfo|hostname)$/.test(lastNameOf(callee, file.text))) return true
  }
  return false
}

/** `process.env`, and no variable of it. */
function isWholeEnvironment(node: Node, { text }: File): boolean {
  if (text(node) !== 'process.env') return false
  const { parent } = node
  if (parent === undefined) return true
  const isPart = /^(?:member_expression|subscript_expression)$/.test(parent.type) && node.field === 'object'
  // `env: process.env` passes them on to a child; `{ A } = process.env` reads some.
  const isPassed = parent.type === 'pair' || parent.type === 'spread_element'
  const isSome = parent.type === 'variable_declarator' && childOf(parent, 'name')?.type === 'object_pattern'
  return !isPart && !isSome && !isPassed
}

function htmlSink(node: Node, { text }: File): FactName | undefined {
  const [left, right] = [childOf(node, 'left'), childOf(node, 'right')]
  if (left === undefined || right === undefined || !/\.(?:inner|outer)HTML$/.test(text(left))) return undefined
  return right.type === 'string' ? undefined : 'raw-html'
}

const SQL = /^[`'"]\s*(?:select|insert|update|delete|with)\b/i

function handlesData(node: Node, name: string, { text }: File): FactName | undefined {
  const [first] = argumentsOf(node)
  if (/^(?:insertAdjacentHTML|writeln|setHTMLUnsafe)$/.test(name)) return 'raw-html'
  if (/^(?:rimraf|rimrafSync|emptyDir|emptyDirSync|removeSync)$/.test(name)) return 'removes-files'
  if (/^(?:rm|rmSync|rmdir|rmdirSync)$/.test(name) && /recursive["']?\s*:\s*true/.test(text(node).slice(0, 500)))
    return 'removes-files'
  if (first === undefined || !/^(?:query|execute|raw|exec|run|all|prepare|unsafe)$/.test(name)) return undefined
  const isBuilt =
    first.children.some(({ type }) => type === 'template_substitution') || first.type === 'binary_expression'
  return isBuilt && SQL.test(text(first)) ? 'query-from-parts' : undefined
}
