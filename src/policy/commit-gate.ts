import type { Access } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import { type IntentsState, unknownIntent } from '../core/intents-state.js'
import { scopeCache } from './caches.js'
import { missingIntent, protectedPath, ruleFailed } from './messages.js'
import type { PolicyState } from './policy-file.js'
import { protection } from './protected.js'
import { COMMIT_RULES, type PolicyContext } from './rules.js'

const scopeOf = scopeCache()

/** One name a commit would write, and the intent it was staged for. */
export interface CommitRequest {
  readonly path: string
  readonly isDirectory: boolean
  /** The target of a symlink, as in {@link Access}. */
  readonly link?: Pick<Access, 'target' | 'written' | 'toFile'>
  readonly intentId: string | undefined
}

/**
 * Checks a change again at commit, by the current rules and the current scope of its intent. Whether the intent is still open, and
 * `ask` rules, no longer matter: a person has approved the result.
 */
export function commitDenial(request: CommitRequest, intents: IntentsState, policy: PolicyState): Denial | undefined {
  const { path, isDirectory, link, intentId } = request
  try {
    const scope = scopeOf(intents, intentId)
    const context: PolicyContext = {
      policy,
      intents,
      activeId: intentId,
      scope,
      // Roo Code's directories are made without an intent.
      lenientMkdir: isDirectory && intentId === undefined,
    }
    const effect = link !== undefined ? 'symlink' : isDirectory ? 'mkdir' : 'put'
    const access: Access = { effect, path, asked: path, ...link }
    const denials = COMMIT_RULES.map((rule) => rule.judge(access, context))
    const denial = denials.find((each) => each !== undefined)
    if (denial?.reason !== 'scope_violation' || scope) return denial
    return intentId === undefined
      ? { ...missingIntent('Reject it, and let the agent write it again under an intent.'), file: path }
      : unknownIntent(intents, intentId)
  } catch (error) {
    return ruleFailed(path, error)
  }
}

/**
 * Checks a path that an undo restores. A person restores an earlier state, so no scope applies, but git's and escrowfs's own files are
 * denied, and so is everything while policy.yaml is invalid.
 */
export function undoDenial(path: string, policy: PolicyState): Denial | undefined {
  if (!policy.ok) return { reason: 'policy_invalid', file: path, message: policy.message }
  const found = protection(path)
  return found?.level === 'never' ? protectedPath(path, path, found.why, false) : undefined
}
