import { type Classified, type CommandClass, PUBLISHES } from '../core/command-class.js'
import type { CommandVerdict } from './policy-schema.js'
import type { Settings } from './settings.js'

/** A rule of `terminal` in policy.yaml. */
export type CommandRule = CommandClass | 'terminal.network'

export interface CommandDecision {
  readonly verdict: CommandVerdict
  /** The rules that gave this verdict. */
  readonly rules: readonly CommandRule[]
}

/**
 * Decides on a command. The strictest verdict of its classes applies, and that of `terminal.network` if the command
 * needs more hosts than the list there contains. A `git push` needs a person's answer.
 * @param classified undefined for a command that could not be classified: then any rule other than `allow` denies it.
 */
export function judgeCommand(
  { classes: rules, network }: Pick<Settings, 'classes' | 'network'>,
  classified: Classified | undefined,
  wantsNetwork: boolean,
): CommandDecision {
  const verdicts = new Map<CommandRule, CommandVerdict>()
  if (classified) for (const each of classified.classes) verdicts.set(each, verdictFor(each, rules))
  else verdicts.set('other', hasRules(rules) ? 'deny' : 'allow')
  // A push publishes what nobody may have reviewed. A rule for `network` is a person's answer.
  const isPush = classified?.why.some(({ because }) => because === PUBLISHES) === true
  if (isPush && rules.network === undefined) verdicts.set('network', 'ask')
  if (wantsNetwork) verdicts.set('terminal.network', network === 'ask' ? 'ask' : network === true ? 'allow' : 'deny')
  const verdict = (['deny', 'ask'] as const).find((each) => [...verdicts.values()].includes(each)) ?? 'allow'
  return { verdict, rules: [...verdicts].filter(([, each]) => each === verdict).map(([rule]) => rule) }
}

/** `other` may hide any class: without a rule of its own it asks a person, as soon as any class has a rule. */
export function verdictFor(of: CommandClass, rules: Settings['classes']): CommandVerdict {
  return rules[of] ?? (of === 'other' && hasRules(rules) ? 'ask' : 'allow')
}

function hasRules(rules: Settings['classes']): boolean {
  return Object.values(rules).some((verdict) => verdict !== 'allow')
}
