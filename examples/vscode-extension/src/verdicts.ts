import type * as vscode from 'vscode'
import { boundTo } from './decide.js'
import type { Decidable } from './nodes.js'
import { admitted, confirmed, wordsFor } from './person.js'
import { counted, nameOf } from './words.js'

/** Approves what was shown; of a whole session all but what is rejected, in conflict, or changed on disk meanwhile. */
export async function approve(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  if (!(await mayDecide(api, nodes, 'Approve'))) return
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    const { paths } = await review.approve(selection)
    const left = node.look.set.changes.filter(({ path }) => !paths.includes(path))
    if (node.kind !== 'session' || left.length === 0) continue
    const names = node.look.room.library.editor.plainName(left.map(({ path }) => path).join(', '))
    // Nobody waits for this one to be closed.
    void api.window.showInformationMessage(`${counted(left.length, 'change')} left out: ${names}`)
  }
}

/** Rejects with the person's words, which the agent is told; without words nothing is decided. */
export async function reject(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  if (!(await mayDecide(api, nodes, 'Reject'))) return
  const words = await wordsFor(api, `Why not ${plainWhat(nodes)}? The agent is told.`)
  if (words === undefined) return
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    await review.reject(selection ?? node.look.set.changes.map(({ path }) => path), words)
  }
}

/** Takes staged changes away for good. */
export async function discard(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  const [first] = nodes
  if (first === undefined || !(await mayDecide(api, nodes, 'Discard'))) return
  const detail = 'It leaves the stage, and cannot be brought back.'
  if (!(await confirmed(api, first.look.room, `Discard ${plainWhat(nodes)}?`, detail, 'Discard'))) return
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    await review.discard(selection)
  }
}

/** What is selected can be of several workspaces, each with a policy of its own. */
async function mayDecide(api: typeof vscode, nodes: readonly Decidable[], verb: string): Promise<boolean> {
  for (const room of new Set(nodes.map(({ look }) => look.room)))
    if (!(await admitted(api, room, `${verb} ${plainWhat(nodes)}?`))) return false
  return true
}

function plainWhat(nodes: readonly Decidable[]): string {
  const [first] = nodes
  if (first === undefined) return 'nothing'
  return nodes.length === 1
    ? first.look.room.library.editor.plainName(nameOf(first))
    : counted(nodes.length, 'selected change')
}
