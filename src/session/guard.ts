import { asRelPath, type RelPath } from '../../overlay/index.js'
import type { Access, Decide } from '../core/decision.js'
import type { Denial } from '../core/denials.js'
import type { GuardRules } from '../fs/index.js'
import type { SessionQuestions } from '../inbox/index.js'
import { mayBeProtected, type Policy, repositoryDenial, sessionClosed } from '../policy/index.js'
import type { ContentLock, LedgerOutbox, StageStore } from '../stage/index.js'
import type { SessionFeedback } from './feedback.js'
import type { SessionLimits } from './limits.js'
import type { SessionState } from './state.js'

export interface GuardDeps {
  readonly id: string
  readonly state: Readonly<SessionState>
  readonly policy: Policy
  readonly journal: Pick<LedgerOutbox, 'problem'>
  readonly store: StageStore
  readonly lock: ContentLock
  readonly questions: Pick<SessionQuestions, 'ask' | 'consume'>
  readonly feedback: SessionFeedback
  readonly limits: SessionLimits
  /** Bytes a session without a pack may hold. */
  readonly memory: number
}

/**
 * Decides each access: by policy, and by what only the session knows. It may be closed, its ledger unwritable, a limit
 * reached, or a reviewer's verdict not yet known to the agent.
 */
export class SessionGuard implements GuardRules {
  constructor(private readonly deps: GuardDeps) {}

  readonly decide: Decide = (access) => {
    const { id, state, policy, questions, feedback } = this.deps
    if (state.closed) return { verdict: 'deny', denial: sessionClosed(id, access.asked) }
    const decision = policy.decide(access)
    if (decision.verdict === 'deny') {
      const { rule, ruleName = access.path } = decision.denial
      if (rule !== undefined) questions.ask(ruleName, rule)
      return decision
    }
    if (access.effect === 'read') return decision
    const denial =
      repositoryDenial(access, (path) => this.deps.store.overlay.typeOf(asRelPath(path))) ??
      this.#ledgerDenial(access) ??
      this.#memoryDenial(access) ??
      this.#limitDenial(access) ??
      feedback.rejectionOf(access) ??
      feedback.amendmentOf(access)
    if (denial) return { verdict: 'deny', denial }
    const { path, asked, target = path } = access
    for (const name of new Set([path, asked, target])) questions.consume(name)
    return decision
  }

  readsBy(at: number): unknown {
    return this.deps.state.closed ? undefined : this.deps.policy.readsBy(at)
  }

  mayHide(dir: string): boolean {
    return this.deps.policy.mayHide(dir)
  }

  alikeBelow(dir: string): boolean {
    return this.deps.policy.alikeBelow(dir)
  }

  mayBeProtected(name: string): boolean {
    return mayBeProtected(name)
  }

  knownBelow(dir: RelPath): RelPath[] {
    return [...this.deps.lock.readBelow(dir), ...this.deps.feedback.refusedBelow(dir).map(asRelPath)]
  }

  #ledgerDenial(access: Access): Denial | undefined {
    const { problem } = this.deps.journal
    if (problem === undefined) return undefined
    return { reason: 'ledger_unavailable', message: problem, file: access.asked }
  }

  /** Concerns only a session that keeps no pack: others move content to theirs. */
  #memoryDenial({ effect, asked }: Access): Denial | undefined {
    const { bytes } = this.deps.store.overlay.stage.upper
    if (effect !== 'put' || bytes <= this.deps.memory) return undefined
    return {
      reason: 'limit_exceeded',
      message: `Limit Exceeded: this session holds ${bytes} bytes in memory; the most is ${this.deps.memory}.`,
      hint: "Commit or revert some of it, or open the workspace with durability 'process', which spills to disk.",
      file: asked,
    }
  }

  #limitDenial(access: Access): Denial | undefined {
    const limits = this.deps.policy.settings()?.limits
    return limits && this.deps.limits.take(access, limits)
  }
}
