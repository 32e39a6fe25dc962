/** Where a conversation's turn stands. */
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
 * The states of each conversation's turn. Invariant: a destructive tool runs in CONTEXT_LOADED and ACTION_ALLOWED only.
 * An event that a state does not take leaves it as it is. A conversation never heard of awaits its intent.
 */
export class TurnStateMachine {
  readonly #turns = new Map<string, Turn>()

  stateOf(conversationId: string): TurnState {
    return this.#of(conversationId).state
  }

  startTurn(conversationId: string): void {
    this.#turns.set(conversationId, AWAITING)
  }

  onIntentSelected(conversationId: string, intentId: string): void {
    this.#turns.set(conversationId, { state: TurnState.CONTEXT_LOADED, intentId })
  }

  canExecuteWrite(conversationId: string): boolean {
    const { state } = this.#of(conversationId)
    return state === TurnState.CONTEXT_LOADED || state === TurnState.ACTION_ALLOWED
  }

  allowAction(conversationId: string): void {
    if (!this.canExecuteWrite(conversationId)) return
    this.#turns.set(conversationId, { ...this.#of(conversationId), state: TurnState.ACTION_ALLOWED })
  }

  block(conversationId: string): void {
    this.#turns.set(conversationId, { ...this.#of(conversationId), state: TurnState.BLOCKED })
  }

  /** After an action, or once a refusal is dealt with. Where no intent was selected it goes back to waiting for one. */
  resetToContextLoaded(conversationId: string): void {
    const { intentId } = this.#of(conversationId)
    if (intentId === undefined) this.startTurn(conversationId)
    else this.onIntentSelected(conversationId, intentId)
  }

  /** The conversation is over. */
  forget(conversationId: string): void {
    this.#turns.delete(conversationId)
  }

  #of(conversationId: string): Turn {
    return this.#turns.get(conversationId) ?? AWAITING
  }
}
