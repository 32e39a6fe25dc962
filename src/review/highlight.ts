import { createContext, Script } from 'node:vm'
import type { createLowlight } from 'lowlight'
import { codeOf } from '../../overlay/index.js'

/** A piece of a line. Its kind comes from the grammar: `keyword`, `string`, `comment`… */
export interface Token {
  readonly text: string
  readonly kind?: string
}

/**
 * Returns a text as coloured tokens, line by line; undefined if it has no known language or is too long.
 * @param milliseconds the time limit, 300 by default: an agent could craft a text that is very slow to match.
 */
export type Highlighter = (
  path: string,
  text: string,
  milliseconds?: number,
) => readonly (readonly Token[])[] | undefined

/** Limits in UTF-16 units. A larger text would keep a person waiting, and nobody reads the colours of a minified line. */
const TEXT_LIMIT = 128 * 1024
const LINE_LIMIT = 2_000

/** The languages of files whose name has no extension. */
const BY_NAME = new Map([
  ['dockerfile', 'dockerfile'],
  ['makefile', 'makefile'],
  ['.bashrc', 'bash'],
  ['.gitconfig', 'ini'],
  ['.npmrc', 'ini'],
  ['.editorconfig', 'ini'],
])

/** Endings that are not among the aliases of their grammar. */
const BY_ENDING = new Map([
  ['mjs', 'javascript'],
  ['cjs', 'javascript'],
  ['mts', 'typescript'],
  ['cts', 'typescript'],
])

/**
 * Loads the grammars, which takes some tenths of a second the first time, and resolves to a function that splits a file's text into lines
 * of tokens. It returns undefined if no grammar fits the name, or if the text is too large or takes too long. The joined tokens are the text
 * without its line ends.
 */
export function loadHighlighter(): Promise<Highlighter> {
  loading ??= load()
  return loading
}

let loading: Promise<Highlighter> | undefined

/** `vm` only limits the time here. It is not a sandbox. */
const TIME_LIMIT_MS = 300
const WITHIN_TIME = new Script('work()')

async function load(): Promise<Highlighter> {
  const { common, createLowlight } = await import('lowlight')
  let lowlight = createLowlight(common)
  const sandbox = createContext({})
  return (path, text, milliseconds = TIME_LIMIT_MS) => {
    const language = languageOf(path)
    if (language === undefined || !lowlight.registered(language) || !isReadable(text)) return undefined
    const lines: Token[][] = [[]]
    const work = () => put(lines, lowlight.highlight(language, text).children, undefined)
    if (isDone(sandbox, work, milliseconds)) return lines
    // The time limit may have stopped it while it compiled a grammar. A grammar that is half compiled fails from then on.
    lowlight = createLowlight(common)
    return undefined
  }
}

/** Whether it ended in time. */
function isDone(sandbox: object, work: () => void, timeout: number): boolean {
  try {
    Object.assign(sandbox, { work })
    WITHIN_TIME.runInContext(sandbox, { timeout })
    return true
  } catch (error) {
    if (codeOf(error) === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  }
}

function isReadable(text: string): boolean {
  return text.length <= TEXT_LIMIT && text.split('\n').every((line) => line.length <= LINE_LIMIT)
}

function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const ending = name.slice(name.lastIndexOf('.') + 1)
  const language = BY_NAME.get(name) ?? BY_ENDING.get(ending) ?? (name.includes('.') ? ending : undefined)
  // The library looks names up in a plain object.
  return language === undefined || language in {} ? undefined : language
}

type Root = ReturnType<ReturnType<typeof createLowlight>['highlight']>

/** The innermost kind wins, as it does on a page. */
function put(lines: Token[][], nodes: Root['children'], kind: string | undefined): void {
  for (const node of nodes) {
    if (node.type === 'element') put(lines, node.children, kindOf(node.properties.className) ?? kind)
    if (node.type !== 'text') continue
    const [first = '', ...rest] = node.value.split('\n')
    add(lines, first, kind)
    for (const line of rest) {
      lines.push([])
      add(lines, line, kind)
    }
  }
}

function add(lines: Token[][], text: string, kind: string | undefined): void {
  if (text !== '') lines.at(-1)?.push(kind === undefined ? { text } : { text, kind })
}

/** The first class, such as `hljs-title` of `hljs-title function_`, is the kind. */
function kindOf(classes: unknown): string | undefined {
  const [first]: unknown[] = Array.isArray(classes) ? classes : []
  return typeof first === 'string' ? first.replace(/^hljs-/, '') : undefined
}
