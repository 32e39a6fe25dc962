/** Facts of a session that several of its parts share. Each field has one writer; the other parts read it. */
export interface SessionState {
  /** The intent the session works under. Written by `SessionIntent`. */
  intentId: string | undefined
  /** The number by which edits are credited to the agent at work. Written by `SessionAgent`. */
  author: number
  /** Written by `LocalSession.close`. */
  closed: boolean
}

export function newState(): SessionState {
  return { intentId: undefined, author: 0, closed: false }
}
