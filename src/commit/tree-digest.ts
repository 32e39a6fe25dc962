import { type FileState, type StagedChange, sha256hex } from '../../overlay/index.js'
import type { CommitEntry } from './types.js'

/** The entries that a commit writes, and the staged changes behind them. */
export interface CommittedTree {
  readonly entries: readonly CommitEntry[]
  readonly changes: readonly StagedChange[]
}

/**
 * The digest of the entries that a commit writes: each path with its state before and after, its old name, and whether
 * the disk still has the base. Equal digests mean equal bytes, names and modes, on equal bases.
 */
export function treeDigest({ entries, changes }: CommittedTree): string {
  const lines = entries.map(({ path, op, from, old, new: next }) =>
    JSON.stringify([path, op, from ?? null, stateOf(old), stateOf(next)]),
  )
  const drifted = changes.filter((change) => change.drifted).map(({ path }) => JSON.stringify(['drifted', path]))
  return `sha256:${sha256hex(`escrow-tree-1\n${[...lines, ...drifted].sort().join('\n')}\n`)}`
}

function stateOf(state: FileState | null): readonly unknown[] | null {
  return state && [state.type, state.digest, state.mode]
}
