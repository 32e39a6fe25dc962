import type * as vscode from 'vscode'
import { Moved } from './decide.js'
import type { Desk } from './desk.js'
import type { Editors } from './editors.js'
import type { LastVerdict } from './given.js'
import { commit, undo } from './landing.js'
import { moveByFile, moveByHunk, moveToUndecided, positionIn } from './moves.js'
import { type Decidable, isDecidable, isNode, type Node, type SessionNode, sessionNodes } from './nodes.js'
import { told } from './person.js'
import { ask } from './questions.js'
import { approve, discard, reject, takeBack } from './verdicts.js'

const SHOW = 'Show what is there now'

/** What the commands work on. */
export interface Stage {
  readonly api: typeof vscode
  readonly desk: Desk
  readonly editors: Editors
  readonly last: LastVerdict
  /** The nodes that are selected in the view. */
  readonly selected: () => readonly Node[]
}

type Give = (api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict) => Promise<boolean>

/** Everything a person can do; each command is declared in package.json, and no other is. */
export function commandsOf(stage: Stage) {
  const { api, desk, editors, last } = stage
  const verdict = (give: Give) => async (given: unknown, all: unknown) => {
    await give(api, decidables(stage, given, all), last)
  }
  /** On the hunk at the cursor; by a key, the next one without a verdict is opened then. */
  const atCursor = (give: Give) => async (given: unknown) => {
    const byKey = isByKey(given)
    const [only, ...others] = byKey ? decidables(stage, given, undefined, 'hunk') : [hunkAtCursor(api, editors)]
    if (only === undefined) return
    if (!(await give(api, [only, ...others], last)) || !byKey || only.kind === 'session') return
    await desk.look()
    await moveToUndecided(api, desk, editors, only)
  }
  const forSession = (work: (node: SessionNode) => Promise<void>) => async (given: unknown) => {
    const node = await sessionFor(stage, given)
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
    'escrowfs.takeBack': async () => {
      const [part] = stage.selected().filter((node) => node.kind === 'change' || node.kind === 'hunk')
      await takeBack(api, positionIn(api, editors)?.part ?? part, last)
    },
    'escrowfs.next': () => moveByHunk(api, desk, editors, 1),
    'escrowfs.previous': () => moveByHunk(api, desk, editors, -1),
    'escrowfs.nextFile': () => moveByFile(api, desk, editors, 1),
    'escrowfs.previousFile': () => moveByFile(api, desk, editors, -1),
    'escrowfs.commit': forSession(async (node) => {
      await commit(api, node)
      last.forget()
    }),
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

/** The argument that package.json gives with a key. */
function isByKey(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'key' in given && given.key === true
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

/** What a verdict is about: nodes of the tree, the document of an editor, or for a key whichever of both has the focus. */
function decidables({ api, editors, selected }: Stage, given: unknown, all: unknown, part?: 'hunk'): Decidable[] {
  const nodes: unknown[] = Array.isArray(all) && all.length > 0 ? all : [given]
  const found = nodes.filter((node): node is Node => isNode(node)).filter(isDecidable)
  if (found.length > 0) return found
  const isTree = isByKey(given) && 'tree' in Object(given)
  if (isTree) {
    const chosen = selected().filter(isDecidable)
    if (chosen.length > 0) return chosen
  }
  const position = part === 'hunk' ? positionIn(api, editors)?.part : undefined
  if (position !== undefined) return [position]
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

/** The session of a node, or of the open document; else the person is asked, where there are several. */
async function sessionFor({ api, desk, editors, selected }: Stage, given: unknown): Promise<SessionNode | undefined> {
  const open = api.window.activeTextEditor?.document.uri
  const look = isNode(given) ? given.look : ((open && editors.lookOf(open)) ?? selected()[0]?.look)
  if (look !== undefined) return { kind: 'session', look }
  const nodes = sessionNodes(desk.looks)
  if (nodes.length <= 1) return nodes[0]
  const items = nodes.map((node) => ({ label: node.look.summary.id, description: node.look.room.root, node }))
  return (await api.window.showQuickPick(items, { placeHolder: 'Which session?' }))?.node
}
