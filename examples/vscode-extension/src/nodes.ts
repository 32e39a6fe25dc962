import type { Change, ChangeGroup, Hunk, Question } from 'escrowfs'
import type { SessionSnapshot } from './reviewed-workspace.js'

/** A node of the tree. A verdict applies to the snapshot that the node was made from. */
export type Node = SessionNode | QuestionNode | GroupNode | ChangeNode | HunkNode

export interface SessionNode {
  readonly kind: 'session'
  readonly snapshot: SessionSnapshot
}

export interface QuestionNode {
  readonly kind: 'question'
  readonly snapshot: SessionSnapshot
  readonly question: Question
}

export interface GroupNode {
  readonly kind: 'group'
  readonly snapshot: SessionSnapshot
  readonly group: ChangeGroup
}

export interface ChangeNode {
  readonly kind: 'change'
  readonly snapshot: SessionSnapshot
  readonly change: Change
}

export interface HunkNode {
  readonly kind: 'hunk'
  readonly snapshot: SessionSnapshot
  readonly change: Change
  readonly hunk: Hunk
}

/** A node that a verdict can be on. */
export type Decidable = SessionNode | ChangeNode | HunkNode

export function sessionNodes(snapshots: readonly SessionSnapshot[]): SessionNode[] {
  return snapshots.map((snapshot) => ({ kind: 'session', snapshot }))
}

export function childrenOf(node: Node): Node[] {
  const { snapshot } = node
  switch (node.kind) {
    case 'session':
      return [
        ...snapshot.questions.map((question): Node => ({ kind: 'question', snapshot, question })),
        ...snapshot.groups.map((group): Node => ({ kind: 'group', snapshot, group })),
      ]
    case 'group':
      return node.group.changes.map((change) => ({ kind: 'change', snapshot, change }))
    case 'change':
      return hunksToDecide(node.change).map((hunk) => ({ kind: 'hunk', snapshot, change: node.change, hunk }))
    default:
      return []
  }
}

/** The hunks that can be decided separately. A single hunk or an indivisible change is decided as a file. */
export function hunksToDecide({ kind, hunks, flags }: Change): readonly Hunk[] {
  const isDivisible = (kind === 'modify' || kind === 'rename') && !flags.includes('encoding-changed')
  return isDivisible && hunks.length > 1 ? hunks : []
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value && 'snapshot' in value
}

export function isDecidable(node: Node): node is Decidable {
  return node.kind === 'session' || node.kind === 'change' || node.kind === 'hunk'
}
