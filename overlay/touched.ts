import type { RelPath } from './path.js'
import type { StageEdit } from './stage-edit.js'

/** A name whose look an edit may change. */
export interface Touched {
  readonly path: RelPath
  /** What stands there afterwards is another thing, even if it looks the same. */
  readonly renamed: boolean
  /** A whole tree may show other names of the lower layer below it. */
  readonly tree: boolean
}

/** Which names an edit touches. The directories above them are not listed. */
export function touchedBy(edit: StageEdit): Touched[] {
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
    case 'note':
    case 'noted':
      return []
  }
}

function settledBy({ drop, point, hide }: Extract<StageEdit, { op: 'settle' }>): Set<RelPath> {
  return new Set([...drop, ...point.map(([path]) => path), ...hide])
}
