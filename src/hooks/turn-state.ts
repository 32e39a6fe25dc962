/** The state of a conversation's turn. */
export const TurnState = {
  /** Only an intent can be selected; reads pass unless `gate.tools` is `all`. */
  AWAITING_INTENT_SELECTION: 'AWAITING_INTENT_SELECTION',
  /** An intent is active and the model has its context. */
  CONTEXT_LOADED: 'CONTEXT_LOADED',
  /** A destructive call passed every check and runs. */
  ACTION_ALLOWED: 'ACTION_ALLOWED',
  /** A call was refused. */
  BLOCKED: 'BLOCKED',
} as const

export type TurnState = keyof typeof TurnState

interface Turn {
  readonly state: TurnState
  readonly intentId?: string
}

const AWAITING: Turn = { state: TurnState.AWAITING_INTENT_SELECTION }

/**
 * The turn state of each conversation. Invariant: a destructive tool runs only in CONTEXT_LOADED and ACTION_ALLOWED. An event that a
 * state does not accept leaves it unchanged. An unknown conversation awaits its intent.
 */
export class TurnStateMachine {
  readonly #turns = new Map<string, Turn>()

  stateOf(conversationId: string): TurnState {
    return this.#turnOf(conversationId).state
  }

  startTurn(conversationId: string): void {
    this.#turns.set(conversationId, AWAITING)
  }

  onIntentSelected(conversationId: string, intentId: string): void {
    this.#turns.set(conversationId, { state: TurnState.CONTEXT_LOADED, intentId })
  }

  canExecuteWrite(conversationId: string): boolean {
    const { state } = this.#turnOf(conversationId)
    return state === TurnState.CONTEXT_LOADED || state === TurnState.ACTION_ALLOWED
  }

  allowAction(conversationId: string): void {
    if (!this.canExecuteWrite(conversationId)) return
    this.#turns.set(conversationId, { ...this.#turnOf(conversationId), state: TurnState.ACTION_ALLOWED })
  }

  block(conversationId: string): void {
    this.#turns.set(conversationId, { ...this.#turnOf(conversationId), state: TurnState.BLOCKED })
  }

  /** Call it after an action or a handled denial. Without a selected intent, the turn waits for one again. */
  resetToContextLoaded(conversationId: string): void {
    const { intentId } = this.#turnOf(conversationId)
    if (intentId === undefined) this.startTurn(conversationId)
    else this.onIntentSelected(conversationId, intentId)
  }

  /** Removes an ended conversation. */
  forget(conversationId: string): void {
    this.#turns.delete(conversationId)
  }

  #turnOf(conversationId: string): Turn {
    return this.#turns.get(conversationId) ?? AWAITING
  }
}
