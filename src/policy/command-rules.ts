import type { Classified, CommandClass } from '../core/command-class.js'
import type { CommandWord, Settings } from './policy-schema.js'

/** A rule of `terminal` in policy.yaml. */
export type CommandRule = CommandClass | 'terminal.network'

export interface CommandDecision {
  readonly word: CommandWord
  /** The rules whose word it is. */
  readonly rules: readonly CommandRule[]
}

/**
 * What policy says to a command: the strictest word of its classes, and of `terminal.network` where it asks for the
 * network. `undefined` classes: nobody could tell them, and then any rule that is not `allow` denies.
 */
export function judgeCommand(
  { classes: rules, network }: Pick<Settings, 'classes' | 'network'>,
  classified: Classified | undefined,
  wantsNetwork: boolean,
): CommandDecision {
  const words = new Map<CommandRule, CommandWord>()
  if (classified) for (const each of classified.classes) words.set(each, commandWord(each, rules))
  else words.set('other', isRuled(rules) ? 'deny' : 'allow')
  if (wantsNetwork) words.set('terminal.network', network === 'ask' ? 'ask' : network ? 'allow' : 'deny')
  const word = (['deny', 'ask'] as const).find((each) => [...words.values()].includes(each)) ?? 'allow'
  return { word, rules: [...words].filter(([, said]) => said === word).map(([rule]) => rule) }
}

/** What nobody can tell may be of any class: without a word of its own a person is asked, where any class has a rule. */
export function commandWord(of: CommandClass, rules: Settings['classes']): CommandWord {
  return rules[of] ?? (of === 'other' && isRuled(rules) ? 'ask' : 'allow')
}

function isRuled(rules: Settings['classes']): boolean {
  return Object.values(rules).some((word) => word !== 'allow')
}
