import type { Explanation } from '../core/api.js'
import type { Access, RuleWord } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { ruleFailed } from './messages.js'
import type { PolicyContext, Rule } from './rules.js'

/** What each rule says of an access, up to and with the first denial. A rule that throws denies. */
export function explainBy(rules: readonly Rule[], access: Access, moment: () => PolicyContext): Explanation {
  const words: RuleWord[] = []
  for (const { name, judge, source } of rules) {
    const denial = denialOrProblem(() => judge(access, moment()), access)
    const place = sourceOrUndefined(() => source?.(access, moment()))
    const from = place === undefined ? {} : { source: place }
    if (denial) {
      const { reason, message } = denial
      words.push({ rule: name, verdict: 'deny', ...from, reason, message })
      return { path: access.path, verdict: 'deny', reason, message, rules: words }
    }
    words.push({ rule: name, verdict: 'pass', ...from })
  }
  return { path: access.path, verdict: access.effect === 'read' ? 'allow' : 'stage', rules: words }
}

/** Where a rule comes from decides nothing: what fails here is not told. */
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
