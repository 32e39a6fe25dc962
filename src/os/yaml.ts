import { type Document, isMap, isNode, isPair, isScalar, LineCounter, parseAllDocuments, visit } from 'yaml'
import { MAX_YAML_BYTES, problemAt, problemsIn, type YamlProblem } from './yaml-problem.js'
import { scanYaml } from './yaml-scan.js'

export type YamlPath = readonly (string | number)[]

/** A YAML file that passed every check. */
export interface YamlFile {
  readonly text: string
  readonly document: Document
  /** Plain objects, arrays, strings, numbers, booleans and null. */
  readonly value: unknown
  /** Returns a problem at a value, or at its nearest existing parent. */
  problem(path: YamlPath, message: string): YamlProblem
}

export type YamlRead =
  | { readonly ok: true; readonly file: YamlFile }
  | { readonly ok: false; readonly problem: YamlProblem }

const invalid = (problem: YamlProblem): YamlRead => ({ ok: false, problem })

/**
 * Reads one YAML document with limits: at most 256 KiB of valid UTF-8, 32 levels, string keys, no anchors or aliases,
 * no unknown tags, no directives, no duplicate or `__proto__` keys. Never throws. Returns the first problem.
 */
export function readYaml(bytes: Uint8Array): YamlRead {
  if (bytes.length > MAX_YAML_BYTES) {
    return invalid({ line: 1, column: 1, message: `larger than ${MAX_YAML_BYTES / 1024} KiB; make it smaller` })
  }
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    const line = validPrefix(bytes).split('\n').length
    return invalid({ line, column: 1, message: 'not valid UTF-8; save it as UTF-8' })
  }
  const problem = scanYaml(text)
  return problem ? invalid(problem) : parse(text)
}

function validPrefix(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8').decode(bytes)
  const end = text.indexOf('\ufffd')
  return end < 0 ? text : text.slice(0, end)
}

function parse(text: string): YamlRead {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    lineCounter: lines,
    prettyErrors: false,
    schema: 'core',
    resolveKnownTags: false,
    strict: true,
    stringKeys: true,
    uniqueKeys: true,
    merge: false,
  })
  const [document, second] = Array.isArray(documents) ? documents : []
  if (!document) return invalid({ line: 1, column: 1, message: 'the file is empty; a map is expected' })
  if (second) return invalid(problemAt(text, second.range[0], 'a second document is not allowed; keep one'))
  const fault = document.errors[0] ?? document.warnings[0]
  if (fault) return invalid(problemAt(text, fault.pos[0], `${fault.message.replace(/\.$/, '')}; correct it`))
  const key = forbiddenKey(document)
  if (key !== undefined) return invalid(problemAt(text, key, '`__proto__` is not allowed as a key; rename it'))
  return { ok: true, file: yamlFile(text, document) }
}

function forbiddenKey(document: Document): number | undefined {
  let found: number | undefined
  visit(document, {
    Pair(_, pair) {
      if (!isScalar(pair.key) || pair.key.value !== '__proto__') return undefined
      found = pair.key.range?.[0] ?? 0
      return visit.BREAK
    },
  })
  return found
}

function yamlFile(text: string, document: Document): YamlFile {
  const problem = problemsIn(text)
  return {
    text,
    document,
    value: document.toJS(),
    problem: (path, message) => problem(offsetOf(document, path), message),
  }
}

/** The offset of a value; of a map's entry, that of its key. */
function offsetOf(document: Document, path: YamlPath): number {
  for (let length = path.length; length > 0; length--) {
    const parent: unknown = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const name = path[length - 1]
    const pair = isMap(parent) ? parent.items.find((each) => isScalar(each.key) && each.key.value === name) : undefined
    const node = isPair(pair) ? pair.key : document.getIn(path.slice(0, length), true)
    if (isNode(node) && node.range) return node.range[0]
  }
  return document.contents?.range?.[0] ?? 0
}
