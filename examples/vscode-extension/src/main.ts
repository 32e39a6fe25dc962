import * as vscode from 'vscode'
import { activateReview } from './extension.js'

let close: (() => Promise<void>) | undefined

/** The editor calls this when a workspace with `.orchestration` opens, or one of our commands runs. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  close = await activateReview(vscode, context)
}

/** The editor calls this before it exits. */
export async function deactivate(): Promise<void> {
  await close?.()
  close = undefined
}
