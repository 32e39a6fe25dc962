import type { Digest } from './digest.js'
import { imageOf } from './image.js'
import type { Stage } from './stage.js'
import type { TreeNode } from './tree.js'
import type { Inode } from './upper.js'

/** Estimates the size of a compacted log, to decide whether compaction is worth it. */

/** The sizes of a log and its pack, in bytes. */
export interface Sizes {
  log: number
  pack: number
}

/** Returns a lower bound of the size of the stage's image, from the currently staged entries. */
export function roughSizeOf({ tree }: Stage): Sizes {
  const least = { log: 0, pack: 0 }
  const counted = new Set<Inode | Digest>()
  const add = ({ inode, children }: TreeNode): void => {
    if (inode && !counted.has(inode)) {
      counted.add(inode)
      least.log += LEAST_LINE
      const { stored } = inode
      if (stored && !counted.has(stored.digest)) least.pack += stored.size
      if (stored) counted.add(stored.digest)
    }
    for (const child of children?.values() ?? []) add(child)
  }
  add(tree.root)
  return least
}

/** The least size of an inode and its name in an image. */
const LEAST_LINE = 250

/** Returns the approximate size of the stage's image: the length of each line's JSON, without the place of its content. */
export function sizeOf(stage: Stage): Sizes {
  const least = { log: 0, pack: 0 }
  const counted = new Set<Digest>()
  for (const { edit, data } of imageOf(stage)) {
    least.log += JSON.stringify(edit).length + (data ? 100 : 10)
    const kept = edit.bases?.map(([, { state, kept }]) => [state?.digest, kept?.[1] ?? 0] as const) ?? []
    for (const [key, size] of [[data?.digest, data?.size ?? 0] as const, ...kept]) {
      if (key === undefined || counted.has(key)) continue
      counted.add(key)
      least.pack += size
    }
  }
  return least
}
