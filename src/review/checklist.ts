import { isDeepStrictEqual } from 'node:util'
import type { StagedChange } from '../../overlay/index.js'
import type { ChecklistItem } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { checkedReviewer, type Reviewer } from '../core/people.js'
import type { BaseDiffs } from './base-diffs.js'
import { commitSlicesOf } from './commit-slices.js'
import type { ReviewLog } from './log.js'
import { reviewerOf } from './record.js'
import type { ReviewRecord, TickRecord } from './record-schema.js'
import type { Criterion, ReviewEffects, ReviewStage } from './review-stage.js'
import { verdictState } from './verdicts.js'

/** The checklist of a session, for its reviewers to tick. */
export class ReviewChecklist {
  constructor(
    private readonly log: Pick<ReviewLog, 'read' | 'append'>,
    private readonly stage: Pick<ReviewStage, 'changes'>,
    private readonly diffs: BaseDiffs,
    private readonly effects: Pick<ReviewEffects, 'reviewer' | 'criteria'>,
  ) {}

  /** The sentences for the approved changes, or for all changes if none is approved. */
  async items(): Promise<ChecklistItem[]> {
    const staged = await this.stage.changes()
    const records = this.log.read()
    const approved = commitSlicesOf(staged, verdictState(records), this.diffs).map(({ change }) => change)
    return checklistOf(this.effects.criteria(approved.length > 0 ? approved : staged), records)
  }

  /** @throws EscrowError `nothing_selected` if no staged change is for an intent with this sentence */
  async tick(intentId: string, criterion: string, ticked: boolean, by: Reviewer | undefined): Promise<void> {
    const known: readonly StagedChange[] = await this.stage.changes()
    const isKnown = this.effects
      .criteria(known)
      .some((each) => each.intentId === intentId && each.criterion === criterion)
    if (!isKnown) throw noCriterion(intentId, criterion)
    const common = { id: newId(), at: new Date().toISOString(), entries: [] }
    const person = checkedReviewer(by ?? this.effects.reviewer())
    await this.log.append({ ...common, kind: 'tick', intent: intentId, criterion, ticked, by: person })
  }
}

function noCriterion(intentId: string, criterion: string): EscrowError {
  const message = `No staged change is for an intent ${intentId} with the acceptance sentence ${JSON.stringify(criterion)}.`
  return new EscrowError('nothing_selected', message, { hint: "'escrow tick SESSION' lists the sentences." })
}

/** The sentences, each with its tick after all records of a review log. */
export function checklistOf(criteria: readonly Criterion[], records: readonly ReviewRecord[]): ChecklistItem[] {
  const ticks = ticksIn(records)
  return criteria.map((each) => {
    const tick = ticks.get(keyOf(each.intentId, each.criterion))
    return { ...each, ticked: tick !== undefined, ...(tick && { by: reviewerOf(tick.by), at: tick.at }) }
  })
}

/** The ids of the ticks on these sentences. */
export function tickIdsOf(criteria: readonly Criterion[], records: readonly ReviewRecord[]): string[] {
  const ticks = ticksIn(records)
  return criteria.flatMap(({ intentId, criterion }) => ticks.get(keyOf(intentId, criterion))?.id ?? [])
}

/** The sentences without a tick; undefined if there are none. */
export function untickedOf(
  items: readonly ChecklistItem[],
): Pick<ChecklistItem, 'intentId' | 'criterion'>[] | undefined {
  const unticked = items.filter(({ ticked }) => !ticked)
  return unticked.length === 0 ? undefined : unticked.map(({ intentId, criterion }) => ({ intentId, criterion }))
}

/** @throws EscrowError `stale_file` if the checklist has changed since the commit began */
export function refuseNewTicks(was: readonly ChecklistItem[], now: readonly ChecklistItem[]): void {
  if (isDeepStrictEqual(was, now)) return
  throw new EscrowError('stale_file', 'Nothing was committed. The checklist changed during the commit.', {
    hint: "Look at it again with 'escrow tick SESSION', then commit.",
  })
}

/** The ticks in force: the latest on each sentence, unless it was cleared or a commit has recorded it. */
function ticksIn(records: readonly ReviewRecord[]): ReadonlyMap<string, TickRecord> {
  const ticks = new Map<string, TickRecord>()
  for (const record of records) {
    if (record.kind === 'tick' && record.ticked) ticks.set(keyOf(record.intent, record.criterion), record)
    else if (record.kind === 'tick') ticks.delete(keyOf(record.intent, record.criterion))
    else if (record.kind === 'committed') for (const id of record.ticks ?? []) spend(ticks, id)
  }
  return ticks
}

function spend(ticks: Map<string, TickRecord>, id: string): void {
  for (const [key, tick] of ticks) if (tick.id === id) ticks.delete(key)
}

function keyOf(intentId: string, criterion: string): string {
  return JSON.stringify([intentId, criterion])
}
