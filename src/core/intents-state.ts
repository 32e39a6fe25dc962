import type { Intent, IntentStatus } from './api.js'
import type { Denial } from './denials.js'

/** What the registry file says now. `version` rises with each change of the file. */
export type IntentsState =
  | {
      readonly ok: true
      readonly version: number
      readonly intents: ReadonlyMap<string, Intent>
      /** The file's own `active_intent_id`, where it has one. */
      readonly activeIntentId?: string
    }
  | {
      readonly ok: false
      readonly version: number
      readonly reason: 'policy_invalid' | 'no_orchestration'
      /** Relative to the root. */
      readonly file: string
      readonly line?: number
      readonly column?: number
      /** File, place, what is wrong and what to do; a whole sentence. */
      readonly message: string
    }

export const INIT_HINT =
  'This workspace declares no intents. A person runs `escrow init`, then declares one in .orchestration/active_intents.yaml.'

const SELECTABLE: ReadonlySet<IntentStatus> = new Set<IntentStatus>(['DRAFT', 'PENDING', 'IN_PROGRESS'])

/** The ids an agent can select, in the file's order. */
export function selectableIds(state: IntentsState): string[] {
  if (!state.ok) return []
  return [...state.intents.values()].filter((intent) => SELECTABLE.has(intent.status)).map((intent) => intent.id)
}

/** Why an intent cannot be selected, or be written under, now; undefined when it can. */
export function selectable(state: IntentsState, id: string): Denial | undefined {
  if (!state.ok && state.reason === 'policy_invalid') {
    return { reason: 'policy_invalid', message: state.message, file: state.file }
  }
  const intent = state.ok ? state.intents.get(id) : undefined
  if (!intent) return unknownIntent(state, id)
  if (SELECTABLE.has(intent.status)) return undefined
  const message = `Intent Not Active: ${id} is ${intent.status}. ${choice(state)}`
  return { reason: 'intent_not_active', intentId: id, message, hint: hintOf(state) }
}

export function unknownIntent(state: IntentsState, id: string): Denial {
  const message = `Unknown Intent: ${id} is not declared in .orchestration/active_intents.yaml. ${choice(state)}`
  return { reason: 'unknown_intent', intentId: id, message, hint: hintOf(state) }
}

function choice(state: IntentsState): string {
  const ids = selectableIds(state)
  return ids.length === 0 ? 'No intent can be selected.' : `Intents that can be selected: ${ids.join(', ')}.`
}

function hintOf(state: IntentsState): string {
  if (!state.ok) return INIT_HINT
  return selectableIds(state).length === 0
    ? 'Ask a person to declare an intent in .orchestration/active_intents.yaml.'
    : 'Call select_active_intent with one of these ids.'
}
