import type * as vscode from 'vscode'
import type { Desk } from './desk.js'
import type { Node } from './nodes.js'
import { waiting } from './words.js'

/** What waits in all workspaces, in the status bar and on the view; nothing is shown where nothing does. */
export function showWhatWaits(api: typeof vscode, desk: Desk, view: vscode.TreeView<Node>): vscode.Disposable {
  const item = api.window.createStatusBarItem('escrowfs.waiting', api.StatusBarAlignment.Left, 10)
  item.name = 'Staged by agents'
  item.command = 'escrowfs.staged.focus'
  const show = () => {
    const undecided = desk.looks.flatMap(({ set }) => set.changes)
    const questions = desk.looks.flatMap(({ questions: open }) => open)
    const count = undecided.length + questions.length
    const text = waiting(undecided.length, questions.length)
    view.badge = count === 0 ? undefined : { value: count, tooltip: text }
    item.text = `$(inbox) ${text}`
    item.tooltip = `Staged, and not on disk: ${text}`
    if (count === 0) item.hide()
    else item.show()
  }
  return api.Disposable.from(item, desk.onDidChange(show))
}
