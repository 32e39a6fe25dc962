import type { Verdict } from '../core/api.js'
import type { ReleaseRule } from '../core/release-api.js'
import type { BaseDiffs } from './base-diffs.js'
import { type DisplayedChange, refuseChanged } from './displayed-change.js'
import type { ReviewLog } from './log.js'
import { verdictOf } from './record.js'
import type { ReviewRecord } from './record-schema.js'
import type { ReviewEffects, ReviewStage } from './review-stage.js'
import { verdictRecord } from './verdict-record.js'
import { stateOf, verdictState } from './verdicts.js'

/** The approvals of a session now. */
export interface Approvals {
  /** By path: changes that a rule approved as a whole. */
  readonly byRule: ReadonlyMap<string, Verdict>
  /** Paths of changes that a person approved, or some of their hunks. */
  readonly byPerson: readonly string[]
}

/** Approvals by a rule of policy, without a person. A person's verdict overrides them. */
export class RuleApprovals {
  constructor(
    private readonly log: ReviewLog,
    private readonly stage: ReviewStage,
    private readonly diffs: BaseDiffs,
    private readonly effects: Pick<ReviewEffects, 'recordVerdict'>,
  ) {}

  records(): readonly ReviewRecord[] {
    return this.log.read()
  }

  /**
   * Approves changes as they were displayed.
   * @param since the records that the decision was based on
   * @returns undefined if somebody has recorded a verdict since: then nothing is approved
   * @throws EscrowError `stale_file` for a change that differs from the displayed one
   */
  async approve(
    changes: readonly DisplayedChange[],
    rule: ReleaseRule,
    since: readonly ReviewRecord[],
  ): Promise<Verdict | undefined> {
    const chosen = changes.map((change) => ({ change }))
    refuseChanged(chosen, await this.stage.changes(), this.diffs)
    const record = verdictRecord('approved', chosen, { name: `policy: ${rule.tier}` }, { rule })
    const verdict = verdictOf(record)
    const isFirst = await this.log.appendAfter(since, record, () => this.effects.recordVerdict(verdict))
    return isFirst ? verdict : undefined
  }

  async approvals(): Promise<Approvals> {
    const verdicts = verdictState(this.log.read())
    const byRule = new Map<string, Verdict>()
    const byPerson: string[] = []
    for (const change of await this.stage.changes()) {
      const { file, hunks } = verdicts.of(change)
      const approved = [file, ...hunks.values()].filter((verdict) => stateOf(verdict) === 'approved')
      if (approved.length === 0) continue
      if (file?.rule !== undefined && approved.every((verdict) => verdict === file)) byRule.set(change.path, file)
      else byPerson.push(change.path)
    }
    return { byRule, byPerson }
  }
}
