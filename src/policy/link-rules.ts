import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { linkOverRule } from './messages.js'
import type { PolicyRules } from './policy-read.js'
import { readingsOf } from './readings.js'

/** What a new symlink may point to: once it is committed every other tool follows it. */

/** What a new symlink points to, in every reading: the link is one more name for it. */
export function pointsTo({ effect, target }: Access): readonly string[] {
  return effect === 'symlink' && target !== undefined ? readingsOf(target) : []
}

/** Whether a `..` comes after a name: if that name is a link, or becomes one, it leads out of where that points. */
export function isUnclear(target: string): boolean {
  const segments = target.split('/').filter((segment) => segment !== '' && segment !== '.')
  const name = segments.findIndex((segment) => segment !== '..')
  return name >= 0 && segments.lastIndexOf('..') > name
}

/** A link to a directory gives all below it a name that no rule speaks of. */
export function linkOverRules(access: Access, rules: PolicyRules, refused: ReadonlySet<string>): Denial | undefined {
  if (access.toFile === true) return undefined
  for (const target of pointsTo(access)) {
    const rule = [...rules.access.below(target), ...rules.protected.below(target)].find(
      ({ value }) => value === true || refused.has(value),
    )
    if (rule) return linkOverRule(access.asked, target, rule.key)
  }
  return undefined
}
