import { type Document, isAlias, isMap, isPair, isScalar, isSeq, parseAllDocuments } from 'yaml'
import { MAX_YAML_BYTES } from '../os/yaml-problem.js'
import { scanYaml } from '../os/yaml-scan.js'
import { Inconclusive } from './inconclusive.js'

/**
 * Whether two JSON texts differ only in white space: the order, repeated names and the notation of numbers stay.
 * @throws Inconclusive for text that is not JSON, such as JSON with comments
 */
export function jsonSame(before: string, after: string): boolean {
  const [old, now] = [before, after].map(compactJson)
  return old === now
}

function compactJson(text: string): string {
  try {
    JSON.parse(text)
  } catch {
    throw new Inconclusive('it is not JSON')
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, (_, string?: string) => string ?? '')
}

/**
 * Whether two YAML texts differ only in layout and comments: quotes and order stay.
 * @throws Inconclusive for text that the guarded reader refuses, for templates, and where comments may be obeyed
 */
export function yamlSame(before: string, after: string): boolean {
  return JSON.stringify(readYaml(before)) === JSON.stringify(readYaml(after))
}

/** Templates are filled in before the file is YAML, in comments as well. */
const TEMPLATE =
  /\{\{|\{%|<%|^[ \t]*#(?![ \t\r\n#]|$)|^[^#\n]*#.*(?:@|yaml-language-server|yamllint|noqa|prettier|ignore|\w=)/m

/** Line breaks of YAML 1.1 that this parser does not recognize. Where it sees one long comment, other parsers see a new line of data. */
const OTHER_BREAK = /\r(?!\n)|[\u0085\u2028\u2029]/

function readYaml(text: string): unknown {
  if (text.length > MAX_YAML_BYTES) throw new Inconclusive('a larger YAML file than is read')
  const problem = scanYaml(text)
  if (problem) throw new Inconclusive(`YAML, line ${problem.line}: ${problem.message}`)
  if (OTHER_BREAK.test(text)) throw new Inconclusive('YAML with line breaks that only some parsers recognize')
  if (TEMPLATE.test(text)) throw new Inconclusive('a template, or comments that may be obeyed')
  const documents = parseAllDocuments(text, { prettyErrors: false, resolveKnownTags: false, uniqueKeys: true })
  return Array.isArray(documents) ? documents.map(documentShape) : []
}

function documentShape(document: Document): unknown {
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault) throw new Inconclusive(`YAML: ${fault.message}`)
  return [document.directives?.docStart ?? null, shapeOf(document.contents)]
}

function shapeOf(node: unknown): unknown {
  if (isMap(node)) return ['map', node.tag ?? null, node.items.map(shapeOf)]
  if (isSeq(node)) return ['list', node.tag ?? null, node.items.map(shapeOf)]
  if (isPair(node)) return [shapeOf(node.key), shapeOf(node.value)]
  // Some readers take a plain scalar for a number or boolean, so its source is compared. Other styles are always text.
  if (isScalar(node)) return [node.type ?? null, node.tag ?? null, node.source ?? null]
  if (isAlias(node)) throw new Inconclusive('YAML: an alias')
  return node === null || node === undefined ? null : ['other']
}
