import type { Line, Texts } from './changed.js'
import type { Found } from './facts.js'
import { isProse } from './paths.js'

/**
 * Parts of a document that a tool may run when it builds or tests the document, or that a browser runs when it shows it: scripts in
 * HTML, templates, code in the front matter, directives, examples with a prompt. Plain blocks of code are not among them.
 */
export function documentFacts(path: string, { added, after }: Texts): Found[] {
  if (!isProse(path)) return []
  const rules = [
    ...ANYWHERE,
    ...(/\.(?:md|markdown|adoc)$/i.test(path) ? [] : RST),
    ...(/\.adoc$/i.test(path) ? ADOC : []),
  ]
  const found = added.flatMap((line) => (rules.some((rule) => matches(rule, line)) ? [toFound(line)] : []))
  // `---js`: some readers of front matter run it.
  const [first = ''] = after.split('\n', 1)
  return /^\ufeff?-{3}\s*\w/.test(first) ? [toFound({ number: 1, text: first }), ...found] : found
}

type Rule = RegExp | { readonly pattern: RegExp; readonly except: RegExp }

const ANYWHERE: readonly Rule[] = [
  /<\/?(?:script|iframe|object|embed|applet|base|link|meta)\b/i,
  /<[a-z][^>]{0,500}\s(?:on[a-z]{3,30}|v-[\w:.-]{1,40}|:[\w-]{1,40}|@[\w-]{1,40}|x-[\w:.-]{1,40}|srcdoc)\s*=/i,
  /(?:java|vb)script\s*:|\bdata:text\/(?:html|javascript)/i,
  // Vue, Liquid, Jinja, ERB, PHP, mdBook; Cog.
  /\{\{|\{%|<%|<\?(?!xml\b)|\[\[\[/,
  // Blocks that notebooks, Quarto, MyST, markdown-exec and others run.
  /^\s*(?:[-*>]\s+)?(?:`{3,}|~{3,})\s*(?:\{|[^`]*(?:\{|\b(?:exec|eval|run|cog|doctest)\b))/i,
  /^\s*:{3,}\s*\{/,
  /^\s*(?:[-*>]\s+)?>>> /,
  // Comments for tools that fill in what a command prints.
  /<!--[^>]{0,200}\b(?:exec|eval|shellcmd|shell|cmd|command|run|include|embed\w*|import|code)\b/i,
]

/** A directive that only describes how text looks, or where it belongs. Others load code, files, or run commands. */
const QUIET_DIRECTIVE =
  /^(?:admonition|attention|caution|danger|error|hint|important|note|tip|warning|seealso|todo|image|figure|topic|sidebar|line-block|parsed-literal|code|code-block|sourcecode|highlight|math|rubric|epigraph|highlights|pull-quote|compound|container|table|list-table|contents|section-numbering|sectnum|header|footer|target-notes|replace|unicode|date|class|role|default-role|toctree|versionadded|versionchanged|deprecated|versionremoved|centered|hlist|glossary|index|tabularcolumns|productionlist|currentmodule|module|py:\w+|js:\w+|c:\w+|cpp:\w+|rst:\w+|function|class|method|attribute|data|exception|option|program|envvar|confval|describe|object|tab-set|tab-item|tabs|tab|dropdown|grid|grid-item|grid-item-card|card|button-link|button-ref)$/

const RST: readonly Rule[] = [
  { pattern: /^\s*\.\. (?:\|[^|]{1,80}\| )?([\w:.+-]{1,60})::/, except: QUIET_DIRECTIVE },
  /^\s*:(?:file|url):\s/,
]

const ADOC: readonly Rule[] = [/^\s*include::|^\+{4}\s*$|\+{3}|pass:\S*\[|^\s*(?:ifeval|ifdef|ifndef)::/]

const MAX_LINE = 2_000

function matches(rule: Rule, { text }: Line): boolean {
  const read = text.slice(0, MAX_LINE)
  if (rule instanceof RegExp) return rule.test(read)
  const [, name] = rule.pattern.exec(read) ?? []
  return name !== undefined && !rule.except.test(name)
}

function toFound({ number, text }: Line): Found {
  return { name: 'document-runs', what: text, line: number }
}
