/** State that several parts of a session share. Each field has one writer; the other parts read it. */
export interface SessionState {
  /** The intent the session works under. Written by `SessionIntent`. */
  intentId: string | undefined
  /** The author number of the current agent's edits. Written by `SessionAgent`. */
  author: number
  /** Written by `LocalSession.close`. */
  closed: boolean
}

export function newState(): SessionState {
  return { intentId: undefined, author: 0, closed: false }
}
