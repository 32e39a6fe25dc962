import { asRelPath, type Overlay, type RelPath } from '../../overlay/index.js'
import type { Access, Decide } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { GuardRules } from '../fs/index.js'
import type { SessionQuestions } from '../inbox/index.js'
import { mayBeProtected, type Policy, repositoryDenial, sessionClosed } from '../policy/index.js'
import type { LedgerOutbox } from '../stage/index.js'
import type { SessionLimits } from './limits.js'
import type { SessionState } from './state.js'

/** Checks a write that policy allows against the session's own state. Undefined: no objection. */
export type WriteCheck = (access: Access) => Denial | undefined

/**
 * Decides each access of a session's `fs`: first by policy, then each write by the session's own checks, in their order. A
 * check may have an effect (it delivers a rejection, or counts a write), so it runs only after every earlier check has
 * passed.
 */
export class SessionGuard implements GuardRules {
  /** @param pathsKnownBelow the paths below a directory that a check may refuse although it lets the directory pass */
  constructor(
    private readonly id: string,
    private readonly state: Readonly<SessionState>,
    private readonly policy: Policy,
    private readonly questions: Pick<SessionQuestions, 'ask' | 'consume'>,
    private readonly checks: readonly WriteCheck[],
    private readonly pathsKnownBelow: (dir: RelPath) => RelPath[],
  ) {}

  readonly decide: Decide = (access) => {
    if (this.state.closed) return { verdict: 'deny', denial: sessionClosed(this.id, access.asked) }
    const decision = this.policy.decide(access)
    if (decision.verdict === 'deny') {
      const { rule, ruleName = access.path } = decision.denial
      if (rule !== undefined) this.questions.ask(ruleName, rule)
      return decision
    }
    if (access.effect === 'read') return decision
    for (const check of this.checks) {
      const denial = check(access)
      if (denial) return { verdict: 'deny', denial }
    }
    const { path, asked, target = path } = access
    for (const name of new Set([path, asked, target])) this.questions.consume(name)
    return decision
  }

  readsBy(at: number): unknown {
    return this.state.closed ? undefined : this.policy.readRevision(at)
  }

  mayHide(dir: string): boolean {
    return this.policy.mayHide(dir)
  }

  alikeBelow(dir: string): boolean {
    return this.policy.isUniformBelow(dir)
  }

  mayBeProtected(name: string): boolean {
    return mayBeProtected(name)
  }

  knownBelow(dir: RelPath): RelPath[] {
    return this.pathsKnownBelow(dir)
  }
}

/** Refuses files that would make a directory a git repository. */
export function repositoryCheck(overlay: Pick<Overlay, 'typeOf'>): WriteCheck {
  return (access) => repositoryDenial(access, (path) => overlay.typeOf(asRelPath(path)))
}

/** Refuses every write while the ledger cannot be written. */
export function ledgerCheck(outbox: Pick<LedgerOutbox, 'problem'>): WriteCheck {
  return ({ asked }) => {
    const { problem } = outbox
    return problem === undefined ? undefined : { reason: 'ledger_unavailable', message: problem, file: asked }
  }
}

/**
 * Refuses content beyond the memory of a session without a pack. Others spill to their pack and never hold as much.
 * @param most bytes
 */
export function memoryCheck(overlay: Pick<Overlay, 'stage'>, most: number): WriteCheck {
  return ({ effect, asked }) => {
    const { bytes } = overlay.stage.upper
    if (effect !== 'put' || bytes <= most) return undefined
    return {
      reason: 'limit_exceeded',
      message: `Limit Exceeded: this session holds ${bytes} bytes in memory, and the limit is ${most}.`,
      hint: "Commit or revert some changes, or open the workspace with durability 'process', which keeps content on disk.",
      file: asked,
    }
  }
}

/** Refuses writes beyond `limits` of policy.yaml, and counts the others. */
export function limitCheck(policy: Pick<Policy, 'settings'>, counter: SessionLimits): WriteCheck {
  return (access) => {
    const limits = policy.settings()?.limits
    return limits && counter.countWrite(access, limits)
  }
}
