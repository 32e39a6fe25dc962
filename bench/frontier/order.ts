/** The input of `inside.ts`, and its output. */

export type Command = string | readonly string[]

export interface Order {
  readonly policy: string
  readonly command: Command
  /** Whether a person allows what policy asks about, and commits the result. */
  readonly answers: boolean
  /** Whether the agent requests the network, if policy can allow it. */
  readonly network: boolean
  /** Seconds. */
  readonly limit: number
}

export interface Report {
  readonly questions: number
  /** Effects and calls that were refused, with their reasons. */
  readonly refused: readonly string[]
}

export const INTENTS = `active_intent_id: INT-001
active_intents:
  - { id: INT-001, name: Any work, status: IN_PROGRESS, owned_scope: ["**"] }
`

/** The policies that are compared. */
export const POLICIES: Readonly<Record<string, string>> = {
  strict: 'terminal: { classes: { destructive: ask, network: deny, other: ask } }\n',
  default: '{}\n',
  loose: 'terminal: { network: true, classes: { destructive: allow, network: allow, other: allow } }\n',
}
