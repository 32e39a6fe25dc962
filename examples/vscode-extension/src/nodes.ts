import type { Change, ChangeGroup, Hunk, Question } from 'escrowfs'
import type { SessionLook } from './room.js'

/** What stands in the tree. Each holds the look it was made from: a verdict is on that. */
export type Node = SessionNode | QuestionNode | GroupNode | ChangeNode | HunkNode

export interface SessionNode {
  readonly kind: 'session'
  readonly look: SessionLook
}

export interface QuestionNode {
  readonly kind: 'question'
  readonly look: SessionLook
  readonly question: Question
}

export interface GroupNode {
  readonly kind: 'group'
  readonly look: SessionLook
  readonly group: ChangeGroup
}

export interface ChangeNode {
  readonly kind: 'change'
  readonly look: SessionLook
  readonly change: Change
}

export interface HunkNode {
  readonly kind: 'hunk'
  readonly look: SessionLook
  readonly change: Change
  readonly hunk: Hunk
}

/** Something a verdict can be given on. */
export type Decidable = SessionNode | ChangeNode | HunkNode

export function sessionNodes(looks: readonly SessionLook[]): SessionNode[] {
  return looks.map((look) => ({ kind: 'session', look }))
}

export function childrenOf(node: Node): Node[] {
  const { look } = node
  switch (node.kind) {
    case 'session':
      return [
        ...look.questions.map((question): Node => ({ kind: 'question', look, question })),
        ...look.groups.map((group): Node => ({ kind: 'group', look, group })),
      ]
    case 'group':
      return node.group.changes.map((change) => ({ kind: 'change', look, change }))
    case 'change':
      return hunksToDecide(node.change).map((hunk) => ({ kind: 'hunk', look, change: node.change, hunk }))
    default:
      return []
  }
}

/** A single hunk is decided on with its file, and so is what cannot be divided. */
export function hunksToDecide({ kind, hunks, flags }: Change): readonly Hunk[] {
  const isDivisible = (kind === 'modify' || kind === 'rename') && !flags.includes('encoding-changed')
  return isDivisible && hunks.length > 1 ? hunks : []
}

export function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'kind' in value && 'look' in value
}

export function isDecidable(node: Node): node is Decidable {
  return node.kind === 'session' || node.kind === 'change' || node.kind === 'hunk'
}
