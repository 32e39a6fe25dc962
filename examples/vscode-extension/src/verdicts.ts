import type * as vscode from 'vscode'
import { boundTo } from './decide.js'
import type { Decidable } from './nodes.js'
import { admitted, confirmed, wordsFor } from './person.js'
import { counted, nameOf } from './words.js'

/** Approves what was shown; of a whole session all but what is rejected, in conflict, or changed on disk meanwhile. */
export async function approve(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  for (const node of nodes) {
    const { room } = node.look
    if (!(await admitted(api, room, `Approve ${nameOf(node)}?`))) return
    const { review, selection } = await boundTo(node)
    const { paths } = await review.approve(selection)
    const left = node.look.set.changes.filter(({ path }) => !paths.includes(path))
    if (node.kind !== 'session' || left.length === 0) continue
    const names = room.library.editor.plainName(left.map(({ path }) => path).join(', '))
    // Nobody waits for this one to be closed.
    void api.window.showInformationMessage(`${counted(left.length, 'change')} left out: ${names}`)
  }
}

/** Rejects with the person's words, which the agent is told; without words nothing is decided. */
export async function reject(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  const [first] = nodes
  if (first === undefined) return
  const what = nodes.length === 1 ? nameOf(first) : counted(nodes.length, 'selected change')
  if (!(await admitted(api, first.look.room, `Reject ${what}?`))) return
  const name = first.look.room.library.editor.plainName(what)
  const words = await wordsFor(api, `Why not ${name}? The agent is told.`)
  if (words === undefined) return
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    await review.reject(selection ?? node.look.set.changes.map(({ path }) => path), words)
  }
}

/** Takes staged changes away for good. */
export async function discard(api: typeof vscode, nodes: readonly Decidable[]): Promise<void> {
  const [first] = nodes
  if (first === undefined) return
  const what = nodes.length === 1 ? nameOf(first) : counted(nodes.length, 'selected change')
  const { room } = first.look
  if (!(await admitted(api, room, `Discard ${what}?`))) return
  if (!(await confirmed(api, room, `Discard ${what}?`, 'It leaves the stage, and cannot be brought back.', 'Discard')))
    return
  for (const node of nodes) {
    const { review, selection } = await boundTo(node)
    await review.discard(selection)
  }
}
