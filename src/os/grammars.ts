import { createRequire } from 'node:module'
import type { Language, Parser as ParserType, Tree } from '@vscode/tree-sitter-wasm'
import { errorText } from '../core/error-text.js'
import { startTimeLimit } from '../core/processor-time.js'
import { editOf } from './text-edit.js'
import { copyTree, type Node, type Syntax } from './tree.js'
import { hasOnlyVarianceErrors } from './variance.js'
import { loadOptimizedLate } from './wasm-optimizer.js'

const require = createRequire(import.meta.url)

/** Loading a grammar takes tens of milliseconds, so a process loads each one once, on first use. */
const loaded = new Map<string, Promise<Language>>()
let ready: Promise<typeof import('@vscode/tree-sitter-wasm')> | undefined

/** The limit of parser steps, a hundred operations each, for each KiB of a file, and the least limit. */
const STEPS = { perKib: 400, least: 4_000 }

/**
 * Milliseconds of processor time for one text. A step can take a thousand times as long as usual: with errors in each line, the parser
 * follows many versions of a long text.
 */
const PARSE_LIMIT_MS = 3_000
/** The limit of open brackets. The parser recurses, and overwrites its own memory at some thousands of them. */
const MAX_OPEN = 1_000

/** The limit of `<<` in a shell script. A step of the parser reads all open here-documents again. */
const MAX_HEREDOCS = 1_000

/** Set once the parser's memory is damaged. All parsers of the process share it, so no later result can be trusted. */
let damage: Failed | undefined

/** Why there is no tree. */
export interface Failed {
  readonly ok: false
  readonly rule: 'grammar' | 'syntax' | 'size'
  readonly detail: string
}

export type Parsed = { readonly ok: true; readonly syntax: Syntax } | Failed
export type Checked = { readonly ok: true } | (Failed & { readonly side: 'before' | 'after' })

/**
 * Parses a text. Never rejects: a grammar that cannot be loaded, a syntax error and a limit are results.
 * @param skips as in {@link copyTree}
 */
export async function parse(grammar: string, text: string, skips?: (node: Node) => boolean): Promise<Parsed> {
  try {
    return (await parserFor(grammar, skips))(text)
  } catch (error) {
    return notLoaded(grammar, error)
  }
}

/**
 * Returns whether both versions of a text parse, at a third of the cost of their trees: the second is parsed incrementally.
 * Never rejects.
 */
export async function checkBoth(grammar: string, before: string, after: string): Promise<Checked> {
  try {
    const check = (tree: Tree, _: string, parser: ParserType): Checked => {
      tree.edit(editOf(before, after))
      if (parseWith(parser, after, () => OK, { grammar, old: tree, gap: 'an error' }).ok) return OK
      // An incremental parse can place errors elsewhere: only a whole parse recognizes a gap.
      const now = parseWith(parser, after, () => OK, { grammar, gap: gapIn(grammar, 'accepted') })
      return now.ok ? OK : { ...now, side: 'after' }
    }
    const checkOld = await workerFor(grammar, check, 'accepted')
    const found = checkOld(before)
    return found.ok || 'side' in found ? found : { ...found, side: 'before' }
  } catch (error) {
    return { ...notLoaded(grammar, error), side: 'before' }
  }
}

const OK = { ok: true } as const

/** A valid text that the grammar cannot read whole: nothing can be proven from its tree. */
const GAP: Failed = { ok: false, rule: 'grammar', detail: 'the grammar cannot read `in` and `out` on type parameters' }

/** Returns the parser of a grammar, which never throws. Rejects if the grammar cannot be loaded. */
export function parserFor(grammar: string, skips?: (node: Node) => boolean): Promise<(text: string) => Parsed> {
  return workerFor(grammar, (tree, text) => ({ ok: true, syntax: copyTree(tree, text, skips) }) as const)
}

type Take<T> = (tree: Tree, text: string, parser: ParserType) => T

