import type { Access } from '../core/decision.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { AskAnswer } from './ask-answer.js'
import type { PathRule } from './path-rules.js'
import { POLICY_FILE } from './policy-file.js'
import type { AccessMode } from './policy-schema.js'
import { openedBy, type Secret } from './secrets.js'

/** The denials. Each message names what was refused and why; the hint says what to do. */

export function pathEscape({ asked, path }: Access): Denial {
  return {
    reason: 'path_escape',
    file: asked,
    message: `Path Escape: ${describePath(asked, path)} is outside the workspace.`,
    hint: 'Write inside the workspace.',
  }
}

export function targetEscape(asked: string, target: string): Denial {
  return {
    reason: 'path_escape',
    file: asked,
    message: `Path Escape: ${asked} would point to ${target}, outside the workspace.`,
    hint: 'Link to a path inside the workspace.',
  }
}

/** @param resolved the protected name: the resolved path, the requested one, or the target of a link. */
export function protectedPath(asked: string, resolved: string, why: string, openable: boolean): Denial {
  return {
    reason: 'protected_path',
    file: asked,
    message: `Protected Path: ${describePath(asked, resolved)} cannot be written by an agent: ${why}.`,
    hint: openable
      ? "A person can allow it by adding this name, without a wildcard, to the intent's owned_scope."
      : 'Only a person can change it, outside escrow. Leave it as it is, and tell the person what it needs.',
  }
}

export function accessDenied(asked: string, name: string, rule: PathRule<AccessMode>, section: string): Denial {
  const hint = `A person can change the rule \`${rule.key}\` under \`${section}\` in ${POLICY_FILE}.`
  if (rule.value === 'ask') {
    const message = `Needs Approval: the rule \`${rule.key}\` asks a person before ${describePath(asked, name)} is written.`
    const asks = { rule: rule.key, ruleName: name }
    return {
      reason: 'needs_approval',
      file: asked,
      message,
      hint: `A person has been asked; try again after the answer. ${hint}`,
      ...asks,
    }
  }
  const state = rule.value === 'read-only' ? 'read-only' : 'closed to agents'
  const message = `Access Denied: ${describePath(asked, name)} is ${state} by the rule \`${rule.key}\`.`
  return { reason: 'access_denied', file: asked, message, hint }
}

/** The denial of a secret, which is closed by default and can be opened by a rule. */
export function secret(asked: string, found: Secret): Denial {
  const { path, why } = found
  const message = `Access Denied: ${describePath(asked, path)} may hold secrets (${why}), so it is closed to agents.`
  const hint = `A person can open it: ${openedBy([found])} in ${POLICY_FILE}.`
  return { reason: 'access_denied', file: asked, message, hint }
}

export function askRefused(asked: string, name: string, { words, by }: AskAnswer): Denial {
  return {
    reason: 'access_denied',
    file: asked,
    message: `Access Denied: ${by.name} does not allow writing ${describePath(asked, name)}.`,
    ...defined({ hint: words }),
  }
}

/** A hidden path looks like an absent one. */
export function hidden(asked: string): Denial {
  return { reason: 'hidden', file: asked, message: 'No such file or directory.' }
}

export function missingIntent(hint: string): Denial {
  return {
    reason: 'missing_intent_id',
    message: 'You must cite a valid active Intent ID. Call select_active_intent first before using destructive tools.',
    hint,
  }
}

export function missingMutationClass(): Denial {
  return {
    reason: 'missing_mutation_class',
    message: 'You must declare what each write does. Pass mutation_class: AST_REFACTOR or INTENT_EVOLUTION.',
    hint: 'AST_REFACTOR: only layout, comments, local names and the order of declarations change. INTENT_EVOLUTION: anything else.',
  }
}

export function scopeViolation(intentId: string, name: string): Denial {
  return {
    reason: 'scope_violation',
    intentId,
    file: name,
    message: `Scope Violation: ${intentId} is not authorized to edit ${name}. Request scope expansion.`,
  }
}

export function linkOutOfScope(intentId: string, asked: string, target: string): Denial {
  return {
    reason: 'scope_violation',
    intentId,
    file: asked,
    message: `Scope Violation: ${asked} would point to ${target || 'the root'}, and ${intentId} is not authorized to edit all of that. Request scope expansion.`,
    hint: 'Link to a file in the scope, or to a directory that is in the scope with everything below it.',
  }
}

/** @param key the rule for a path below the link's target. */
export function linkAcrossRule(asked: string, target: string, key: string): Denial {
  return {
    reason: 'access_denied',
    file: asked,
    message: `Access Denied: ${asked} would point to ${target || 'the root'}, and the rule \`${key}\` closes a path in it.`,
    hint: 'Link to a path that no rule closes.',
  }
}

/** The target depends on another link, see `isAmbiguous`. */
export function ambiguousTarget(asked: string, target: string): Denial {
  return {
    reason: 'path_escape',
    file: asked,
    message: `Path Escape: ${asked} would point to ${target}, which depends on another link.`,
    hint: 'Write the target with each `..` at its beginning.',
  }
}

export function sessionClosed(id: string, asked: string): Denial {
  return { reason: 'access_denied', message: `Session ${id} is closed. Open it again to write.`, file: asked }
}

export function staleFile(asked: string): Denial {
  return {
    reason: 'stale_file',
    file: asked,
    message: `Stale File: ${asked} changed on disk since you read it. Read it again, then retry.`,
  }
}

export function unreadFile(asked: string): Denial {
  return {
    reason: 'stale_file',
    file: asked,
    message: `Stale File: ${asked} was never read in this session, and policy.yaml requires that (locks.require_read). Read it, then retry.`,
  }
}

export function ruleFailed(asked: string, error: unknown): Denial {
  const what = errorText(error)
  return {
    reason: 'policy_invalid',
    file: asked,
    message: `Policy Invalid: ${asked} could not be checked (${what}). It is refused until that is fixed.`,
  }
}

function describePath(asked: string, resolved: string): string {
  const name = asked === '' ? '.' : asked
  return asked === resolved ? name : `${name} (resolved to ${resolved === '' ? '.' : resolved})`
}
