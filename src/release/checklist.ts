import type { StagedChange } from '../../overlay/index.js'
import type { ChecklistItem } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { IntentsState } from '../core/intents-state.js'
import { shellWord } from '../core/shell-word.js'
import type { PolicyState } from '../policy/index.js'
import type { Criterion } from '../review/index.js'

/**
 * The acceptance sentences of the intents that these changes are for.
 * @param state with the sentences as a person has accepted them on this machine
 * @throws EscrowError `policy_invalid` if the intents cannot be read
 */
export function criteriaOf(state: IntentsState, changes: readonly StagedChange[]): Criterion[] {
  const ids = new Set(changes.flatMap(({ intentId }) => intentId ?? []))
  if (ids.size === 0) return []
  if (!state.ok) throw new EscrowError(state.reason, state.message)
  return [...ids].sort().flatMap((intentId) => {
    const sentences = new Set(state.intents.get(intentId)?.acceptanceCriteria)
    return [...sentences].map((criterion, index) => ({ intentId, criterion, number: index + 1 }))
  })
}

/**
 * @throws EscrowError `unticked` if policy requires each sentence to be ticked, and one is not; `policy_invalid` if that cannot be
 * read
 */
export function refuseUnticked(policy: PolicyState, checklist: readonly ChecklistItem[], sessionId: string): void {
  const unticked = checklist.filter(({ ticked }) => !ticked)
  if (unticked.length === 0) return
  if (!policy.ok) throw new EscrowError('policy_invalid', policy.message)
  if (policy.rules.settings.checklist !== 'required') return
  const names = unticked.map(({ intentId, number, criterion }) => `${intentId} ${number}: ${JSON.stringify(criterion)}`)
  const message = `Nothing was committed: policy.yaml requires each acceptance sentence to be ticked. Not ticked: ${names.join('; ')}.`
  const numbers = unticked.map(({ intentId, number }) => `${shellWord(intentId)} ${number}`)
  throw new EscrowError('unticked', message, {
    hint: `Tick what you have seen to be true: 'escrow tick ${shellWord(sessionId)} ${numbers.join(' ')}'.`,
  })
}
