import type * as vscode from 'vscode'
import { commit, undo } from './commit.js'
import { StaleChange } from './decide.js'
import type { Editors } from './editors.js'
import type { LastVerdict } from './last-verdict.js'
import { moveByFile, moveByHunk, moveToUndecided, positionIn } from './navigation.js'
import { type Decidable, isDecidable, isNode, type Node, type SessionNode, sessionNodes } from './nodes.js'
import { errorText } from './person.js'
import { ask } from './questions.js'
import type { ReviewModel } from './review-model.js'
import { approve, discard, reject, takeBack } from './verdicts.js'

const SHOW = 'Show what is there now'

/** The objects that commands use. */
export interface CommandContext {
  readonly api: typeof vscode
  readonly model: ReviewModel
  readonly editors: Editors
  readonly last: LastVerdict
  /** The nodes that are selected in the view. */
  readonly selected: () => readonly Node[]
}

type VerdictAction = (api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict) => Promise<boolean>

/** All commands of the extension. package.json declares exactly these. */
export function commandsOf(context: CommandContext) {
  const { api, model, editors, last } = context
  const verdict = (give: VerdictAction) => async (given: unknown, all: unknown) => {
    await give(api, decidables(context, given, all), last)
  }
  /** Decides on the hunk at the cursor. After a key, opens the next undecided part. */
  const atCursor = (give: VerdictAction) => async (given: unknown) => {
    const byKey = isByKey(given)
    const [only, ...others] = byKey ? decidables(context, given, undefined, 'hunk') : [hunkAtCursor(api, editors)]
    if (only === undefined) return
    if (!(await give(api, [only, ...others], last)) || !byKey || only.kind === 'session') return
    await model.reload()
    await moveToUndecided(api, model, editors, only)
  }
  const forSession = (work: (node: SessionNode) => Promise<void>) => async (given: unknown) => {
    const node = await sessionFor(context, given)
    if (node !== undefined) await work(node)
  }
  return {
    'escrowfs.refresh': () => model.refresh(),
    'escrowfs.open': async (given: unknown) => {
      if (isNode(given) && (given.kind === 'change' || given.kind === 'hunk')) await editors.open(given)
    },
    'escrowfs.openAll': forSession(({ snapshot }) => editors.openAll(snapshot)),
    'escrowfs.approve': verdict(approve),
    'escrowfs.reject': verdict(reject),
    'escrowfs.discard': verdict(discard),
    'escrowfs.approveHunk': atCursor(approve),
    'escrowfs.rejectHunk': atCursor(reject),
    'escrowfs.discardHunk': atCursor(discard),
    'escrowfs.takeBack': async () => {
      const [part] = context.selected().filter((node) => node.kind === 'change' || node.kind === 'hunk')
      await takeBack(api, positionIn(api, editors)?.part ?? part, last)
    },
    'escrowfs.next': () => moveByHunk(api, model, editors, 1),
    'escrowfs.previous': () => moveByHunk(api, model, editors, -1),
    'escrowfs.nextFile': () => moveByFile(api, model, editors, 1),
    'escrowfs.previousFile': () => moveByFile(api, model, editors, -1),
    'escrowfs.commit': forSession(async (node) => {
      await commit(api, node)
      last.forget()
    }),
    'escrowfs.undo': async () => {
      const undoResult = await undo(api, model.workspaces)
      await model.reload()
      const snapshot = undoResult?.reviewed.sessions.find(({ summary }) => summary.id === undoResult.session)
      if (snapshot !== undefined) await editors.openAll(snapshot)
    },
    'escrowfs.answer': async (given: unknown) => {
      if (isNode(given) && given.kind === 'question') await ask(api, given)
    },
  }
}

/** True for the argument that package.json passes with a key. */
function isByKey(given: unknown): boolean {
  return typeof given === 'object' && given !== null && 'key' in given && given.key === true
}

/** Runs a command and reloads the tree. Shows errors, and offers to open a change that became stale. */
export async function runCommand(
  api: typeof vscode,
  model: ReviewModel,
  editors: Editors,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
    await model.reload()
  } catch (error) {
    await model.reload().catch(() => undefined)
    if (error instanceof StaleChange) await showStaleChange(api, model, editors, error)
    else void api.window.showErrorMessage(plain(model, errorText(error)))
  }
}

async function showStaleChange(
  api: typeof vscode,
  model: ReviewModel,
  editors: Editors,
  { message, path, node }: StaleChange,
): Promise<void> {
  if ((await api.window.showWarningMessage(plain(model, message), SHOW)) !== SHOW) return
  const { reviewed, summary } = node.snapshot
  const snapshot = reviewed.sessions.find(({ summary: { id } }) => id === summary.id)
  const change = snapshot?.set.changes.find((each) => each.path === path)
  if (snapshot !== undefined && change !== undefined) await editors.open({ kind: 'change', snapshot, change })
}

function plain(model: ReviewModel, text: string): string {
  return model.workspaces[0]?.library.editor.plainName(text) ?? text
}

/** The subjects of a verdict: nodes of the tree, or the document of an editor. For a key, the one that has the focus. */
function decidables(
  { api, editors, selected }: CommandContext,
  given: unknown,
  all: unknown,
  part?: 'hunk',
): Decidable[] {
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

/** The session of a node or of the open document. Otherwise asks the person if there are several. */
async function sessionFor(
  { api, model, editors, selected }: CommandContext,
  given: unknown,
): Promise<SessionNode | undefined> {
  const open = api.window.activeTextEditor?.document.uri
  const snapshot = isNode(given) ? given.snapshot : ((open && editors.snapshotOf(open)) ?? selected()[0]?.snapshot)
  if (snapshot !== undefined) return { kind: 'session', snapshot }
  const nodes = sessionNodes(model.sessions)
  if (nodes.length <= 1) return nodes[0]
  const items = nodes.map((node) => ({
    label: node.snapshot.summary.id,
    description: node.snapshot.reviewed.root,
    node,
  }))
  return (await api.window.showQuickPick(items, { placeHolder: 'Which session?' }))?.node
}
