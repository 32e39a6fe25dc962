import type * as vscode from 'vscode'
import type { Room } from './room.js'

/** What a person is asked before a decision. */
export interface Deciding {
  readonly what: string
  /** What is decided, line by line. With it a modal always asks; without it only where the policy wants a person. */
  readonly detail?: readonly string[]
  /** The button of the modal. */
  readonly yes?: string
}

/**
 * Whether whoever clicked may decide. Refused where the editor itself runs in an agent's session. Where policy says
 * `approval: { by: person }`, a modal asks: other extensions can run our commands, and cannot answer it.
 * @returns false where the person did not say yes
 */
export async function admitted(
  api: typeof vscode,
  room: Room,
  { what, detail, yes = 'Yes' }: Deciding,
): Promise<boolean> {
  refuseAgents(room)
  if (detail !== undefined) return confirmed(api, room, what, detail, yes)
  return !wantsPerson(room) || confirmed(api, room, what, ['The policy asks that a person decides this.'], yes)
}

/** @throws where the editor itself runs in an agent's session */
export function refuseAgents({ library, root }: Room): void {
  library.escrow.admitReviewer(root, { terminal: true })
}

function wantsPerson({ library, root }: Room): boolean {
  try {
    library.escrow.admitReviewer(root, { terminal: false })
    return false
  } catch (error) {
    if (reasonOf(error) !== 'access_denied') throw error
    return true
  }
}

/** Asks in a modal. */
export async function confirmed(
  api: typeof vscode,
  room: Room,
  what: string,
  detail: readonly string[],
  yes: string,
): Promise<boolean> {
  const { plainName } = room.library.editor
  const options = { modal: true, detail: detail.map(plainName).join('\n') }
  return (await api.window.showWarningMessage(plainName(what), options, yes)) === yes
}

/** Words for the agent; undefined where there are none, and nothing is to be done then. */
export async function wordsFor(api: typeof vscode, prompt: string): Promise<string | undefined> {
  const words = await api.window.showInputBox({ prompt, ignoreFocusOut: true })
  return words === undefined || words.trim() === '' ? undefined : words
}

export function reasonOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined
}

/** An error in words: what happened, and what to do. */
export function told(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const hint = typeof error === 'object' && error !== null && 'hint' in error ? error.hint : undefined
  return typeof hint === 'string' ? `${message} ${hint}` : message
}
