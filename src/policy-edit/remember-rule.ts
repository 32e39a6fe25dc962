import { isMap, isScalar } from 'yaml'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { putNode, rewriteYaml } from '../os/yaml-edit.js'
import { type AccessMode, POLICY_FILE, type PolicyRules, sameRule } from '../policy/index.js'
import { editPolicy } from './edit-policy.js'

/** An entry of `access` in policy.yaml. */
export interface AccessRule {
  readonly path: string
  readonly word: AccessMode
}

/**
 * Writes a person's answer to an `ask` rule into policy.yaml.
 * @throws EscrowError `policy_invalid` for a file that cannot be read; `unsupported` if a more specific rule would override the new one.
 */
export async function rememberRule(
  layout: Layout,
  asked: { readonly path: string; readonly rule: string },
  { answer }: { readonly answer: 'allow' | 'once' | 'subtree' | 'deny' },
): Promise<AccessRule> {
  const rulePath = answer === 'subtree' ? asked.path.slice(0, Math.max(0, asked.path.lastIndexOf('/'))) : asked.path
  const rule: AccessRule = { path: ruleKey(rulePath), word: answer === 'deny' ? 'read-only' : 'allow' }
  await editPolicy(layout, {
    empty: 'access: {}\n',
    before: (rules) => {
      if (rulePath !== asked.path) assertNotClosed(rules, rulePath, rule)
    },
    change: (text) => withRule(text, rule),
    after: (rules) => assertEffective(rules, asked.path, rule),
  })
  return rule
}

/** Changes the rule with an equivalent key, or appends a new one. */
function withRule(text: string, { path, word }: AccessRule): string | undefined {
  return rewriteYaml(text, (document) => {
    const access: unknown = document.get('access', true)
    const existingKey = isMap(access)
      ? access.items.map(({ key }) => (isScalar(key) ? String(key.value) : '')).find((key) => sameRule(key, path))
      : undefined
    if (!isMap(access) || (access.flow && access.items.length === 0)) putNode(document, ['access'], { [path]: word })
    else document.setIn(['access', existingKey ?? path], word)
  })
}

/** The path as a rule key, with glob characters escaped. */
function ruleKey(path: string): string {
  return path === '' ? '.' : path.replace(/[*?[{]/g, (char) => `[${char}]`)
}

/** The question was about one path, so the answer must not open a directory that another rule closes. */
function assertNotClosed(rules: PolicyRules | undefined, rulePath: string, rule: AccessRule): void {
  const current = rules?.access.find(rulePath)
  if (!current || current.value === 'ask' || current.value === 'allow') return
  const message = `\`${rule.path}: ${rule.word}\` would undo \`${current.key}: ${current.value}\` for all below it.`
  throw new EscrowError('unsupported', message, { hint: `Answer allow for the path alone, or edit ${POLICY_FILE}.` })
}

function assertEffective(rules: PolicyRules, path: string, rule: AccessRule): void {
  const current = rules.access.find(path)
  if (current?.value === rule.word) return
  const other = current ? `\`${current.key}: ${current.value}\`` : 'another rule'
  const message = `\`${rule.path}: ${rule.word}\` would change nothing for ${path}: ${other} is more specific.`
  throw new EscrowError('unsupported', message, {
    hint: `Answer allow, which is about ${path} alone, or edit ${POLICY_FILE}.`,
  })
}
