import type { RuleCase } from './scene.js'
import { isOperand, type Word } from './words.js'

/** Longer scripts (characters) are not examined. */
const MAX_SCRIPT = 2000

const ADDRESS = String.raw`(?:\d+|\$|/(?:[^/\\\n]|\\.)*/)`
/** Commands of sed that only change its output; none that writes, reads or runs. */
const SED_COMMAND = new RegExp(
  String.raw`^\s*(?:${ADDRESS}(?:,(?:${ADDRESS}|\+\d+))?\s*!?\s*)?(?:[pdqnNDPhHgGx=]|s([/|#,:@])(?:(?!\1)[^\\\n]|\\.)*\1(?:(?!\1)[^\\\n]|\\.)*\1[gpiI\d]*)\s*$`,
)

/** sed(1) writes in place with an option, and its script can write files and run commands. */
export function judgeSed({ rule, given, scene, part }: RuleCase): undefined {
  const { found } = scene
  const { scripts, isKnown, inPlace } = sedWords(given)
  if (inPlace) found.add('write', part, 'writes files in place')
  const isPlain = isKnown && scripts.length > 0 && scripts.every((script) => isSedPlain(script))
  if (isPlain) found.add(rule.is, part, rule.does)
  else found.unknown(part, 'has a script with unknown effects')
}

function isSedPlain(script: string): boolean {
  if (script.length > MAX_SCRIPT) return false
  return SED_COMMAND.test(script) || script.split(/[;\n]/).every((each) => SED_COMMAND.test(each))
}

function sedWords(args: readonly Word[]): { scripts: string[]; isKnown: boolean; inPlace: boolean } {
  const scripts: string[] = []
  const operands: Word[] = []
  let isKnown = true
  let inPlace = false
  for (let at = 0; at < args.length; at++) {
    const word = args[at]
    const text = word?.text
    if (word === undefined) continue
    if (text === undefined || !text.startsWith('-')) {
      if (text === undefined && !isOperand(word)) isKnown = false
      operands.push(word)
    } else if (text === '-e' || text === '--expression') scripts.push(args[++at]?.text ?? '?')
    else if (/^(?:-i|--in-place)/.test(text) || /^-[nErsz]+i/.test(text)) inPlace = true
    else if (!/^(?:-[nErsuz]+|--(?:quiet|silent|regexp-extended|posix|debug|sandbox))$/.test(text)) isKnown = false
  }
  if (scripts.length === 0) scripts.push(operands[0]?.text ?? '?')
  return { scripts, isKnown, inPlace }
}

/** awk(1) only reads if its program is on the line and has nothing that writes or runs. */
export function judgeAwk({ rule, given, scene, part }: RuleCase): undefined {
  const { found } = scene
  let at = 0
  let isKnown = true
  for (; at < given.length; at++) {
    const text = given[at]?.text
    if (text === undefined || !text.startsWith('-')) break
    if (text === '-F' || text === '-v') isKnown &&= given[++at]?.splits === false
    else if (!/^-F./.test(text)) isKnown = false
  }
  const program = given[at]?.text
  // Without awk's grammar, a comparison by `>` looks like a redirection.
  const isPlain = isKnown && program !== undefined && !/system|getline|close|[>|@]/.test(program)
  const rest = given.slice(at + 1)
  if (isPlain && rest.every((word) => word.text !== undefined || isOperand(word))) found.add(rule.is, part, rule.does)
  else found.unknown(part, 'has a program with unknown effects')
}
