import type { SessionState } from '../surface/index.js'

/** The text that an agent gets from its reviewer: of a rejection, or of a question. */
export type Delivered = 'the reason' | 'your answer'

/** Describes when a session's agent gets a reviewer's text. */
export function describeDelivery(state: SessionState, what: Delivered): string {
  return `The agent gets ${what} with its next call${DELIVERY[state]}`
}

const DELIVERY: Readonly<Record<SessionState, string>> = {
  served: '.',
  held: ". In 'escrow run' this needs escrow's hooks in the client; 'escrow doctor' lists the clients that have them.",
  'at rest': ' in this session.',
}
