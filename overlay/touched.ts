import type { RelPath } from './path.js'
import type { Stage } from './stage.js'
import type { SettleStep, StageEdit } from './stage-edit.js'
import { differences } from './version-diff.js'

/** A name whose stats or content an edit may change. */
export interface Touched {
  readonly path: RelPath
  /** Whether it is another entry afterwards, even if it looks the same. */
  readonly renamed: boolean
  /** Whether a whole tree may show other lower names. */
  readonly tree: boolean
}

/** Returns the names that an edit is about to change in a stage, without the directories above them. */
export function touchedBy(edit: StageEdit, stage: Stage): Touched[] {
  switch (edit.op) {
    case 'put':
    case 'mkdir':
    case 'symlink':
    case 'link':
    case 'setattr':
      return [{ path: edit.path, renamed: false, tree: false }]
    case 'remove':
      return [{ path: edit.path, renamed: true, tree: false }]
    case 'move':
      return [edit.from, edit.to].map((path) => ({ path, renamed: true, tree: true }))
    case 'settle':
      return [...settledBy(edit)].map((path) => ({ path, renamed: false, tree: true }))
    case 'travel':
      return touchedByTravel(edit, stage)
    case 'agent':
    case 'synced':
    case 'begin':
    case 'inode':
    case 'graft':
    case 'bases':
    case 'resume':
    case 'mark':
    case 'called':
    case 'note':
    case 'noted':
    case 'unmark':
      return []
  }
}

function touchedByTravel({ to, less }: Extract<StageEdit, { op: 'travel' }>, stage: Stage): Touched[] {
  const there = stage.snapshots.get(to)?.version.root
  const settled = less.flatMap((step) => [...settledBy(step)]).map((path) => ({ path, tree: true }))
  return [...differences(stage.tree.root, there), ...settled].map((each) => ({ ...each, renamed: false }))
}

function settledBy({ drop, point, hide }: SettleStep): Set<RelPath> {
  return new Set([...drop, ...point.map(([path]) => path), ...hide])
}
