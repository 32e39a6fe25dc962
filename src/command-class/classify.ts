import type { Classified } from '../core/command-class.js'
import { type Parsed, parserFor } from '../os/grammars.js'
import { Findings } from './findings.js'
import { type GitEffect, gitEffectsOf, type Places } from './git-effects.js'
import { JUDGES, judgeWords } from './judge.js'
import type { Stdin } from './scene.js'
import { judgeScript } from './script.js'
import { literal } from './words.js'

/** Longer lines (characters) are not parsed. */
const MAX_LINE = 64 * 1024
/** Largest nesting of shells in shells. */
const MAX_DEPTH = 6

const CALLER: Stdin = { from: 'caller' }

/**
 * Classifies a command: a string as a line for `/bin/sh -c`, an array as a program and its arguments. A command that
 * cannot be classified is `other`, never `read-only`.
 * @param load loads the grammar, for a command with a script
 * @throws Error if the grammar is needed and cannot be loaded.
 */
export async function classifyCommand(
  command: string | readonly string[],
  load: typeof parserFor = parserFor,
): Promise<Classified> {
  return (await findIn(command, load)).toClassified()
}

/**
 * Returns the effects of a command line on repositories.
 * @throws Error if the grammar cannot be loaded.
 */
export async function classifyGitEffects(command: string, places: Places): Promise<ReadonlySet<GitEffect>> {
  return gitEffectsOf((await findIn(command, parserFor)).steps, places)
}

async function findIn(command: string | readonly string[], load: typeof parserFor): Promise<Findings> {
  if (typeof command === 'string') {
    const found = new Findings()
    judgeText(await load('bash'), command, CALLER, found, 0)
    return found
  }
  let hasScript = false
  const found = judgeProgram(command, () => {
    hasScript = true
  })
  // Loading the grammar takes longer than starting most programs.
  if (!hasScript) return found
  const parse = await load('bash')
  return judgeProgram(command, (text, stdin, into) => judgeText(parse, text, stdin, into, 1))
}

/** @param onScript called with each shell script among the words */
function judgeProgram(
  words: readonly string[],
  onScript: (text: string, stdin: Stdin, found: Findings) => undefined,
): Findings {
  const found = new Findings()
  const script = (text: string, stdin: Stdin) => onScript(text, stdin, found)
  judgeWords(words.map(literal), { found, script, isFunction: () => false, stdin: CALLER, judges: JUDGES })
  return found
}

function judgeText(
  parse: (text: string) => Parsed,
  text: string,
  stdin: Stdin,
  found: Findings,
  depth: number,
): undefined {
  if (text.length > MAX_LINE) return found.unknown(text, 'is too long to parse')
  if (depth > MAX_DEPTH) return found.unknown(text, 'nests shells too deeply')
  const parsed = parse(text)
  if (!parsed.ok) return found.unknown(text, 'cannot be parsed')
  const judgeNested = (inner: string, fed: Stdin, into: Findings) => judgeText(parse, inner, fed, into, depth + 1)
  judgeScript({ syntax: parsed.syntax, found, stdin, nested: judgeNested })
}
