/** Where a change's files lie in its transaction's directory. */
export interface TxPaths {
  /** The new content, consumed when it is put in place. */
  readonly fresh: string
  /** What stood there before; kept for undo. */
  readonly kept: string
  /** What stood there before, in the moment of a strict replacement when the path is empty. */
  readonly away: string
  /** A copy of {@link kept}, until it takes its place. */
  readonly copy: string
}

export function txPathsOf(dir: string, change: { n: number }): TxPaths {
  const path = `${dir}/${change.n}`
  return { fresh: `${path}.new`, kept: `${path}.old`, away: `${path}.away`, copy: `${path}.copy` }
}
