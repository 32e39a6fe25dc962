import type { StagedChange } from '../../overlay/index.js'
import type { CommitResult, Verdict } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { Reviewer } from '../core/people.js'
import type { Question } from '../core/question.js'
import { gitUser } from '../os/git.js'
import { assertInPlace } from '../os/workspace-state.js'
import type { AnswerRecord, ApprovedCommit, ApprovedLanding, Criterion, ReviewEffects } from '../review/index.js'
import { newDraft } from '../trace/index.js'
import { applyAnswer } from './apply-answer.js'
import { criteriaOf } from './checklist.js'
import { commitSession } from './commit-session.js'
import type { ReviewedSession } from './reviewed-session.js'
import type { ReviewedStage } from './reviewed-stage.js'

/** Writes a session's verdicts and answers to the ledger, intents and policy, and its commits to the disk. */
export class SessionEffects implements ReviewEffects {
  constructor(
    private readonly session: ReviewedSession,
    private readonly stage: ReviewedStage,
  ) {}

  reviewer(): Reviewer {
    return gitUser(this.session.layout.root)
  }

  async recordVerdict({ verdict, paths, hunks, reason, by, id, rule }: Verdict): Promise<void> {
    assertInPlace(this.session.layout)
    await this.session.ledger.append([
      newDraft({
        type: 'verdict',
        intent: null,
        session: this.session.sessionId,
        verdict,
        paths,
        reviewer: by,
        ...defined({ words: reason }),
        data: { verdict_id: id, ...defined({ hunks, rule }) },
      }),
    ])
  }

  applyAnswer(question: Question, record: AnswerRecord): Promise<void> {
    return applyAnswer(this.session, question, record)
  }

  keepsApprovalOnMerge(): boolean {
    const state = this.session.policyFile()
    return state.ok && state.rules.settings.autoMerge
  }

  criteria(changes: readonly StagedChange[]): readonly Criterion[] {
    return criteriaOf(this.session.intents.state(), changes)
  }

  async recordLanded(changes: readonly StagedChange[], landing: ApprovedLanding): Promise<void> {
    const { recordLanding } = await import('./record-landing.js')
    await recordLanding(this.session, this.stage.takeReading(), changes, landing)
  }

  async commit(changes: readonly StagedChange[], commit: ApprovedCommit): Promise<CommitResult> {
    await this.session.versions.recordManualEdits()
    try {
      return await commitSession(this.session, this.stage.takeReading(), changes, commit)
    } finally {
      // The commit is done either way. An open session that cannot ingest it now retries at its next call.
      await this.session.ingestCommit().catch(() => undefined)
    }
  }
}
