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
  /** Of a symlink: where it will point, as {@link Access} has it. */
  readonly link?: Pick<Access, 'target' | 'written' | 'toFile'>
  readonly intentId: string | undefined
}

/**
 * Policy once more, from what is to be committed alone: by the rules as they are now, inside the scope its intent has
 * now. Whether the intent is still open does not matter any more, nor an `ask`: a person has approved the result.
 */
export function commitDenial(landing: CommitRequest, intents: IntentsState, policy: PolicyState): Denial | undefined {
  const { path, isDirectory, link, intentId } = landing
  try {
    const scope = scopeOf(intents, intentId)
    const moment: PolicyContext = {
      policy,
      intents,
      activeId: intentId,
      scope,
      // Roo Code's directories are made without an intent.
      lenientMkdir: isDirectory && intentId === undefined,
    }
    const effect = link !== undefined ? 'symlink' : isDirectory ? 'mkdir' : 'put'
    const access: Access = { effect, path, asked: path, ...link }
    const denials = COMMIT_RULES.map((rule) => rule.judge(access, moment))
    const denial = denials.find((each) => each !== undefined)
    if (denial?.reason !== 'scope_violation' || scope) return denial
    return intentId === undefined
      ? { ...missingIntent('A person stages it anew, for an intent.'), file: path }
      : unknownIntent(intents, intentId)
  } catch (error) {
    return ruleFailed(path, error)
  }
}

/**
 * Policy for what an undo puts back: a person brings back what stood there before, so no intent's scope is asked. Never
 * ours and git's own, and nothing while policy.yaml cannot be read.
 */
export function undoDenial(path: string, policy: PolicyState): Denial | undefined {
  if (!policy.ok) return { reason: 'policy_invalid', file: path, message: policy.message }
  const found = protection(path)
  return found?.level === 'never' ? protectedPath(path, path, found.why, false) : undefined
}
