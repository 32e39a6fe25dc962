import { posix } from 'node:path'
import { childOf, type Node } from '../os/tree.js'
import { argumentsOf, literalOf, NETWORK, PROCESSES } from './calls-in.js'
import { extra } from './changed.js'
import type { Found } from './facts.js'
import type { File, Place } from './syntax.js'

/** The module that an import, an export or a call loads, as it is written. */
export function moduleIn(node: Node, { text, lineOf }: File): Place | undefined {
  const source = LOADS.has(node.type) ? childOf(node, 'source') : loadedModule(node, text)
  if (source === undefined) return undefined
  return { text: literalOf(source, text) ?? text(source), line: lineOf(source) }
}

const LOADS = new Set(['import_statement', 'export_statement', 'import_require_clause'])

function loadedModule(node: Node, text: File['text']): Node | undefined {
  const callee = node.type === 'call_expression' ? childOf(node, 'function') : undefined
  if (callee === undefined || !/^(?:require|import|require\.resolve)$/.test(text(callee))) return undefined
  return argumentsOf(node).find((first) => literalOf(first, text) !== undefined)
}

/** Modules of Node that reach nothing outside of the program, or files alone. Any other is one that a reviewer should know of. */
const QUIET = new Set(
  (
    'assert assert/strict async_hooks buffer console constants crypto diagnostics_channel events fs fs/promises os path path/posix ' +
    'path/win32 perf_hooks punycode querystring readline readline/promises stream stream/consumers stream/promises stream/web ' +
    'string_decoder sys test test/reporters timers timers/promises tty url util util/types zlib'
  ).split(' '),
)
const POWERFUL = new Set([
  ...PROCESSES,
  ...NETWORK,
  ...'cluster inspector inspector/promises module process repl sea sqlite trace_events v8 vm wasi worker_threads'.split(
    ' ',
  ),
])

/**
 * Modules that the file did not load before, and that reach out of the program or are outside of the code under review.
 * @param isShown whether the calls by which it reaches out are facts themselves
 */
export function moduleFacts(path: string, old: readonly Place[], now: readonly Place[], isShown: boolean): Found[] {
  return extra(now, old, ({ text }) => text).flatMap(({ text, line }): Found[] =>
    (!isShown && isPowerful(text)) || isForeign(path, text) ? [{ name: 'module-new', what: text, line }] : [],
  )
}

function isPowerful(name: string): boolean {
  const plain = name.replace(/^node:/, '')
  return POWERFUL.has(plain) || (plain !== name && !QUIET.has(plain))
}

/** Whether it is a file out of the workspace, installed, hidden or binary, or no file at all, or is written with escapes. */
function isForeign(path: string, name: string): boolean {
  if (name.includes('\\')) return true
  if (/^(?:\/|[a-z]:\\|(?:data|https?|file|blob|ftp):)/i.test(name) || /\.(?:node|wasm)$/i.test(name)) return true
  if (!name.startsWith('.')) return false
  const place = posix.join(posix.dirname(path), name)
  return place.startsWith('..') || /(?:^|\/)(?:node_modules|\.[^/]+)\//.test(place)
}