/** @param gap of a TypeScript text; in other grammars a {@link GAP} cannot occur */
async function workerFor<T>(
  grammar: string,
  take: Take<T>,
  gap: Parsing['gap'] = 'reported',
): Promise<(text: string) => T | Failed> {
  const { Parser } = await engine()
  const language = await languageOf(grammar)
  return (text) => {
    if (damage !== undefined) return damage
    try {
      const parser = new Parser()
      try {
        parser.setLanguage(language)
        return parseWith(parser, text, take, { grammar, gap: gapIn(grammar, gap) })
      } finally {
        parser.delete()
      }
    } catch (error) {
      // Running out of the parser's memory also ends here.
      const failed: Failed = { ok: false, rule: 'size', detail: errorText(error) }
      if (error instanceof WebAssembly.RuntimeError) damage = failed
      return failed
    }
  }
}

interface Parsing {
  readonly grammar: string
  /** The tree of an earlier text, edited into this one. */
  readonly old?: Tree
  /** How to treat a {@link GAP}. Callers that only ask whether a text parses accept it. */
  readonly gap: 'accepted' | 'reported' | 'an error'
}

function gapIn(grammar: string, gap: Parsing['gap']): Parsing['gap'] {
  return grammar === 'typescript' || grammar === 'tsx' ? gap : 'an error'
}

function parseWith<T>(parser: ParserType, text: string, take: Take<T>, { grammar, old, gap }: Parsing): T | Failed {
  if (grammar === 'bash' && hasTooManyHeredocs(text))
    return { ok: false, rule: 'size', detail: `more than ${MAX_HEREDOCS} here-documents` }
  if (isTooDeep(text)) return { ok: false, rule: 'size', detail: `more than ${MAX_OPEN} open brackets` }
  let steps = Math.max(STEPS.least, (text.length / 1024) * STEPS.perKib)
  const isLate = startTimeLimit(PARSE_LIMIT_MS)
  const tree = parser.parse(text, old ?? null, { progressCallback: () => --steps < 0 || isLate() })
  if (tree === null) return { ok: false, rule: 'size', detail: 'parsing takes too many steps' }
  try {
    if (!tree.rootNode.hasError) return take(tree, text, parser)
    if (gap === 'an error' || !hasOnlyVarianceErrors(tree.rootNode, text))
      return { ok: false, rule: 'syntax', detail: 'it does not parse' }
    return gap === 'accepted' ? take(tree, text, parser) : GAP
  } finally {
    tree.delete()
  }
}

/** Also counts brackets in strings and comments, because only the parser can tell them apart. */
function isTooDeep(text: string): boolean {
  let open = 0
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '(' || character === '[' || character === '{') open++
    else if (open > 0 && (character === ')' || character === ']' || character === '}')) open--
    if (open > MAX_OPEN) return true
  }
  return false
}

function hasTooManyHeredocs(text: string): boolean {
  let count = 0
  for (let at = text.indexOf('<<'); at !== -1 && count <= MAX_HEREDOCS; at = text.indexOf('<<', at + 2)) count++
  return count > MAX_HEREDOCS
}

function engine(): Promise<typeof import('@vscode/tree-sitter-wasm')> {
  ready ??= loadOptimizedLate(async () => {
    const { default: engine } = await import('@vscode/tree-sitter-wasm')
    await engine.Parser.init()
    return engine
  })
  return ready
}

function languageOf(grammar: string): Promise<Language> {
  const known = loaded.get(grammar)
  if (known !== undefined) return known
  const loading = engine().then(({ Language }) =>
    loadOptimizedLate(() =>
      Language.load(require.resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`)),
    ),
  )
  loaded.set(grammar, loading)
  return loading
}

function notLoaded(grammar: string, error: unknown): Failed {
  return { ok: false, rule: 'grammar', detail: `the grammar '${grammar}' cannot be loaded: ${errorText(error)}` }
}
