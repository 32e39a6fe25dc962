import { isMap, isScalar } from 'yaml'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { putNode, rewriteYaml } from '../host/yaml-edit.js'
import { sameRule } from './path-rules.js'
import { editPolicy } from './policy-edit.js'
import { POLICY_FILE } from './policy-file.js'
import type { PolicyRules } from './policy-read.js'
import type { AccessWord } from './policy-schema.js'

/** A line of `access` in policy.yaml. */
export interface AccessRule {
  readonly path: string
  readonly word: AccessWord
}

/**
 * Makes a person's answer to an `ask` rule a rule of policy.yaml, the file's comments and order kept.
 * @throws EscrowError policy_invalid for a file that cannot be read; unsupported where a more specific rule than the
 * one to be written would go on asking.
 */
export async function rememberRule(
  layout: Layout,
  asked: { readonly path: string; readonly rule: string },
  { answer }: { readonly answer: 'allow' | 'once' | 'subtree' | 'deny' },
): Promise<AccessRule> {
  const about = answer === 'subtree' ? asked.path.slice(0, Math.max(0, asked.path.lastIndexOf('/'))) : asked.path
  const rule: AccessRule = { path: nameOf(about), word: answer === 'deny' ? 'read-only' : 'allow' }
  await editPolicy(layout, {
    empty: 'access: {}\n',
    before: (rules) => {
      if (about !== asked.path) refuseOpening(rules, about, rule)
    },
    change: (text) => withRule(text, rule),
    after: (rules) => refuseOverruled(rules, asked.path, rule),
  })
  return rule
}

/** A rule whose name means the same has its word changed; else it comes behind the others. */
function withRule(text: string, { path, word }: AccessRule): string | undefined {
  return rewriteYaml(text, (document) => {
    const access: unknown = document.get('access', true)
    const known = isMap(access)
      ? access.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')).find((key) => sameRule(key, path))
      : undefined
    if (!isMap(access) || (access.flow && access.items.length === 0)) putNode(document, ['access'], { [path]: word })
    else document.setIn(['access', known ?? path], word)
  })
}

/** The path as a rule names it: what would be a pattern in it stands for itself. */
function nameOf(path: string): string {
  return path === '' ? '.' : path.replace(/[*?[{]/g, (char) => `[${char}]`)
}

/** What was asked is one path: a directory that is closed otherwise is not opened by the answer. */
function refuseOpening(rules: PolicyRules | undefined, about: string, rule: AccessRule): void {
  const holds = rules?.access.find(about)
  if (!holds || holds.value === 'ask' || holds.value === 'allow') return
  const message = `\`${rule.path}: ${rule.word}\` would undo \`${holds.key}: ${holds.value}\` for all below it.`
  throw new EscrowError('unsupported', message, { hint: `Answer allow for the path alone, or edit ${POLICY_FILE}.` })
}

function refuseOverruled(rules: PolicyRules, path: string, rule: AccessRule): void {
  const holds = rules.access.find(path)
  if (holds?.value === rule.word) return
  const other = holds ? `\`${holds.key}: ${holds.value}\`` : 'another rule'
  const message = `\`${rule.path}: ${rule.word}\` would change nothing for ${path}: ${other} is more specific.`
  throw new EscrowError('unsupported', message, {
    hint: `Answer allow, which is about ${path} alone, or edit ${POLICY_FILE}.`,
  })
}
