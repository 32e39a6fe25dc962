import type { Digest } from './digest.js'
import { imageOf } from './image.js'
import type { Stage } from './stage.js'
import type { TreeNode } from './tree.js'
import type { Inode } from './upper.js'

/** How much a stage's log would take if it were written anew: what tells whether that is worth it. */

/** What a log and its pack take; bytes. */
export interface Sizes {
  log: number
  pack: number
}

/** No more than an image of the stage takes, by what is staged now. */
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

/** What an inode and its name take in an image, however short the name. */
const LEAST_LINE = 250

/** What an image of the stage takes, about: a line's length is what its JSON is without the content's place. */
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
