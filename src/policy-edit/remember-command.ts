import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import type { CommandQuestion } from '../core/question.js'
import { rewriteYaml } from '../os/yaml-edit.js'
import type { Settings } from '../policy/index.js'
import { editPolicy } from './edit-policy.js'

/** Settings of policy.yaml by dotted path, with their new values. */
export type CommandRules = Readonly<Record<string, 'allow' | 'deny' | boolean>>

/**
 * Writes a person's answer to a command into the rules that asked, so that it applies to every command they cover.
 * @throws EscrowError `policy_invalid` for a file that cannot be read.
 */
export async function rememberCommand(
  layout: Layout,
  { rules }: Pick<CommandQuestion, 'rules'>,
  { answer }: { readonly answer: string },
): Promise<CommandRules> {
  const verdict = answer === 'deny' ? 'deny' : 'allow'
  const edits = rules.map((rule) =>
    rule === 'terminal.network'
      ? ({ path: ['terminal', 'network'], value: verdict === 'allow' } as const)
      : ({ path: ['terminal', 'classes', rule], value: verdict } as const),
  )
  await editPolicy(layout, {
    empty: 'terminal: {}\n',
    change: (text) =>
      rewriteYaml(text, (document) => {
        for (const { path, value } of edits) document.setIn([...path], value)
      }),
    after: ({ settings }) => assertEffective(settings, rules, verdict),
  })
  return Object.fromEntries(edits.map(({ path, value }) => [path.join('.'), value]))
}

/** Reads the new settings back. */
function assertEffective(
  { classes, network }: Settings,
  rules: CommandQuestion['rules'],
  verdict: 'allow' | 'deny',
): void {
  const isEffective = rules.every((rule) =>
    rule === 'terminal.network' ? network === (verdict === 'allow') : classes[rule] === verdict,
  )
  if (!isEffective)
    throw new EscrowError(
      'policy_invalid',
      'The answer cannot be saved as a rule: `terminal` in policy.yaml could not be changed.',
    )
}
