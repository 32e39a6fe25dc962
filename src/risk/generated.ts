import type { Changed, Texts } from './changed.js'
import type { Found } from './facts.js'
import { manifestOf } from './paths.js'

/** Names that tools give to their output. */
const NAMES: readonly (readonly [name: RegExp, what: string])[] = [
  [/\.min\.(?:js|mjs|cjs|css)$|\.(?:js|mjs|cjs|css|d\.ts)\.map$/, 'minified'],
  [/\.pb\.(?:go|cc|h|ts|js)$|_pb2(?:_grpc)?\.pyi?$|_pb\.(?:js|ts|d\.ts)$|\.g\.(?:dart|cs)$/, 'from a schema'],
  [/\.generated\.[a-z]+$|(?:^|\/)__generated__\//, 'by its name'],
  [/(?:^|\/)__snapshots__\/|\.snap$/, 'a snapshot of a test'],
]
const OUTPUT = /(?:^|\/)(?:dist|build\/(?:static|assets)|vendor|third_party|node_modules)\//
const HEADER = /(?:code |automatically |auto-?)generated|@generated|do not (?:edit|modify)/i

/**
 * Whether a tool wrote the file. A name is enough. A mark in the file counts only if it was there before the change,
 * because an agent writes it.
 */
export function generatedFacts({ path, kind }: Changed, texts: Texts | undefined): Found[] {
  if (kind === 'delete') return []
  if (manifestOf(path) !== undefined) return [{ name: 'generated', what: 'a lockfile' }]
  const generator = NAMES.find(([name]) => name.test(path))?.[1]
  if (generator !== undefined) return [{ name: 'generated', what: generator }]
  if (texts === undefined || texts.before === '') return []
  if (OUTPUT.test(path)) return [{ name: 'generated', what: 'it is in a directory for output' }]
  const head = (text: string) => text.slice(0, 600)
  const says = HEADER.test(head(texts.before)) && HEADER.test(head(texts.after))
  if (says) return [{ name: 'generated', what: 'its header said so before, too' }]
  return isMinified(texts.before) && isMinified(texts.after) ? [{ name: 'generated', what: 'minified' }] : []
}

const WIDE = 500

function isMinified(text: string): boolean {
  return text.length > 5 * WIDE && text.length / (text.split('\n').length + 1) > WIDE
}
