import { isDeepStrictEqual } from 'node:util'
import { pathRules, ruleName, secretIn } from '../policy/index.js'

/** The path rules of a section of policy.yaml: a path or glob, and its value. */
export type PathTable = ReadonlyMap<string, unknown>

/** The sections with path rules, and their values from loosest to strictest. `undefined` is the value of a path without a rule. */
const RANKS = {
  access: ['allow', undefined, 'ask', 'read-only', 'deny', 'hidden'],
  outside: ['allow', 'read-only', 'ask', undefined, 'deny', 'hidden'],
} as const

export type PathSection = keyof typeof RANKS

export function isPathSection(section: string): section is PathSection {
  return section in RANKS
}

/** Whether the new table opens nothing, by this rule, that the old one closes. A false answer may be wrong. */
export function isStricterRule(section: PathSection, key: string, old: PathTable, now: PathTable): boolean {
  const rank = (value: unknown) => RANKS[section].findIndex((each) => each === value)
  const [before, after] = [rank(old.get(key)), rank(now.get(key))]
  if (before < 0 || after < before) return false
  // A rule for a directory above may apply in place of the removed one, and a shorter glob that names a secret.
  if (!now.has(key))
    return [...now].every(([other, value]) => {
      return rank(value) >= rank(old.get(key)) && !(isGlob(key) && isGlob(other) && opensSecret(section, other, value))
    })
  // The most specific rule wins, so a new one may apply in place of a stricter rule.
  return (
    old.has(key) ||
    (!opensSecret(section, key, now.get(key)) && replaced(section, key, old).every((value) => after >= rank(value)))
  )
}

/** What applied to the paths of a rule before, for people; undefined if nothing is known to. */
export function describeBefore(section: PathSection, key: string, old: PathTable): unknown {
  if (old.has(key) || section === 'outside' || isGlob(key)) return old.get(key)
  const rule = pathRules(old).find(ruleName(key))
  if (rule !== undefined) return `${rule.value} by ${JSON.stringify(rule.key)}`
  return secretIn(ruleName(key)) === undefined ? undefined : 'closed as a secret'
}

/** A secret is closed unless a rule names it. */
function opensSecret(section: PathSection, key: string, value: unknown): boolean {
  if (value === 'deny' || value === 'hidden') return false
  return section === 'outside' || isGlob(key) || secretIn(ruleName(key)) !== undefined
}

/** The values of the old rules in whose place a new one may apply. A path's is known, a glob's may be any. */
function replaced(section: PathSection, key: string, old: PathTable): readonly unknown[] {
  if (section === 'outside' || isGlob(key)) return [...old.values()]
  return [pathRules(old).find(ruleName(key))?.value]
}

function isGlob(key: string): boolean {
  return /[*?{[]/.test(ruleName(key))
}

/** Whether the order of the rules matters and differs: of two globs of one length, the first applies. */
export function isReordered(old: PathTable, now: PathTable): boolean {
  const order = (table: PathTable, other: PathTable) =>
    [...table.keys()].filter((key) => isGlob(key) && other.has(key)).sort((a, b) => b.length - a.length)
  return !isDeepStrictEqual(order(old, now), order(now, old))
}
