import type * as vscode from 'vscode'
import { Moved } from './decide.js'
import type { Desk } from './desk.js'
import type { Editors } from './editors.js'
import { commit, undo } from './landing.js'
import { type Decidable, isDecidable, isNode, type Node, type SessionNode, sessionNodes } from './nodes.js'
import { told } from './person.js'
import { ask } from './questions.js'
import { approve, discard, reject } from './verdicts.js'

const SHOW = 'Show what is there now'

/** Everything a person can do; each command is declared in package.json, and no other is. */
export function commandsOf(api: typeof vscode, desk: Desk, editors: Editors) {
  const verdict =
    (give: (api: typeof vscode, nodes: readonly Decidable[]) => Promise<void>) =>
    async (given: unknown, all: unknown) =>
      give(api, decidables(api, editors, given, all))
  const atCursor = (give: (api: typeof vscode, nodes: readonly Decidable[]) => Promise<void>) => async () =>
    give(api, [hunkAtCursor(api, editors)])
  const forSession = (work: (node: SessionNode) => Promise<void>) => async (given: unknown) => {
    const node = await sessionFor(api, desk, given)
    if (node !== undefined) await work(node)
  }
  return {
    'escrowfs.refresh': () => desk.refresh(),
    'escrowfs.open': async (given: unknown) => {
      if (isNode(given) && (given.kind === 'change' || given.kind === 'hunk')) await editors.open(given)
    },
    'escrowfs.openAll': forSession(({ look }) => editors.openAll(look)),
    'escrowfs.approve': verdict(approve),
    'escrowfs.reject': verdict(reject),
    'escrowfs.discard': verdict(discard),
    'escrowfs.approveHunk': atCursor(approve),
    'escrowfs.rejectHunk': atCursor(reject),
    'escrowfs.discardHunk': atCursor(discard),
    'escrowfs.commit': forSession((node) => commit(api, node)),
    'escrowfs.undo': async () => {
      const undone = await undo(api, desk.rooms)
      await desk.look()
      const look = undone?.room.looks.find(({ summary }) => summary.id === undone.session)
      if (look !== undefined) await editors.openAll(look)
    },
    'escrowfs.answer': async (given: unknown) => {
      if (isNode(given) && given.kind === 'question') await ask(api, given)
    },
  }
}

/** Runs a command; what fails is said, and what moved can be looked at. Whatever became of it, the tree shows it. */
export async function runCommand(
  api: typeof vscode,
  desk: Desk,
  editors: Editors,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
    await desk.look()
  } catch (error) {
    await desk.look().catch(() => undefined)
    if (error instanceof Moved) await showMoved(api, desk, editors, error)
    else void api.window.showErrorMessage(plain(desk, told(error)))
  }
}

async function showMoved(
  api: typeof vscode,
  desk: Desk,
  editors: Editors,
  { message, path, node }: Moved,
): Promise<void> {
  if ((await api.window.showWarningMessage(plain(desk, message), SHOW)) !== SHOW) return
  const { room, summary } = node.look
  const look = room.looks.find(({ summary: { id } }) => id === summary.id)
  const change = look?.set.changes.find((each) => each.path === path)
  if (look !== undefined && change !== undefined) await editors.open({ kind: 'change', look, change })
}

function plain(desk: Desk, text: string): string {
  return desk.rooms[0]?.library.editor.plainName(text) ?? text
}

/** What a verdict is about: nodes of the tree, or the document of an editor. */
function decidables(api: typeof vscode, editors: Editors, given: unknown, all: unknown): Decidable[] {
  const nodes: unknown[] = Array.isArray(all) && all.length > 0 ? all : [given]
  const found = nodes.filter((node): node is Node => isNode(node)).filter(isDecidable)
  if (found.length > 0) return found
  const uri = given instanceof api.Uri ? given : api.window.activeTextEditor?.document.uri
  const change = uri && editors.changeOf(uri)
  if (change === undefined) throw new Error('Choose a staged change in the view, or open one.')
  return [change]
}

function hunkAtCursor(api: typeof vscode, editors: Editors): Decidable {
  const active = api.window.activeTextEditor
  const part = active && editors.hunkAt(active.document.uri, active.selection.active.line)
  if (part === undefined) throw new Error('Put the cursor into a hunk of a staged change.')
  return part
}

/** The session of a node; without one the person is asked, where there are several. */
async function sessionFor(api: typeof vscode, desk: Desk, given: unknown): Promise<SessionNode | undefined> {
  if (isNode(given)) return { kind: 'session', look: given.look }
  const nodes = sessionNodes(desk.looks)
  if (nodes.length <= 1) return nodes[0]
  const items = nodes.map((node) => ({ label: node.look.summary.id, description: node.look.room.root, node }))
  return (await api.window.showQuickPick(items, { placeHolder: 'Which session?' }))?.node
}
