import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { linkAcrossRule } from './messages.js'
import type { PolicyRules } from './policy-read.js'
import { readingsOf } from './readings.js'

/** Where a new symlink may point: once it is committed, every other tool follows it. */

/** The targets of a new symlink, in every interpretation, because the link is another name for them. */
export function linkTargets({ effect, target }: Access): readonly string[] {
  return effect === 'symlink' && target !== undefined ? readingsOf(target) : []
}

/** Whether a `..` follows a name: if that name is or becomes a link, the target changes. */
export function isAmbiguous(target: string): boolean {
  const segments = target.split('/').filter((segment) => segment !== '' && segment !== '.')
  const name = segments.findIndex((segment) => segment !== '..')
  return name >= 0 && segments.lastIndexOf('..') > name
}

/** Denies a link to a directory with a closed path below it: the link would give that path a name that no rule matches. */
export function linkAcrossRules(access: Access, rules: PolicyRules, refused: ReadonlySet<string>): Denial | undefined {
  if (access.toFile === true) return undefined
  for (const target of linkTargets(access)) {
    const rule = [...rules.access.below(target), ...rules.protected.below(target)].find(
      ({ value }) => value === true || refused.has(value),
    )
    if (rule) return linkAcrossRule(access.asked, target, rule.key)
  }
  return undefined
}
