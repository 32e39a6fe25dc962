import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import type { CommandQuestion } from '../core/question.js'
import { rewriteYaml } from '../host/yaml-edit.js'
import { editPolicy } from './policy-edit.js'
import type { Settings } from './policy-schema.js'

/** Setting of policy.yaml → what it says now. */
export type CommandRules = Readonly<Record<string, 'allow' | 'deny' | boolean>>

/**
 * Makes a person's answer to a command the word of the rules that asked, for every command they are about.
 * @throws EscrowError policy_invalid for a file that cannot be read.
 */
export async function rememberCommand(
  layout: Layout,
  { rules }: Pick<CommandQuestion, 'rules'>,
  { answer }: { readonly answer: string },
): Promise<CommandRules> {
  const word = answer === 'deny' ? 'deny' : 'allow'
  const said = rules.map((rule) =>
    rule === 'terminal.network'
      ? ({ path: ['terminal', 'network'], value: word === 'allow' } as const)
      : ({ path: ['terminal', 'classes', rule], value: word } as const),
  )
  await editPolicy(layout, {
    empty: 'terminal: {}\n',
    change: (text) =>
      rewriteYaml(text, (document) => {
        for (const { path, value } of said) document.setIn([...path], value)
      }),
    after: ({ settings }) => refuseUnasked(settings, rules, word),
  })
  return Object.fromEntries(said.map(({ path, value }) => [path.join('.'), value]))
}

/** What is written must be what is read. */
function refuseUnasked({ classes, network }: Settings, rules: CommandQuestion['rules'], word: 'allow' | 'deny'): void {
  const isHeard = rules.every((rule) =>
    rule === 'terminal.network' ? network === (word === 'allow') : classes[rule] === word,
  )
  if (!isHeard)
    throw new EscrowError('policy_invalid', 'The answer cannot be remembered: `terminal` could not be changed.')
}
