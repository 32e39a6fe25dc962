/** The files of a change in its transaction's directory. */
export interface TxPaths {
  /** The new content, consumed when it is put in place. */
  readonly fresh: string
  /** The old content, kept for undo. */
  readonly kept: string
  /** The old content during a strict replacement, while the path is empty. */
  readonly away: string
  /** A copy of {@link kept}, which will replace it. Before: a second name of {@link fresh}, for a moment. */
  readonly copy: string
}

export function txPathsOf(dir: string, change: { n: number }): TxPaths {
  const path = `${dir}/${change.n}`
  return { fresh: `${path}.new`, kept: `${path}.old`, away: `${path}.away`, copy: `${path}.copy` }
}
