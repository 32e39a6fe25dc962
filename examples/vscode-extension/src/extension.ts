import { join } from 'node:path'
import type * as vscode from 'vscode'
import { commandsOf, runCommand } from './commands.js'
import { Editors } from './editors.js'
import { LastVerdict } from './last-verdict.js'
import { hunkLenses } from './lenses.js'
import { type Library, loadLibrary } from './library.js'
import { errorText } from './person.js'
import { ask, askNewQuestions } from './questions.js'
import { ReviewModel } from './review-model.js'
import { showStatus } from './status.js'
import { stagedTree } from './tree.js'

/**
 * Activates the review in an editor.
 * @param api the `vscode` module
 * @returns a function that closes all workspaces and resolves when they are closed
 */
export async function activateReview(
  api: typeof vscode,
  context: vscode.ExtensionContext,
): Promise<() => Promise<void>> {
  const bundledDir = context.asAbsolutePath(join('dist', 'escrowfs'))
  const own = await loadLibrary(bundledDir)
  const onError = (error: unknown) => void api.window.showErrorMessage(own.editor.plainName(errorText(error)))
  const model = new ReviewModel(api, (folder) => libraryOf(api, own, bundledDir, folder), onError)
  const sides = own.editor.stagedSides<vscode.Uri>(api, () => model.workspaces.map(({ workspace }) => workspace))
  const editors = new Editors(api, model, sides, own.editor)
  const view = api.window.createTreeView('escrowfs.staged', {
    treeDataProvider: stagedTree(api, model),
    canSelectMany: true,
    showCollapseAll: true,
  })
  const run = (work: () => Promise<void>) => runCommand(api, model, editors, work)
  const commands = Object.entries<(...given: unknown[]) => Promise<void>>(
    commandsOf({ api, model, editors, last: new LastVerdict(), selected: () => view.selection }),
  )
  context.subscriptions.push(
    view,
    sides,
    showStatus(api, model, view),
    askNewQuestions(model, (node) => void run(() => ask(api, node))),
    api.languages.registerCodeLensProvider({ scheme: own.editor.STAGED_SCHEME }, hunkLenses(api, model, editors)),
    api.workspace.onDidChangeWorkspaceFolders(() => model.refresh().catch(onError)),
    ...commands.map(([name, work]) => api.commands.registerCommand(name, (...given) => run(() => work(...given)))),
  )
  await model.refresh()
  return () => model.close()
}

/** The library for a folder. A workspace's copy runs code of the workspace, so only a machine setting can choose it. */
async function libraryOf(api: typeof vscode, own: Library, bundledDir: string, folder: string): Promise<Library> {
  const wanted = api.workspace.getConfiguration('escrowfs').get<string>('library')
  return wanted === 'workspace' ? loadLibrary(bundledDir, folder) : own
}
