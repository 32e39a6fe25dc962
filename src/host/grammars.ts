import { fileURLToPath } from 'node:url'
import type { Language, Parser as ParserType } from '@vscode/tree-sitter-wasm'
import { copyTree, type Syntax } from './tree.js'

/** Loading takes tens of milliseconds a grammar, so a process loads each when a file asks for it, once. */
const loaded = new Map<string, Promise<Language>>()
let ready: Promise<typeof import('@vscode/tree-sitter-wasm')> | undefined

/** Steps of the parser, a hundred operations each, that a file may take for each KiB of it, and at least. */
const STEPS = { perKib: 400, least: 4_000 }

export type Parsed =
  | { readonly ok: true; readonly syntax: Syntax }
  | { readonly ok: false; readonly rule: 'grammar' | 'syntax' | 'size'; readonly detail: string }

/** Parses a text. Never rejects: a grammar that cannot be loaded, an error in the text and a limit are answers. */
export async function parse(grammar: string, text: string): Promise<Parsed> {
  try {
    return (await parserFor(grammar))(text)
  } catch (error) {
    return { ok: false, rule: 'grammar', detail: `the grammar '${grammar}' cannot be loaded: ${said(error)}` }
  }
}

/** A grammar's parser, which never throws. Rejects where the grammar cannot be loaded. */
export async function parserFor(grammar: string): Promise<(text: string) => Parsed> {
  const { Parser } = await engine()
  const language = await languageOf(grammar)
  return (text) => {
    let parser: ParserType | undefined
    try {
      parser = new Parser()
      parser.setLanguage(language)
      return parseWith(parser, text)
    } catch (error) {
      // What the parser's memory does not hold ends here as well.
      return { ok: false, rule: 'size', detail: said(error) }
    } finally {
      parser?.delete()
    }
  }
}

function parseWith(parser: ParserType, text: string): Parsed {
  let steps = Math.max(STEPS.least, (text.length / 1024) * STEPS.perKib)
  const tree = parser.parse(text, null, { progressCallback: () => --steps < 0 })
  if (tree === null) return { ok: false, rule: 'size', detail: 'parsing takes too many steps' }
  try {
    const { rootNode } = tree
    if (rootNode.hasError) return { ok: false, rule: 'syntax', detail: 'it does not parse' }
    return { ok: true, syntax: copyTree(tree, text) }
  } finally {
    tree.delete()
  }
}

function engine(): Promise<typeof import('@vscode/tree-sitter-wasm')> {
  ready ??= (async () => {
    const { default: engine } = await import('@vscode/tree-sitter-wasm')
    await engine.Parser.init()
    return engine
  })()
  return ready
}

function languageOf(grammar: string): Promise<Language> {
  const known = loaded.get(grammar)
  if (known !== undefined) return known
  const loading = engine().then(({ Language }) =>
    Language.load(fileURLToPath(import.meta.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`))),
  )
  loaded.set(grammar, loading)
  return loading
}

function said(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
