import type { Explanation } from '../core/api.js'
import type { Access, RuleWord } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { ruleFailed } from './messages.js'
import type { PolicyContext, Rule } from './rules.js'

/** The verdict of each rule on an access, up to and including the first denial. A rule that throws denies. */
export function explainBy(rules: readonly Rule[], access: Access, context: () => PolicyContext): Explanation {
  const verdicts: RuleWord[] = []
  for (const { name, judge, source } of rules) {
    const denial = denialOrProblem(() => judge(access, context()), access)
    const place = sourceOrUndefined(() => source?.(access, context()))
    const from = place === undefined ? {} : { source: place }
    if (denial) {
      const { reason, message } = denial
      verdicts.push({ rule: name, verdict: 'deny', ...from, reason, message })
      return { path: access.path, verdict: 'deny', reason, message, rules: verdicts }
    }
    verdicts.push({ rule: name, verdict: 'pass', ...from })
  }
  return { path: access.path, verdict: access.effect === 'read' ? 'allow' : 'stage', rules: verdicts }
}

/** The source is only shown, so a failure to find it is ignored. */
function sourceOrUndefined(source: () => string | undefined): string | undefined {
  try {
    return source()
  } catch {
    return undefined
  }
}

function denialOrProblem(judge: () => Denial | undefined, access: Access): Denial | undefined {
  try {
    return judge()
  } catch (error) {
    return ruleFailed(access.asked, error)
  }
}
