import type * as vscode from 'vscode'
import { describeCounts } from './labels.js'
import type { Node } from './nodes.js'
import type { ReviewModel } from './review-model.js'

/** Shows the numbers of changes and questions in the status bar and on the view. Hides them at 0. */
export function showStatus(api: typeof vscode, model: ReviewModel, view: vscode.TreeView<Node>): vscode.Disposable {
  const item = api.window.createStatusBarItem('escrowfs.waiting', api.StatusBarAlignment.Left, 10)
  item.name = 'Staged by agents'
  item.command = 'escrowfs.staged.focus'
  const show = () => {
    const undecided = model.sessions.flatMap(({ set }) => set.changes)
    const questions = model.sessions.flatMap(({ questions: open }) => open)
    const count = undecided.length + questions.length
    const text = describeCounts(undecided.length, questions.length)
    view.badge = count === 0 ? undefined : { value: count, tooltip: text }
    item.text = `$(inbox) ${text}`
    item.tooltip = `Staged, and not on disk: ${text}`
    if (count === 0) item.hide()
    else item.show()
  }
  return api.Disposable.from(item, model.onDidChange(show))
}
