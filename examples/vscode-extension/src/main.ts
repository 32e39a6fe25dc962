import * as vscode from 'vscode'
import { openRooms } from './extension.js'

let close: (() => Promise<void>) | undefined

/** Called by the editor when a workspace with `.orchestration` is opened, or a command of ours is run. */
export async function activate(context: vscode.ExtensionContext): Promise<void> {
  close = await openRooms(vscode, context)
}

/** Called by the editor before it ends. */
export async function deactivate(): Promise<void> {
  await close?.()
  close = undefined
}
