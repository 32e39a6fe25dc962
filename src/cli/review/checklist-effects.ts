import type { ChecklistItem } from '../../index.js'
import { detailsOf } from '../failure.js'
import { tickMessage } from './checklist-words.js'
import type { EffectRunnerDeps } from './runner-deps.js'

/** The sentences that apply now. If they cannot be read, a message says why and none are shown. */
export async function readChecklist({ review, dispatch }: EffectRunnerDeps): Promise<readonly ChecklistItem[]> {
  try {
    return await review.checklist()
  } catch (error) {
    dispatch({ is: 'message', message: { text: detailsOf(error).message, kind: 'failed' } })
    return []
  }
}

/** Ticks exactly the displayed text, or clears its tick. */
export async function tickSentence(
  deps: EffectRunnerDeps,
  { intentId, criterion, ticked }: ChecklistItem,
): Promise<void> {
  const { review, by, dispatch } = deps
  await review.tick(intentId, criterion, !ticked, by)
  const checklist = await review.checklist()
  dispatch({ is: 'ticked', checklist })
  dispatch({ is: 'message', message: { text: tickMessage(!ticked, checklist), kind: 'info' } })
}
