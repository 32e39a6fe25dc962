import { join } from 'node:path'
import type * as vscode from 'vscode'
import { commandsOf, runCommand } from './commands.js'
import { Desk } from './desk.js'
import { Editors } from './editors.js'
import { LastVerdict } from './given.js'
import { hunkLenses } from './lenses.js'
import { type Library, loadLibrary } from './library.js'
import { told } from './person.js'
import { ask, askAtOnce } from './questions.js'
import { showWhatWaits } from './status.js'
import { stagedTree } from './tree.js'

/**
 * Puts the review rooms into an editor.
 * @param api the `vscode` module, handed in
 * @returns what closes them; it resolves once no workspace is held open
 */
export async function openRooms(api: typeof vscode, context: vscode.ExtensionContext): Promise<() => Promise<void>> {
  const brought = context.asAbsolutePath(join('dist', 'escrowfs'))
  const own = await loadLibrary(brought)
  const failed = (error: unknown) => void api.window.showErrorMessage(own.editor.plainName(told(error)))
  const desk = new Desk(api, (folder) => libraryOf(api, own, brought, folder), failed)
  const sides = own.editor.stagedSides<vscode.Uri>(api, () => desk.rooms.map(({ workspace }) => workspace))
  const editors = new Editors(api, desk, sides, own.editor)
  const view = api.window.createTreeView('escrowfs.staged', {
    treeDataProvider: stagedTree(api, desk),
    canSelectMany: true,
    showCollapseAll: true,
  })
  const run = (work: () => Promise<void>) => runCommand(api, desk, editors, work)
  const commands = Object.entries<(...given: unknown[]) => Promise<void>>(
    commandsOf({ api, desk, editors, last: new LastVerdict(), selected: () => view.selection }),
  )
  context.subscriptions.push(
    view,
    sides,
    showWhatWaits(api, desk, view),
    askAtOnce(desk, (node) => void run(() => ask(api, node))),
    api.languages.registerCodeLensProvider({ scheme: own.editor.STAGED_SCHEME }, hunkLenses(api, desk, editors)),
    api.workspace.onDidChangeWorkspaceFolders(() => desk.refresh().catch(failed)),
    ...commands.map(([name, work]) => api.commands.registerCommand(name, (...given) => run(() => work(...given)))),
  )
  await desk.refresh()
  return () => desk.close()
}

/** A workspace's own copy runs code of the workspace, so no setting of a workspace's can choose it (its scope is the machine). */
async function libraryOf(api: typeof vscode, own: Library, brought: string, folder: string): Promise<Library> {
  const wanted = api.workspace.getConfiguration('escrowfs').get<string>('library')
  return wanted === 'workspace' ? loadLibrary(brought, folder) : own
}
