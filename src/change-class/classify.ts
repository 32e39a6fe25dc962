import { errorText } from '../core/error-text.js'
import type { Measured } from '../core/mutation.js'
import { checkBoth, parse } from '../os/grammars.js'
import type { Syntax } from '../os/tree.js'
import { jsonSame, yamlSame } from './data.js'
import { definitelyDiffers } from './definitely-differs.js'
import { Inconclusive } from './inconclusive.js'
import { foreignInterpreter } from './interpreter.js'
import { type Language, languageOf } from './languages.js'
import { isMoved } from './moves.js'
import { type Comparison, findRenames } from './renames.js'
import { isSame, streamOf } from './stream.js'

/** The size limit of each side, in bytes. Larger files are unverified. */
export const MAX_BYTES = 512 * 1024

export interface Classified {
  /** Its name determines the language. */
  readonly path: string
  readonly before: Uint8Array
  readonly after: Uint8Array
}

/**
 * Classifies the change of one file by comparing the syntax of both sides. The first rule that holds makes it a
 * refactoring (layout and comments, local names, declarations moved within their scope). A proven difference is an
 * evolution, and everything uncertain is unverified. The work is bounded by the size of the file. Never rejects.
 * @param looked called with the number of compared nodes: of two files of one size, one can have ten times as many
 */
export async function classify(
  { path, before, after }: Classified,
  looked: (nodes: number) => void = () => undefined,
): Promise<Measured> {
  try {
    if (Buffer.compare(before, after) === 0) return refactor('same', 'both sides hold the same bytes')
    if (Math.max(before.length, after.length) > MAX_BYTES) {
      return unverified('size', `larger than ${MAX_BYTES / 1024} KiB`)
    }
    const [old, now] = [decodeText(before), decodeText(after)]
    if (old === undefined || now === undefined) return unverified('encoding', 'not text in UTF-8')
    const data = dataRule(path)
    if (data !== undefined) return byData(data, old, now)
    const language = languageOf(path)
    if (language === undefined) return unverified('language', 'no grammar for such a file')
    return await bySyntax(language, old, now, looked)
  } catch (error) {
    return unverified(error instanceof Inconclusive ? 'doubt' : 'failure', errorText(error))
  }
}

type DataRule = (before: string, after: string) => boolean

function dataRule(path: string): DataRule | undefined {
  if (/\.json$/i.test(path)) return jsonSame
  return /\.ya?ml$/i.test(path) ? yamlSame : undefined
}

function byData(rule: DataRule, before: string, after: string): Measured {
  return rule(before, after)
    ? refactor('layout', 'the same data, otherwise laid out')
    : evolution('content', 'the data differ')
}

async function bySyntax(
  language: Language,
  before: string,
  after: string,
  looked: (nodes: number) => void,
): Promise<Measured> {
  if (definitelyDiffers(before, after)) {
    // A file that does not parse has no class to look up.
    const found = await checkBoth(language.grammar, before, after)
    return found.ok
      ? evolution('content', 'the code differs')
      : unverified(found.rule, `${found.side}: ${found.detail}`)
  }
  const [old, now] = [await parse(language.grammar, before), await parse(language.grammar, after)]
  if (!old.ok) return unverified(old.rule, `before: ${old.detail}`)
  if (!now.ok) return unverified(now.rule, `after: ${now.detail}`)
  looked(old.syntax.nodes + now.syntax.nodes)
  return compare({ language, before: old.syntax, after: now.syntax })
}

interface Sides {
  readonly language: Language
  readonly before: Syntax
  readonly after: Syntax
}

function compare({ language, before, after }: Sides): Measured {
  const sides: Comparison = {
    language,
    before: { syntax: before, tokens: streamOf(before, language) },
    after: { syntax: after, tokens: streamOf(after, language) },
  }
  const [old, now] = [sides.before.tokens, sides.after.tokens]
  const same = (side: typeof old, other: typeof now) =>
    side.length === other.length && side.every((token, at) => isSame(token, other[at] ?? token))
  const found = same(old, now) ? 'layout' : (findRenames(sides) ?? (isMoved(sides) ? 'moved' : undefined))
  if (found === undefined) return evolution('content', 'the code differs')
  for (const { text } of [before, after]) {
    const sight = language.seesItself.exec(text)
    const program = foreignInterpreter(text, language)
    if (program !== undefined) return unverified('language', `another program runs it: ${excerpt(program)}`)
    if (sight) return unverified('sees-itself', `the code can see how it is written: ${excerpt(sight[0])}`)
  }
  if (found === 'layout') return refactor('layout', 'the same code, but for layout and comments')
  if (found === 'moved') return refactor('moved', 'the same declarations in another order')
  return refactor(
    'renamed',
    `local names only: ${found.map(([from, to]) => `${from} → ${to}`).join(', ')}`.slice(0, 200),
  )
}

function decodeText(content: Uint8Array): string | undefined {
  if (content.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

const refactor = (rule: string, detail: string): Measured => ({ class: 'AST_REFACTOR', rule, detail })
const evolution = (rule: string, detail: string): Measured => ({ class: 'INTENT_EVOLUTION', rule, detail })
const unverified = (rule: string, detail: string): Measured => ({
  class: 'UNVERIFIED',
  rule,
  detail: detail.slice(0, 200),
})

function excerpt(text: string): string {
  return JSON.stringify(text.trim()).slice(0, 40)
}
