import { describe, expect, it } from 'vitest'
import { TurnState, TurnStateMachine } from '../../src/hooks/index.js'

const EVENTS = {
  start: (turns: TurnStateMachine, id: string) => turns.startTurn(id),
  select: (turns: TurnStateMachine, id: string) => turns.onIntentSelected(id, 'INT-001'),
  allow: (turns: TurnStateMachine, id: string) => turns.allowAction(id),
  block: (turns: TurnStateMachine, id: string) => turns.block(id),
  reset: (turns: TurnStateMachine, id: string) => turns.resetToContextLoaded(id),
  forget: (turns: TurnStateMachine, id: string) => turns.forget(id),
}
type Event = keyof typeof EVENTS

/** The states as a table: the next state for each event, with and without a selected intent. */
function expectedState(events: readonly Event[]): TurnState {
  let state: TurnState = 'AWAITING_INTENT_SELECTION'
  let selected = false
  for (const event of events) {
    if (event === 'start' || event === 'forget') [state, selected] = ['AWAITING_INTENT_SELECTION', false]
    else if (event === 'select') [state, selected] = ['CONTEXT_LOADED', true]
    else if (event === 'block') state = 'BLOCKED'
    else if (event === 'reset') state = selected ? 'CONTEXT_LOADED' : 'AWAITING_INTENT_SELECTION'
    else if (state === 'CONTEXT_LOADED') state = 'ACTION_ALLOWED'
  }
  return state
}

function* sequences(length: number): Generator<Event[]> {
  if (length === 0) yield []
  else
    for (const head of sequences(length - 1)) for (const event of Object.keys(EVENTS)) yield [...head, event as Event]
}

describe('TurnStateMachine', () => {
  it('lets a destructive tool run only in the two middle states, in every sequence of up to six events', () => {
    let count = 0
    for (let length = 0; length <= 6; length++) {
      for (const events of sequences(length)) {
        const turns = new TurnStateMachine()
        for (const event of events) EVENTS[event](turns, 'a')
        const state = turns.stateOf('a')
        const middle = state === TurnState.CONTEXT_LOADED || state === TurnState.ACTION_ALLOWED
        if (state !== expectedState(events) || turns.canExecuteWrite('a') !== middle)
          expect.fail(`${events.join(', ')} came to ${state}`)
        count++
      }
    }
    expect(count).toBe((6 ** 7 - 1) / 5)
  })

  it('separates conversations', () => {
    const turns = new TurnStateMachine()
    turns.onIntentSelected('a', 'INT-001')
    turns.block('b')
    expect([turns.stateOf('a'), turns.stateOf('b'), turns.stateOf('c')]).toEqual([
      'CONTEXT_LOADED',
      'BLOCKED',
      'AWAITING_INTENT_SELECTION',
    ])
  })
})
