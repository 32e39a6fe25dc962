import type * as vscode from 'vscode'
import type { ReviewedWorkspace } from './reviewed-workspace.js'

/** The question to a person before a decision. */
export interface DecisionPrompt {
  readonly what: string
  /** The details, line by line. With them a modal always asks; without them only if policy requires a person. */
  readonly detail?: readonly string[]
  /** The button of the modal. */
  readonly yes?: string
}

/**
 * Checks that a person may decide. Throws if the editor runs in an agent's session. If policy has
 * `approval: { by: person }`, a modal asks: other extensions can run our commands, and cannot answer it.
 * @returns false if the person did not confirm
 */
export async function mayDecide(
  api: typeof vscode,
  reviewed: ReviewedWorkspace,
  { what, detail, yes = 'Yes' }: DecisionPrompt,
): Promise<boolean> {
  refuseAgents(reviewed)
  if (detail !== undefined) return confirmInModal(api, reviewed, what, detail, yes)
  return (
    !requiresPerson(reviewed) ||
    confirmInModal(api, reviewed, what, ['The policy asks that a person decides this.'], yes)
  )
}

/** @throws if the editor runs in an agent's session */
export function refuseAgents({ library, root }: ReviewedWorkspace): void {
  library.escrow.admitReviewer(root, { terminal: true })
}

function requiresPerson({ library, root }: ReviewedWorkspace): boolean {
  try {
    library.escrow.admitReviewer(root, { terminal: false })
    return false
  } catch (error) {
    if (reasonOf(error) !== 'access_denied') throw error
    return true
  }
}

/** Asks in a modal. */
export async function confirmInModal(
  api: typeof vscode,
  reviewed: ReviewedWorkspace,
  what: string,
  detail: readonly string[],
  yes: string,
): Promise<boolean> {
  const { plainName } = reviewed.library.editor
  const options = { modal: true, detail: detail.map(plainName).join('\n') }
  return (await api.window.showWarningMessage(plainName(what), options, yes)) === yes
}

/** Asks for a reason for the agent. Undefined cancels the action. */
export async function askReason(api: typeof vscode, prompt: string): Promise<string | undefined> {
  const words = await api.window.showInputBox({ prompt, ignoreFocusOut: true })
  return words === undefined || words.trim() === '' ? undefined : words
}

export function reasonOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'reason' in error ? error.reason : undefined
}

/** The message of an error with its hint. */
export function errorText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  const hint = typeof error === 'object' && error !== null && 'hint' in error ? error.hint : undefined
  return typeof hint === 'string' ? `${message} ${hint}` : message
}
