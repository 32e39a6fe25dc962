import type { Review, Selection } from 'escrowfs'
import type { Decidable } from './nodes.js'

/** Thrown if the subject of a verdict differs from what the person saw. */
export class StaleChange extends Error {
  constructor(
    readonly path: string,
    readonly node: Decidable,
  ) {
    super(`${path} has changed since it was shown. Nothing was decided.`)
  }
}

export interface VerifiedReview {
  readonly review: Review
  /** Undefined for the whole session. */
  readonly selection: Selection | undefined
}

/**
 * Opens a review and verifies that the node's changes are those that the person saw, in the tree and in opened editors. The
 * review itself refuses changes after this check.
 * @throws StaleChange if a change differs
 */
export async function openVerifiedReview(node: Decidable): Promise<VerifiedReview> {
  const { reviewed, summary, set } = node.snapshot
  const review = await reviewed.workspace.review(summary.id)
  const now = await review.changes()
  if (node.kind === 'hunk') {
    const { path } = node.change
    const isThere = now.changes.some(
      ({ hunks, path: at }) => at === path && hunks.some(({ id }) => id === node.hunk.id),
    )
    if (!isThere) throw new StaleChange(path, node)
    return { review, selection: { hunks: [node.hunk.id] } }
  }
  const { displayKey } = reviewed.library.editor
  const paths = node.kind === 'change' ? [node.change.path] : [...set.changes, ...now.changes].map(({ path }) => path)
  for (const path of new Set(paths)) {
    const key = displayKey(now, path)
    if (key !== displayKey(set, path) || key !== (reviewed.openedKey(summary.id, path) ?? key))
      throw new StaleChange(path, node)
  }
  return { review, selection: node.kind === 'change' ? [node.change.path] : undefined }
}
