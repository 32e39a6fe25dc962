import { type FileState, type StagedChange, sameContent, sameState } from './change.js'
import { contentOf, creditedTo, kindOf, mergedState } from './diff.js'
import type { Overlay } from './overlay.js'
import { childOf, type RelPath, ROOT } from './path.js'
import type { TreeNode } from './tree.js'

/** A difference between two versions of a stage: a name, or a name and everything below it. */
export interface Difference {
  readonly path: RelPath
  readonly tree: boolean
}

/** Compares two trees. Skips shared nodes, so the work is proportional to the difference. */
export function differences(a: TreeNode | undefined, b: TreeNode | undefined, path: RelPath = ROOT): Difference[] {
  if (a === b) return []
  if (covers(a) || covers(b)) {
    const alike = a?.whiteout === b?.whiteout && a?.lower === b?.lower && isDir(a) === isDir(b)
    if (!alike) return [{ path, tree: true }]
  }
  const changed = a?.inode === b?.inode ? [] : [{ path, tree: false }]
  const names = new Set([...(a?.children?.keys() ?? []), ...(b?.children?.keys() ?? [])])
  const below = [...names].flatMap((name) =>
    differences(a?.children?.get(name), b?.children?.get(name), childOf(path, name)),
  )
  return [...changed, ...below]
}

function covers(node: TreeNode | undefined): boolean {
  return node !== undefined && (node.whiteout || node.lower !== undefined)
}

function isDir(node: TreeNode | undefined): boolean {
  return node?.inode === undefined || node.inode.type === 'dir'
}

interface Pair {
  readonly path: RelPath
  readonly before: FileState | null
  readonly after: FileState | null
}

/**
 * Returns the changes from one version of a stage to another, both over the current disk. If one version shows the
 * disk and the other has a base, the base counts.
 */
export function diffVersions(before: Overlay, after: Overlay): StagedChange[] {
  const paths = new Set<RelPath>()
  for (const { path, tree } of differences(before.stage.tree.root, after.stage.tree.root)) {
    paths.add(path)
    if (tree) for (const overlay of [before, after]) addBelow(overlay, path, paths)
  }
  const pairs = [...paths].flatMap((path) => pairsAt(before, after, path))
  const moved = movesIn(before, after, pairs)
  const sources = new Set(moved.values())
  return pairs
    .filter((pair) => !sources.has(pair))
    .map((pair) => {
      const source = moved.get(pair)
      return changeOf(after, source ? { ...pair, before: source.before } : pair, source?.path)
    })
}

function addBelow(overlay: Overlay, dir: RelPath, paths: Set<RelPath>): void {
  if (overlay.typeOf(dir) !== 'dir') return
  for (const { name } of overlay.readdir(dir)) {
    const path = childOf(dir, name)
    paths.add(path)
    addBelow(overlay, path, paths)
  }
}

/**
 * The changes at a path. Directories are changes of their own only without changed files in them: empty ones, and
 * changed permission bits. A file that a directory replaces, or the reverse, is two changes of one path.
 */
function pairsAt(a: Overlay, b: Overlay, path: RelPath): Pair[] {
  const [was, is] = [stateIn(a, b, path), stateIn(b, a, path)]
  if (was?.type === 'dir' && is?.type === 'dir') return sameState(was, is) ? [] : [{ path, before: was, after: is }]
  const [before, after] = [stateOf(a, path, was), stateOf(b, path, is)]
  if (sameState(before, after)) return []
  if (before === null || after === null || (before.type !== 'dir' && after.type !== 'dir'))
    return [{ path, before, after }]
  return [
    { path, before, after: null },
    { path, before: null, after },
  ]
}

function stateOf(overlay: Overlay, path: RelPath, state: FileState | null): FileState | null {
  return state?.type === 'dir' && overlay.typeOf(path) === 'dir' && overlay.readdir(path).length > 0 ? null : state
}

function stateIn(overlay: Overlay, other: Overlay, path: RelPath): FileState | null {
  const { node, lower } = overlay.placeOf(path)
  const base =
    node?.inode || lower !== path ? undefined : (overlay.stage.bases.get(path) ?? other.stage.bases.get(path))
  return base ? base.state : mergedState(overlay, path)
}

/** Created → removed, if both are the same file. */
function movesIn(before: Overlay, after: Overlay, pairs: readonly Pair[]): Map<Pair, Pair> {
  const gone = new Map<string, Pair>()
  for (const pair of pairs) {
    if (pair.after !== null || pair.before?.type === 'dir') continue
    for (const id of identities(before, pair.path)) gone.set(id, pair)
  }
  const moved = new Map<Pair, Pair>()
  const taken = new Set<Pair>()
  for (const pair of pairs) {
    if (pair.before !== null || pair.after?.type === 'dir') continue
    const from = identities(after, pair.path).flatMap((id) => gone.get(id) ?? [])[0]
    if (from === undefined || taken.has(from)) continue
    moved.set(pair, from)
    taken.add(from)
  }
  return moved
}

/** The identities of a file across moves: its inode, the lower file it was copied up from, the lower file it is. */
function identities(overlay: Overlay, path: RelPath): string[] {
  const { node, lower } = overlay.placeOf(path)
  if (!node?.inode) return lower === undefined ? [] : [`lower ${lower}`]
  const { ino, origin } = node.inode
  return [`inode ${ino}`, ...(origin === undefined ? [] : [`lower ${origin}`])]
}

function changeOf(overlay: Overlay, pair: Pair, from: RelPath | undefined): StagedChange {
  const { path } = pair
  const isMoved = from !== undefined
  return {
    ...(isMoved && { from }),
    kind: isMoved ? 'rename' : kindOf(pair.before, pair.after),
    ...pair,
    drifted: false,
    ...creditedTo(overlay, path),
    content: () => contentOf(overlay, path, pair.after),
  }
}

/** Returns a version's bytes (a link's target) at the source of a change; null if they are no longer available. */
export function bytesBefore(version: Overlay, { path, from, before }: StagedChange): Uint8Array | null {
  const at = from ?? path
  if (before === null || before.type === 'dir' || !sameContent(mergedState(version, at), before)) return null
  return contentOf(version, at, before)
}
