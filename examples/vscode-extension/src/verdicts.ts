import type * as vscode from 'vscode'
import { boundTo } from './decide.js'
import { type Given, givenBy, type LastVerdict } from './given.js'
import type { ChangeNode, Decidable, HunkNode } from './nodes.js'
import { admitted, confirmed, refuseAgents, wordsFor } from './person.js'
import { counted, nameOf, summaryOf } from './words.js'

const TAKE_BACK = 'Take Back'

/**
 * Approves what was shown; of a whole session all but what is rejected, in conflict, or changed on disk meanwhile. More than
 * one file is shown in a modal first, and can be taken back at once.
 * @returns whether the person said yes
 */
export async function approve(api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict): Promise<boolean> {
  const changes = filesOf(nodes)
  const isBulk = nodes.length > 1 || nodes[0]?.kind === 'session'
  const question = isBulk
    ? { what: `Approve ${counted(changes.length, 'file')}?`, detail: summaryOf(changes), yes: 'Approve' }
    : { what: `Approve ${plainWhat(nodes)}?` }
  for (const { look } of nodes) refuseAgents(look.room)
  // What has moved is said before anybody is asked about it.
  if (nodes.length === 1) for (const node of nodes) await boundTo(node)
  if (!(await mayDecide(api, nodes, question))) return false
  const given: Given[] = []
  const approved: string[] = []
  try {
    for (const node of nodes) {
      const { review, selection } = await boundTo(node)
      const verdict = await review.approve(selection)
      const part = givenBy(node.look, verdict)
      if (part !== undefined) given.push(part)
      approved.push(...verdict.paths)
    }
  } finally {
    last.note(given)
  }
  if (isBulk) offerBack(api, [`${counted(approved.length, 'file')} approved.`, ...leftOut(nodes, approved)].join(' '))
  return true
}

/** Changes of whole sessions that an approval left alone, in words. */
function leftOut(nodes: readonly Decidable[], approved: readonly string[]): string[] {
  return nodes.flatMap(({ kind, look }) => {
    const left = kind === 'session' ? look.set.changes.filter(({ path }) => !approved.includes(path)) : []
    const names = left.map(({ path }) => look.room.library.editor.plainName(path)).join(', ')
    return left.length === 0 ? [] : [`${counted(left.length, 'change')} left out: ${names}`]
  })
}

/** Nobody waits for this one to be closed. */
function offerBack(api: typeof vscode, words: string): void {
  void api.window.showInformationMessage(words, TAKE_BACK).then((chosen) => {
    if (chosen === TAKE_BACK) void api.commands.executeCommand('escrowfs.takeBack')
  })
}

/**
 * Rejects with the person's words, which the agent is told; without words nothing is decided.
 * @returns whether there were words
 */
export async function reject(api: typeof vscode, nodes: readonly Decidable[], last: LastVerdict): Promise<boolean> {
  if (!(await mayDecide(api, nodes, { what: `Reject ${plainWhat(nodes)}?` }))) return false
  const words = await wordsFor(api, `Why not ${plainWhat(nodes)}? The agent reads it at its next call.`)
  if (words === undefined) return false
  const given: Given[] = []
  try {
    for (const node of nodes) {
      const { review, selection } = await boundTo(node)
      const verdict = await review.reject(selection ?? node.look.set.changes.map(({ path }) => path), words)
      const part = givenBy(node.look, verdict)
      if (part !== undefined) given.push(part)
    }
  } finally {
    last.note(given)
  }
  return true
}

/** Takes back the verdict on a part, or else the last one that was given in this window. */
export async function takeBack(
  api: typeof vscode,
  part: ChangeNode | HunkNode | undefined,
  last: LastVerdict,
): Promise<void> {
  const state = part === undefined ? 'pending' : part.kind === 'hunk' ? part.hunk.state : part.change.state
  if (part !== undefined && state !== 'pending') {
    if (!(await mayDecide(api, [part], { what: `Take back the verdict on ${plainWhat([part])}?` }))) return
    const { review, selection } = await boundTo(part)
    if (selection !== undefined) await review.withdraw(selection)
    return last.forget()
  }
  const given = last.take()
  if (given.length === 0) throw new Error('There is no verdict to take back.')
  for (const { look, selection } of given) {
    const node = { kind: 'session', look } as const
    if (!(await mayDecide(api, [node], { what: 'Take back the last verdict?' }))) return
    const review = await look.room.workspace.review(look.summary.id)
    await review.changes()
    await review.withdraw(selection)
  }
  void api.window.showInformationMessage('The last verdict was taken back.')
}

/** Takes staged changes away for good. */
export async function discard(api: typeof vscode, nodes: readonly Decidable[]): Promise<boolean> {
  const [first] = nodes
  if (first === undefined || !(await mayDecide(api, nodes, { what: `Discard ${plainWhat(nodes)}?` }))) return false
  const detail = ['The staged change is removed, and cannot be brought back. The file on disk stays as it is.']
  if (!(await confirmed(api, first.look.room, `Discard ${plainWhat(nodes)}?`, detail, 'Discard'))) return false
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    await review.discard(selection)
  }
  return true
}

/** Selected nodes can be of several workspaces, each with a policy of its own. */
async function mayDecide(
  api: typeof vscode,
  nodes: readonly Decidable[],
  question: Parameters<typeof admitted>[2],
): Promise<boolean> {
  for (const room of new Set(nodes.map(({ look }) => look.room)))
    if (!(await admitted(api, room, question))) return false
  return true
}

/** The files of nodes, each once; of a session those that nobody rejected. */
function filesOf(nodes: readonly Decidable[]) {
  const files = nodes.flatMap((node) =>
    node.kind === 'session' ? node.look.set.changes.filter(({ state }) => state !== 'rejected') : [node.change],
  )
  return [...new Set(files)]
}

function plainWhat(nodes: readonly Decidable[]): string {
  const [first] = nodes
  if (first === undefined) return 'nothing'
  return nodes.length === 1
    ? first.look.room.library.editor.plainName(nameOf(first))
    : counted(nodes.length, 'selected change')
}
