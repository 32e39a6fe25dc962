import { TurnStateMachine } from '../../src/hooks/turn-state.js'
import { code, fence, table } from './markdown.js'

/** The states and transitions of a turn, found by driving the state machine. */

type Event = 'startTurn' | 'onIntentSelected' | 'allowAction' | 'block' | 'resetToContextLoaded' | 'forget'

const SEND: Readonly<Record<Event, (machine: TurnStateMachine) => void>> = {
  startTurn: (machine) => machine.startTurn('it'),
  onIntentSelected: (machine) => machine.onIntentSelected('it', 'INT-001'),
  allowAction: (machine) => machine.allowAction('it'),
  block: (machine) => machine.block('it'),
  resetToContextLoaded: (machine) => machine.resetToContextLoaded('it'),
  forget: (machine) => machine.forget('it'),
}
const EVENTS = Object.keys(SEND).filter((name): name is Event => name in SEND)

/** Methods that change nothing. */
const QUESTIONS = ['stateOf', 'canExecuteWrite']

/** Methods of the state machine that this file does not list. A new event would be missing in the tables. */
export function unknownEvents(): string[] {
  const methods = Object.getOwnPropertyNames(TurnStateMachine.prototype)
  return methods.filter((name) => name !== 'constructor' && !QUESTIONS.includes(name) && !(name in SEND))
}

interface Turn {
  /** The state, with a suffix if no intent is known. */
  readonly name: string
  readonly mayWrite: boolean
  readonly events: readonly Event[]
}

function replayEvents(events: readonly Event[]): Turn {
  const machine = new TurnStateMachine()
  for (const event of events) SEND[event](machine)
  const state = machine.stateOf('it')
  const mayWrite = machine.canExecuteWrite('it')
  machine.resetToContextLoaded('it')
  const isBare = state === 'BLOCKED' && machine.stateOf('it') !== 'CONTEXT_LOADED'
  return { name: isBare ? `${state}_WITHOUT_INTENT` : state, mayWrite, events: events }
}

export interface Transition {
  readonly from: string
  readonly event: Event
  readonly to: string
}

/** Finds all states and transitions that a new conversation can reach. */
export function explore(): { readonly turns: readonly Turn[]; readonly transitions: readonly Transition[] } {
  const turns = [replayEvents([])]
  const transitions: Transition[] = []
  for (const turn of turns)
    for (const event of EVENTS) {
      const next = replayEvents([...turn.events, event])
      transitions.push({ from: turn.name, event, to: next.name })
      if (!turns.some(({ name }) => name === next.name)) turns.push(next)
    }
  return { turns, transitions }
}

/** Draws the transitions that change the state. A new turn can start in every state, so it is only in the table. */
export function turnDiagram(): string {
  const { turns, transitions } = explore()
  const [first] = turns
  const drawn = transitions.filter(({ from, to, event }) => from !== to && event !== 'startTurn' && event !== 'forget')
  const labels = new Map<string, string[]>()
  for (const { from, to, event } of drawn) {
    const arrow = `${from} --> ${to}`
    labels.set(arrow, [...(labels.get(arrow) ?? []), event])
  }
  const arrows = [...labels].map(([arrow, events]) => `    ${arrow}: ${events.join(', ')}`)
  return fence('mermaid', ['stateDiagram-v2', `    [*] --> ${first?.name}`, ...arrows].join('\n'))
}

export function turnTable(): string {
  const { turns, transitions } = explore()
  const rows = turns.map(({ name, mayWrite }) => [
    code(name),
    mayWrite ? 'yes' : 'no',
    ...EVENTS.map((event) => {
      const to = transitions.find((each) => each.from === name && each.event === event)?.to ?? ''
      return to === name ? '–' : code(to)
    }),
  ])
  return table(['state', 'a destructive tool runs', ...EVENTS.map(code)], rows)
}
