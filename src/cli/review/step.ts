import type { Effect, Message, State } from './state.js'

/** The next state, and the effects to run. */
export interface Step {
  readonly state: State
  readonly effects: readonly Effect[]
}

export function step(state: State, ...effects: Effect[]): Step {
  return { state, effects }
}

export function showMessage(state: State, text: string, kind: Message['kind'] = 'info'): State {
  return { ...state, message: { text, kind } }
}
