import type * as vscode from 'vscode'
import { openVerifiedReview } from './decide.js'
import { describeNode, pluralize, summaryOf } from './labels.js'
import { type LastVerdict, newlyDecided, type RecordedVerdict } from './last-verdict.js'
import type { ChangeNode, Decidable, HunkNode } from './nodes.js'
import { askReason, confirmInModal, mayDecide, refuseAgents } from './person.js'

const TAKE_BACK = 'Take Back'

/**
 * Approves the displayed changes. A session is approved without rejected, conflicting and drifted changes. More than
 * one file needs a confirmation in a modal, and can be taken back in one step.
 * @returns false if the person did not confirm
 */
export async function approve(api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict): Promise<boolean> {
  const changes = filesOf(nodes)
  const isBulk = nodes.length > 1 || nodes[0]?.kind === 'session'
  const question = isBulk
    ? { what: `Approve ${pluralize(changes.length, 'file')}?`, detail: summaryOf(changes), yes: 'Approve' }
    : { what: `Approve ${describeNodes(nodes)}?` }
  for (const { snapshot } of nodes) refuseAgents(snapshot.reviewed)
  // Report a stale change before asking for a confirmation.
  if (nodes.length === 1) for (const node of nodes) await openVerifiedReview(node)
  if (!(await mayDecideAll(api, nodes, question))) return false
  const recorded: RecordedVerdict[] = []
  const approved: string[] = []
  try {
    for (const node of nodes) {
      const { review, selection } = await openVerifiedReview(node)
      const verdict = await review.approve(selection)
      const part = newlyDecided(node.snapshot, verdict)
      if (part !== undefined) recorded.push(part)
      approved.push(...verdict.paths)
    }
  } finally {
    last.set(recorded)
  }
  if (isBulk)
    offerUndo(api, [`${pluralize(approved.length, 'file')} approved.`, ...describeLeftOut(nodes, approved)].join(' '))
  return true
}

/** Describes the changes of whole sessions that an approval left out. */
function describeLeftOut(nodes: readonly Decidable[], approved: readonly string[]): string[] {
  return nodes.flatMap(({ kind, snapshot }) => {
    const left = kind === 'session' ? snapshot.set.changes.filter(({ path }) => !approved.includes(path)) : []
    const names = left.map(({ path }) => snapshot.reviewed.library.editor.plainName(path)).join(', ')
    return left.length === 0 ? [] : [`${pluralize(left.length, 'change')} left out: ${names}`]
  })
}

/** Shows a message with a "Take Back" button. Does not wait for it. */
function offerUndo(api: typeof vscode, words: string): void {
  void api.window.showInformationMessage(words, TAKE_BACK).then((chosen) => {
    if (chosen === TAKE_BACK) void api.commands.executeCommand('escrowfs.takeBack')
  })
}

/**
 * Rejects with a reason for the agent. Without a reason nothing is decided.
 * @returns false without a reason
 */
export async function reject(api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict): Promise<boolean> {
  if (!(await mayDecideAll(api, nodes, { what: `Reject ${describeNodes(nodes)}?` }))) return false
  const words = await askReason(api, `Why not ${describeNodes(nodes)}? The agent reads it at its next call.`)
  if (words === undefined) return false
  const recorded: RecordedVerdict[] = []
  try {
    for (const node of nodes) {
      const { review, selection } = await openVerifiedReview(node)
      const verdict = await review.reject(selection ?? node.snapshot.set.changes.map(({ path }) => path), words)
      const part = newlyDecided(node.snapshot, verdict)
      if (part !== undefined) recorded.push(part)
    }
  } finally {
    last.set(recorded)
  }
  return true
}

/** Takes back the verdict on a part, else the last one of this window. */
export async function takeBack(
  api: typeof vscode,
  part: ChangeNode | HunkNode | undefined,
  last: LastVerdict,
): Promise<void> {
  const state = part === undefined ? 'pending' : part.kind === 'hunk' ? part.hunk.state : part.change.state
  if (part !== undefined && state !== 'pending') {
    if (!(await mayDecideAll(api, [part], { what: `Take back the verdict on ${describeNodes([part])}?` }))) return
    const { review, selection } = await openVerifiedReview(part)
    if (selection !== undefined) await review.withdraw(selection)
    return last.forget()
  }
  const recorded = last.take()
  if (recorded.length === 0) throw new Error('There is no verdict to take back.')
  for (const { snapshot, selection } of recorded) {
    const node = { kind: 'session', snapshot } as const
    if (!(await mayDecideAll(api, [node], { what: 'Take back the last verdict?' }))) return
    const review = await snapshot.reviewed.workspace.review(snapshot.summary.id)
    await review.changes()
    await review.withdraw(selection)
  }
  void api.window.showInformationMessage('The last verdict was taken back.')
}

/** Discards staged changes after a confirmation. They cannot be restored. */
export async function discard(api: typeof vscode, nodes: readonly Decidable[]): Promise<boolean> {
  const [first] = nodes
  if (first === undefined || !(await mayDecideAll(api, nodes, { what: `Discard ${describeNodes(nodes)}?` })))
    return false
  const detail = ['The staged change is removed, and cannot be brought back. The file on disk stays as it is.']
  if (!(await confirmInModal(api, first.snapshot.reviewed, `Discard ${describeNodes(nodes)}?`, detail, 'Discard')))
    return false
  for (const node of nodes) {
    const { review, selection } = await openVerifiedReview(node)
    await review.discard(selection)
  }
  return true
}

/** Checks each workspace of the selected nodes, because policies differ. */
async function mayDecideAll(
  api: typeof vscode,
  nodes: readonly Decidable[],
  question: Parameters<typeof mayDecide>[2],
): Promise<boolean> {
  for (const reviewed of new Set(nodes.map(({ snapshot }) => snapshot.reviewed)))
    if (!(await mayDecide(api, reviewed, question))) return false
  return true
}

/** The distinct files of nodes. A session counts without its rejected files. */
function filesOf(nodes: readonly Decidable[]) {
  const files = nodes.flatMap((node) =>
    node.kind === 'session' ? node.snapshot.set.changes.filter(({ state }) => state !== 'rejected') : [node.change],
  )
  return [...new Set(files)]
}

function describeNodes(nodes: readonly Decidable[]): string {
  const [first] = nodes
  if (first === undefined) return 'nothing'
  return nodes.length === 1
    ? first.snapshot.reviewed.library.editor.plainName(describeNode(first))
    : pluralize(nodes.length, 'selected change')
}
