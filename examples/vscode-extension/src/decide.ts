import type { Review, Selection } from 'escrowfs'
import type { Decidable } from './nodes.js'

/** What a verdict is about is not what the person was shown. */
export class Moved extends Error {
  constructor(
    readonly path: string,
    readonly node: Decidable,
  ) {
    super(`${path} has changed since it was shown. Nothing was decided.`)
  }
}

export interface Bound {
  readonly review: Review
  /** Undefined: all of it. */
  readonly selection: Selection | undefined
}

/**
 * A review in which the node's part is what the person saw: as it stands in the tree, and as they opened it if they did. The
 * review itself refuses what moves after this.
 * @throws Moved
 */
export async function boundTo(node: Decidable): Promise<Bound> {
  const { room, summary, set } = node.look
  const review = await room.workspace.review(summary.id)
  const now = await review.changes()
  if (node.kind === 'hunk') {
    const { path } = node.change
    const isThere = now.changes.some(
      ({ hunks, path: at }) => at === path && hunks.some(({ id }) => id === node.hunk.id),
    )
    if (!isThere) throw new Moved(path, node)
    return { review, selection: { hunks: [node.hunk.id] } }
  }
  const { displayKey } = room.library.editor
  const paths = node.kind === 'change' ? [node.change.path] : [...set.changes, ...now.changes].map(({ path }) => path)
  for (const path of new Set(paths)) {
    const key = displayKey(now, path)
    if (key !== displayKey(set, path) || key !== (room.openedAs(summary.id, path) ?? key)) throw new Moved(path, node)
  }
  return { review, selection: node.kind === 'change' ? [node.change.path] : undefined }
}
