import type { Intent, IntentStatus } from './api.js'
import type { Denial } from './denials.js'
import { nearest } from './nearest.js'

/** The present content of the registry file. `version` increases with each change of the file. */
export type IntentsState =
  | {
      readonly ok: true
      readonly version: number
      readonly intents: ReadonlyMap<string, Intent>
      /** The file's `active_intent_id`, if any. */
      readonly activeIntentId?: string
      /** The first line of each intent in the file, counted from 1. */
      readonly lines?: ReadonlyMap<string, number>
      /** The intents that a line of `.intentignore` disables. */
      readonly ignored?: ReadonlySet<string>
      /** The other lines of `.intentignore`: patterns of paths that need no intent. */
      readonly freePaths?: readonly string[]
      /** The patterns accepted on this machine, if they differ. A path must match both lists to need no intent. */
      readonly acceptedFreePaths?: readonly string[]
      /** Intents in the file that no person has accepted on this machine. They cannot be selected. */
      readonly waiting?: ReadonlySet<string>
    }
  | {
      readonly ok: false
      readonly version: number
      readonly reason: 'policy_invalid' | 'no_orchestration'
      /** Relative to the root. */
      readonly file: string
      readonly line?: number
      readonly column?: number
      /** A sentence with the file, the position, the error and its fix. */
      readonly message: string
    }

export const INIT_HINT =
  'This workspace declares no intents. Ask a person to run `escrow init`, then `escrow intents add`.'

const SELECTABLE: ReadonlySet<IntentStatus> = new Set<IntentStatus>(['DRAFT', 'PENDING', 'IN_PROGRESS'])

/** The statuses in which a dependency counts as done. */
const DONE: ReadonlySet<IntentStatus> = new Set<IntentStatus>(['COMPLETED', 'ARCHIVED'])

/** Returns the ids that an agent can select, in the file's order. */
export function selectableIds(state: IntentsState): string[] {
  if (!state.ok) return []
  return [...state.intents.values()].filter((intent) => !blocksAll(state, intent)).map(({ id }) => id)
}

/** Returns why an intent cannot be selected or used for writes now; undefined if it can. */
export function selectable(state: IntentsState, id: string): Denial | undefined {
  if (!state.ok && state.reason === 'policy_invalid') {
    return { reason: 'policy_invalid', message: state.message, file: state.file }
  }
  const intent = state.ok ? state.intents.get(id) : undefined
  if (!state.ok || !intent) return unknownIntent(state, id)
  const found = blocksAll(state, intent)
  if (!found) return undefined
  return { reason: found.reason, intentId: id, message: `${found.message} ${choice(state)}`, hint: hintOf(state) }
}

function blocksAll(
  state: Extract<IntentsState, { ok: true }>,
  { id, status, dependsOn }: Intent,
): Pick<Denial, 'reason' | 'message'> | undefined {
  if (state.ignored?.has(id)) {
    const message = `Intent Ignored: ${id} (${status}) is switched off by a line in .intentignore.`
    return { reason: 'intent_ignored', message }
  }
  if (!SELECTABLE.has(status)) return { reason: 'intent_not_active', message: `Intent Not Active: ${id} is ${status}.` }
  const open = dependsOn.find((other) => !DONE.has(state.intents.get(other)?.status ?? 'PENDING'))
  if (open === undefined) return undefined
  const word = state.intents.get(open)?.status ?? 'not declared'
  return { reason: 'intent_not_active', message: `Intent Not Active: ${id} depends on ${open}, which is ${word}.` }
}

function notTrusted(state: IntentsState, id: string): Denial {
  const message = `Not Trusted: no person has accepted intent ${id} of .orchestration/active_intents.yaml on this machine. ${choice(state)}`
  return { reason: 'not_trusted', intentId: id, message, hint: TRUST_HINT }
}

export const TRUST_HINT = "Ask a person to run 'escrow trust', which shows the changed files and accepts them."

export function unknownIntent(state: IntentsState, id: string): Denial {
  if (state.ok && state.waiting?.has(id)) return notTrusted(state, id)
  const message = `Unknown Intent: ${id} is not declared in .orchestration/active_intents.yaml. ${choice(state)}`
  const meant = nearest(id, selectableIds(state))
  const question = meant === undefined ? '' : `Did you mean '${meant}'? `
  return { reason: 'unknown_intent', intentId: id, message, hint: question + hintOf(state) }
}

function choice(state: IntentsState): string {
  const ids = selectableIds(state)
  return ids.length === 0 ? 'No intent can be selected.' : `Intents that can be selected: ${ids.join(', ')}.`
}

function hintOf(state: IntentsState): string {
  if (!state.ok) return INIT_HINT
  if (selectableIds(state).length === 0 && state.waiting !== undefined) return TRUST_HINT
  return selectableIds(state).length === 0
    ? 'Ask a person to declare an intent with `escrow intents add`.'
    : 'Call select_active_intent with one of these ids.'
}
