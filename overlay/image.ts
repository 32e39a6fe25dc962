import type { PackRef } from './content.js'
import { childOf, type RelPath, ROOT } from './path.js'
import type { SharedMap } from './shared-map.js'
import type { Version } from './snapshot.js'
import type { Stage } from './stage.js'
import type { Base, GraftedNode, StageEdit } from './stage-edit.js'
import type { TreeNode } from './tree.js'
import type { Inode } from './upper.js'

/**
 * An image: edits that rebuild a stage with every snapshot. Each version is stored as its difference from the previous
 * one, so that the rebuilt versions share the same nodes. It leaves out the earlier edits and acknowledged notes.
 */

/** An edit, and its bytes. */
export interface ImagePart {
  readonly edit: StageEdit
  readonly data?: PackRef
}

const NEVER = '0'

/** Returns the edits that rebuild a stage, in order. */
export function* imageOf(stage: Stage): Generator<ImagePart, undefined> {
  for (const name of stage.agents) yield { edit: { op: 'agent', t: NEVER, name } }
  const ids = new Map<Inode, number>()
  let last: FrozenVersion = { root: undefined, bases: undefined, settledSeq: 0, reviewed: 0, reviewId: undefined }
  for (const { version, edit } of frozen(stage)) {
    yield* step(last, version, ids)
    yield { edit }
    last = version
  }
  const { tree, bases, settledSeq, reviewed, reviewId, snapshots } = stage
  yield* step(last, { root: tree.root, bases, settledSeq, reviewed, reviewId }, ids)
  for (const [kind, notes] of stage.notes)
    for (const note of notes) yield { edit: { op: 'note', t: NEVER, kind, note } }
  const from = snapshots.at === undefined ? {} : { snapshot: snapshots.at.id }
  const counts = { made: snapshots.made, edits: stage.edits, nextIno: stage.upper.nextIno }
  yield { edit: { op: 'resume', t: NEVER, ...from, changed: snapshots.changed, ...counts } }
}

interface FrozenVersion extends Omit<Version, 'root' | 'bases' | 'edits'> {
  readonly root: TreeNode | undefined
  readonly bases: SharedMap<Base> | undefined
}

/** Every kept version, the oldest first, with the edit that keeps it. */
function frozen({ snapshots }: Stage): { readonly version: Version; readonly edit: StageEdit }[] {
  const kept = snapshots.list().flatMap(({ id, t, name, call, tool, parent, version }) => {
    const labels = { ...(name !== undefined && { name }), ...(tool !== undefined && { tool }) }
    const from = { ...(call !== undefined && { before: call }), ...(parent !== undefined && { parent }) }
    const end = snapshots.endOf(id)
    const mark = { version, edit: { op: 'mark', t, id, ...labels, ...from } as const }
    return end ? [mark, { version: end, edit: { op: 'called', t, id } as const }] : [mark]
  })
  return kept.sort((a, b) => a.version.edits - b.version.edits)
}

function* step(from: FrozenVersion, to: FrozenVersion, ids: Map<Inode, number>): Generator<ImagePart, undefined> {
  for (const [path, node] of changedNodes(from.root, to.root, ROOT)) {
    if (node?.inode && !ids.has(node.inode)) yield inodePart(node.inode, ids)
    yield { edit: { op: 'graft', t: NEVER, path, node: node ? graftNode(node, ids) : null } }
  }
  if (from.bases !== to.bases) {
    const bases = [...(to.bases ?? [])].filter(([path, base]) => from.bases?.get(path) !== base)
    const forget = [...(from.bases?.keys() ?? [])].filter((path) => !to.bases?.has(path))
    const set = bases.map(([path, base]) => [path as RelPath, base] as const)
    if (set.length + forget.length > 0) yield { edit: { op: 'bases', t: NEVER, bases: set, forget } }
  }
  const { settledSeq: seq, reviewed, reviewId } = to
  if (seq === from.settledSeq && reviewed === from.reviewed && reviewId === from.reviewId) return
  const until = { seq, reviewed, ...(reviewId !== undefined && { reviewId }) }
  yield { edit: { op: 'settle', t: NEVER, drop: [], point: [], hide: [], forget: [], ...until } }
}

/** Nodes of `b` that differ from those of `a`, parents first; undefined for nodes that `b` lacks. */
function* changedNodes(
  a: TreeNode | undefined,
  b: TreeNode | undefined,
  path: RelPath,
): Generator<[RelPath, TreeNode | undefined], undefined> {
  if (a === b) return
  if (!b) {
    yield [path, undefined]
    return
  }
  if (!a || !isAlike(a, b)) yield [path, b]
  for (const name of a?.children?.keys() ?? []) if (!b.children?.has(name)) yield [childOf(path, name), undefined]
  for (const [name, child] of b.children ?? []) yield* changedNodes(a?.children?.get(name), child, childOf(path, name))
}

function isAlike(a: TreeNode, b: TreeNode): boolean {
  const look = ({ inode, whiteout, lower, credit, creditedAt }: TreeNode) => [
    inode,
    whiteout,
    lower,
    credit,
    creditedAt,
  ]
  const [first, second] = [look(a), look(b)]
  return first.every((each, i) => each === second[i])
}

function graftNode({ whiteout, lower, inode, credit, creditedAt }: TreeNode, ids: Map<Inode, number>): GraftedNode {
  const id = inode && ids.get(inode)
  return {
    ...(whiteout && { whiteout }),
    ...(lower !== undefined && { lower }),
    ...(id !== undefined && { inode: id }),
    ...(credit && { by: credit, at: creditedAt }),
  }
}

function inodePart(inode: Inode, ids: Map<Inode, number>): ImagePart {
  const { type, ino, mode, uid, gid, names, target, origin, credit, creditedAt, calls, stored } = inode
  const id = ids.size
  ids.set(inode, id)
  const times = [inode.atimeNs, inode.mtimeNs, inode.ctimeNs, inode.birthtimeNs].map(String)
  const [atime = NEVER, mtime = NEVER, ctime = NEVER, birthtime = NEVER] = times
  const from = {
    ...(inode.timed && { timed: true as const }),
    ...(target !== '' && { target }),
    ...(origin !== undefined && { origin }),
  }
  const by = { by: credit, at: creditedAt, calls }
  const all = { id, type, ino, mode, uid, gid, times: [atime, mtime, ctime, birthtime] as const, names, ...from, ...by }
  return { edit: { op: 'inode', t: NEVER, ...all }, ...(stored && { data: stored }) }
}
