import { Findings } from './findings.js'
import { OWN } from './own.js'
import { PROGRAMS } from './programs.js'
import { applies, possibleOption, type Rule, replaces, type Subcommands } from './rule.js'
import { type CommandContext, type Judges, partOf } from './scene.js'
import { judgeShell, SHELLS } from './shells.js'
import { riskOf } from './variables.js'
import { isOperand, unknownWord, type Word } from './words.js'
import { WRAPPERS, type Wrapper } from './wrappers.js'

/** Directories of the system's programs. */
const SYSTEM = /^\/(?:usr\/)?(?:local\/)?s?bin\/|^\/opt\/homebrew\/bin\//

/** Largest nesting of wrappers. */
const MAX_LAYERS = 20

export const JUDGES: Judges = { words: (words, scene) => judgeWords(words, scene), rule: judgeRule }

export function judgeWords(words: readonly Word[], scene: CommandContext, layer = 0): undefined {
  const [program, ...given] = words
  if (program === undefined) return
  const { found } = scene
  const part = partOf(words)
  if (program.text === undefined) return found.unknown(part, 'names its program only at run time')
  if (layer > MAX_LAYERS) return found.unknown(part, 'has too many wrappers')
  if (layer === 0 && scene.isFunction(program.text)) return
  const name = nameOf(program.text)
  if (name === undefined) return judgeNonSystem(program.text, given, scene, layer)
  const wrapper = WRAPPERS.get(name)
  if (wrapper !== undefined) return judgeWrapped(name, wrapper, given, scene, layer)
  if (SHELLS.has(name)) return judgeShell(name, given, scene)
  const rule = PROGRAMS.get(name)
  if (rule === undefined) return found.unknown(part, 'is an unknown program')
  const findings = found.part()
  judgeRule(rule, given, { ...scene, found: findings }, part)
  const classified = findings.toClassified()
  found.addAll(classified)
  found.steps.push({ program: name, given, classes: classified.classes })
}

/** The name of a program on PATH or in a system directory; undefined for any other path. */
function nameOf(program: string): string | undefined {
  return program.includes('/') && !SYSTEM.test(program) ? undefined : program.slice(program.lastIndexOf('/') + 1)
}

/** A program of the project may do anything, even under a known name, so it also gets the classes of that name. */
function judgeNonSystem(program: string, args: readonly Word[], scene: CommandContext, layer: number): undefined {
  const base = program.slice(program.lastIndexOf('/') + 1)
  const findings = new Findings()
  judgeWords(
    [{ ...unknownWord(program), text: base, lead: base, splits: false }, ...args],
    { ...scene, found: findings },
    layer + 1,
  )
  const classified = findings.toClassified()
  const isTool = /^(?:\.\/)?node_modules\/\.bin\/[^/]+$/.test(program) && classified.classes.join() === 'build-test'
  if (classified.classes.join() !== 'read-only') scene.found.addAll(classified)
  if (!isTool) scene.found.unknown(program, 'is a program outside the system directories')
}

function judgeRule(rule: Rule, args: readonly Word[], scene: CommandContext, part: string): undefined {
  const { found } = scene
  if (rule.subcommands !== undefined) return judgeSubcommand(rule, rule.subcommands, args, scene, part)
  if (rule.own !== undefined) return OWN[rule.own]({ rule, given: args, scene, part })
  const more = (rule.additions ?? []).filter((variant) => applies(variant, args))
  const open = rule.additions || rule.instead ? possibleOption(args) : undefined
  if (open !== undefined) found.unknown(part, `has an argument whose effect is unknown: ${open.source}`)
  const less =
    more.length === 0 && open === undefined ? rule.instead?.find((variant) => replaces(variant, args)) : undefined
  for (const variant of [less ?? rule, ...more]) found.add(variant.is, part, variant.does)
}

