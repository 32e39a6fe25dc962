import type * as vscode from 'vscode'
import type { Room } from './room.js'

/**
 * Whether who clicked may decide. Refused where the editor itself runs in an agent's session. Where policy says
 * `approval: { by: person }`, a modal asks once more: other extensions can run our commands, and cannot answer it.
 * @returns false where the person did not say yes
 */
export async function admitted(api: typeof vscode, room: Room, what: string): Promise<boolean> {
  const { admitReviewer } = room.library.escrow
  admitReviewer(room.root, { terminal: true })
  try {
    admitReviewer(room.root, { terminal: false })
    return true
  } catch (error) {
    if (reasonOf(error) !== 'access_denied') throw error
    return confirmed(api, room, what, 'Policy wants a person for this.', 'Yes')
  }
}

/** Asks in a modal. */
export async function confirmed(
  api: typeof vscode,
  room: Room,
  what: string,
  detail: string,
  yes: string,
): Promise<boolean> {
  const { plainName } = room.library.editor
  const options = { modal: true, detail: plainName(detail) }
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
