import type { SessionState } from '../surface/index.js'

/** Describes when a session's agent gets the reviewer's words. */
export function describeDelivery(state: SessionState): string {
  return DELIVERY[state]
}

const DELIVERY: Readonly<Record<SessionState, string>> = {
  served: 'The agent gets your words with its next call.',
  held: "The agent gets your words with its next call. In 'escrow run' this needs escrow's hooks in the client; 'escrow doctor' lists the clients that have them.",
  'at rest': 'The agent gets your words with the next call in this session.',
}
