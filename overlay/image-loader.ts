import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { Snapshots } from './snapshot.js'
import type { EditData, GraftedNode, ImageEdit } from './stage-edit.js'
import type { Tree } from './tree.js'
import type { Inode, Upper } from './upper.js'

/** The parts of a stage that the edits of an image set. */
export interface ImageTarget {
  edits: number
  readonly bases: { delete(path: string): unknown }
  readonly upper: Upper
  readonly tree: Tree
  readonly snapshots: Pick<Snapshots, 'resume'>
}

/** Applies the edits of an image (`imageOf`) to a stage. */
export class ImageLoader {
  readonly #inodes = new Map<number, Inode>()

  constructor(private readonly stage: ImageTarget) {}

  apply(edit: Exclude<ImageEdit, { op: 'begin' }>, data: EditData | undefined): void {
    if (edit.op === 'inode') this.#inodes.set(edit.id, this.#inode(edit, data))
    else if (edit.op === 'graft') this.#graft(edit.path, edit.node)
    else if (edit.op === 'bases') for (const path of edit.forget) this.stage.bases.delete(path)
    else this.#resume(edit)
  }

  #inode(edit: Extract<ImageEdit, { op: 'inode' }>, data: EditData | undefined): Inode {
    const { type, mode, uid, gid, ino } = edit
    const [atimeNs, mtimeNs, ctimeNs, birthtimeNs] = edit.times.map(BigInt) as [bigint, bigint, bigint, bigint]
    const attributes = { mode, uid, gid, atimeNs, mtimeNs, ctimeNs, birthtimeNs }
    const inode = this.stage.upper.inode(type, attributes, this.stage.tree.owner, ino)
    inode.names = edit.names
    inode.timed = edit.timed === true
    inode.target = edit.target ?? ''
    inode.origin = edit.origin
    inode.credit = edit.by
    inode.creditedAt = edit.at
    inode.calls = edit.calls
    if (data instanceof Uint8Array) inode.setBytes(data)
    else if (data) inode.setPacked(data)
    return inode
  }

  #graft(path: RelPath, grafted: GraftedNode | null): void {
    const { tree } = this.stage
    if (grafted === null) {
      tree.set(path, undefined)
      return
    }
    const inode = grafted.inode === undefined ? undefined : this.#inodes.get(grafted.inode)
    if (grafted.inode !== undefined && !inode) throw new Errno('EIO')
    const node = tree.own(path)
    node.whiteout = grafted.whiteout === true
    node.lower = grafted.lower
    node.inode = inode
    node.credit = grafted.by
    node.creditedAt = grafted.at ?? 0
  }

  #resume(edit: Extract<ImageEdit, { op: 'resume' }>): void {
    const { stage } = this
    stage.edits = Math.max(stage.edits, edit.edits)
    stage.upper.reserve(edit.nextIno)
    stage.tree.covers = true
    stage.tree.shape++
    stage.snapshots.resume(edit)
    this.#inodes.clear()
  }
}