function judgeSubcommand(
  rule: Rule,
  of: Subcommands,
  args: readonly Word[],
  scene: CommandContext,
  part: string,
): undefined {
  const values = of.values.split(' ')
  const flags = of.flags.split(' ')
  let at = 0
  for (; ; at++) {
    const text = args[at]?.text
    if (text === undefined || !text.startsWith('-')) break
    if (values.includes(text)) at++
    else if (!flags.includes(text) && !values.includes(text.split('=')[0] ?? '')) {
      scene.found.unknown(part, `has ${text} before its command`)
      break
    }
  }
  const subcommand = args[at]
  if (subcommand === undefined) return judgeBare(rule, of, scene, part)
  const known = subcommand.text === undefined ? undefined : of.table.get(subcommand.text)
  if (known === undefined) return scene.found.add(rule.is, part, rule.does)
  judgeRule(known, args.slice(at + 1), scene, part)
}

function judgeBare(rule: Rule, { bare = rule }: Subcommands, { found }: CommandContext, part: string): undefined {
  found.add(bare.is, part, bare.does)
}

function judgeWrapped(
  name: string,
  wrapper: Wrapper,
  args: readonly Word[],
  scene: CommandContext,
  layer: number,
): undefined {
  const { found } = scene
  const part = partOf(args.slice(0, 6))
  if (wrapper.is !== undefined) found.add(wrapper.is, `${name} ${part}`, 'runs a command in a way of its own')
  const first = args[0]?.text
  if (first !== undefined && wrapper.queries?.split(' ').includes(first)) return
  const at = startOf(name, wrapper, args, found)
  const inner = args.slice(at)
  if (inner.length === 0) return judgeNoCommand(name, args, scene)
  const added = wrapper.appends ? [...inner, unknownWord('(what it reads)')] : inner
  judgeWords(added, scene, layer + 1)
}

/** Without a command, `env` lists the environment, `exec` changes descriptors and `xargs` echoes its input. */
function judgeNoCommand(name: string, args: readonly Word[], { found }: CommandContext): undefined {
  if (name === 'sudo' || name === 'doas') found.unknown(name, 'starts a shell')
  else found.add('read-only', `${name} ${partOf(args)}`, 'runs no command')
}

/** The index of the inner command among a wrapper's words. */
function startOf(name: string, wrapper: Wrapper, args: readonly Word[], found: Findings): number {
  const values = wrapper.values.split(' ')
  const flags = wrapper.flags.split(' ')
  let at = 0
  for (; at < args.length; at++) {
    const word = args[at]
    const text = word?.text
    if (text === undefined || text === '--') break
    if (wrapper.clearsVariables?.test(text)) found.unknown(`${name} ${text}`, 'may change what the command does')
    const assigned = wrapper.assigns ? /^([^=-][^=]*)=/.exec(text)?.[1] : undefined
    if (assigned !== undefined) {
      if (riskOf(assigned) !== 'none') found.unknown(text, 'may change what the command does')
    } else if (values.includes(text)) at++
    else if (!text.startsWith('-') || (text === '-' && !flags.includes('-'))) break
    else if (!isFlag(text, values, flags)) found.unknown(`${name} ${text}`, 'is an unknown option')
  }
  const word = args[at]
  if (word !== undefined && !isOperand(word) && word.text !== '--')
    found.unknown(`${name} ${word.source}`, 'hides where its command begins')
  const operandStart = args[at]?.text === '--' ? at + 1 : at
  return operandStart + (wrapper.operands ?? 0)
}

/** Splits clusters and attached values: `-0r`, `-n1`, `--signal=9`. */
function isFlag(text: string, values: readonly string[], flags: readonly string[]): boolean {
  if (flags.includes(text)) return true
  if (text.startsWith('--')) return [...values, ...flags].includes(text.split('=')[0] ?? '') && text.includes('=')
  if (/^-\d+$/.test(text)) return true
  if (values.includes(text.slice(0, 2))) return true
  return [...text.slice(1)].every((letter) => flags.includes(`-${letter}`))
}
