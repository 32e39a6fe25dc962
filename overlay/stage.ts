// Long because: every edit of a stage is applied in one switch.
import { AttributionTable } from './attribution-table.js'
import { ABSENT } from './base.js'
import type { PackRef } from './content.js'
import { DirectoryTimes } from './directory-times.js'
import { ImageLoader } from './image-loader.js'
import { Inodes, nanoseconds, writtenAt } from './inodes.js'
import type { JsonValue } from './json.js'
import type { RelPath } from './path.js'
import { SharedMap } from './shared-map.js'
import { Snapshots, type Version } from './snapshot.js'
import type { Attribution, Base, EditCommon, EditData, NewInode, SettleStep, StageEdit } from './stage-edit.js'
import { Tree, TreeNode } from './tree.js'
import { type Inode, Upper } from './upper.js'

type EditOf<Op extends StageEdit['op']> = Extract<StageEdit, { op: Op }>

/** Edits that change neither names nor contents. */
const STILL: ReadonlySet<StageEdit['op']> = new Set([
  ...(['agent', 'synced', 'mark', 'unmark', 'called', 'begin', 'inode'] as const),
  ...(['graft', 'bases', 'resume', 'note', 'noted'] as const),
])

/** Larger content, in bytes, goes to the pack at once, and is read back when needed. */
const LARGE = 8 << 20

/**
 * A session's stage: the tree, its inodes and the bases. Only edits change it. An edit is the result of a decision, so
 * replaying the log gives the same stage even if the disk has changed.
 */
export class Stage {
  readonly tree = new Tree()
  readonly directoryTimes = new DirectoryTimes()
  /** The state of the disk when each path was first edited. */
  bases = new SharedMap<Base>(this.tree.owner)
  readonly snapshots = new Snapshots(this)
  /** The last commit that the stage is reconciled with. */
  settledSeq = 0
  /** The number of reconciled records of the review log. */
  reviewed = 0
  /** The id of the last of them. A review log with another id there was started again. */
  reviewId: string | undefined
  /** The agents of the edits, as the log names them. */
  readonly agents: JsonValue[] = []
  /** Notes that are not acknowledged yet, by kind. */
  readonly notes = new Map<string, JsonValue[]>()
  readonly upper = new Upper()
  readonly inodes = new Inodes(this.tree, this.upper)
  readonly #credits = new AttributionTable()
  readonly #image = new ImageLoader(this)
  readonly #listeners = new Set<(edit: StageEdit) => void>()
  /** The number of edits applied so far, which dates attributions, and invalidates earlier lookups. */
  edits = 0

  /** Calls the listener before each edit is applied. Returns a function that ends it. */
  onEdit(listener: (edit: StageEdit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Returns a stage of its own that begins as a version, to read it or to try a restore. */
  static of(version: Version): Stage {
    const stage = new Stage()
    stage.tree.covers = true
    stage.restore(version)
    stage.settledSeq = version.settledSeq
    stage.reviewed = version.reviewed
    stage.reviewId = version.reviewId
    return stage
  }

  /** Freezes the current version for a snapshot. From now on the stage changes copies of it. */
  freeze(): Version {
    const { bases, settledSeq, reviewed, reviewId, edits } = this
    const root = this.tree.freeze()
    this.bases = bases.fork(this.tree.owner)
    return { root, bases, settledSeq, reviewed, reviewId, edits }
  }

  /** Restores names, contents and bases. The reconciled position and notes stay as they are. */
  restore({ root, bases }: Version): void {
    this.tree.restore(root)
    this.bases = bases.fork(this.tree.owner)
  }

  /** @param packed the place in the log's pack of the same bytes as `data` */
  apply(edit: StageEdit, data?: EditData, packed?: PackRef): void {
    for (const listener of this.#listeners) listener(edit)
    this.edits++
    if (edit.bases) for (const [path, base] of edit.bases) this.bases.set(path, base.state ? base : ABSENT)
    if (edit.taken) this.reviewed = edit.taken.reviewed
    if (edit.taken) this.reviewId = edit.taken.reviewId
    if (edit.op === 'remove' || edit.op === 'move' || edit.op === 'settle' || edit.op === 'travel') {
      this.tree.shape++
      this.tree.covers = true
    }
    if (!STILL.has(edit.op)) this.snapshots.onEdit()
    switch (edit.op) {
      case 'put':
        this.#put(edit, data ?? new Uint8Array(), packed)
        break
      case 'mkdir':
        this.#mkdir(edit)
        break
      case 'remove':
        this.#remove(edit)
        break
      case 'move':
        this.#move(edit)
        break
      case 'link':
        this.#link(edit)
        break
      case 'symlink':
        this.#symlink(edit)
        break
      case 'setattr':
        this.#setattr(edit)
        break
      case 'settle':
        this.#settle(edit, edit.t, this.#credits.of(edit))
        this.settledSeq = Math.max(this.settledSeq, edit.seq)
        this.reviewed = edit.reviewed
        this.reviewId = edit.reviewId
        break
      case 'agent':
        this.agents.push(edit.name)
        break
      case 'mark':
        this.snapshots.mark(edit)
        break
      case 'unmark':
        this.snapshots.unmark(edit.id)
        break
      case 'called':
        this.snapshots.endCall(edit.id)
        break
      case 'travel':
        this.snapshots.travel(edit)
        for (const step of edit.less) this.#settle(step, edit.t)
        break
      case 'inode':
      case 'graft':
      case 'bases':
      case 'resume':
        this.#image.apply(edit, data)
        break
      case 'note':
        this.notes.set(edit.kind, [...(this.notes.get(edit.kind) ?? []), edit.note])
        break
      case 'noted':
        this.notes.set(edit.kind, (this.notes.get(edit.kind) ?? []).slice(edit.count))
        break
    }
  }

  #put(edit: EditOf<'put'>, data: EditData, packed: PackRef | undefined): void {
    const inode = edit.inode ? this.#place(edit.path, 'file', edit.inode, edit.t) : this.inodes.at(edit.path)
    if (edit.at !== undefined) {
      let at = edit.at
      for (const chunk of data instanceof Uint8Array ? [data] : data.chunks()) {
        inode.writeAt(chunk, at)
        at += chunk.length
      }
    } else if (!(data instanceof Uint8Array)) inode.setPacked(data)
    else if (packed && data.length > LARGE) inode.setPacked(packed)
    else inode.setBytes(data, packed)
    this.#touch(inode, edit)
  }

  #mkdir(edit: EditOf<'mkdir'>): void {
    const { node } = this.tree.find(edit.path)
    const inode = this.inodes.make('dir', edit.inode, edit.t)
    this.#credits.attribute(inode, edit, this.edits)
    const stands = node !== undefined && !node.whiteout
    const made = stands ? this.tree.own(edit.path) : this.#fresh(edit.path)
    if (!stands) made.lower = edit.over === 'lower' ? null : undefined
    made.inode = inode
    // A directory that is copied up had its name before.
    if (edit.inode.origin === undefined) this.#touchParent(edit.path, edit.t)
  }

  #remove(edit: EditOf<'remove'>): void {
    const { node } = this.tree.find(edit.path)
    if (node?.inode) this.inodes.release(node.inode, edit.path, edit.t)
    if (edit.whiteout) this.#whiteout(edit.path, this.#credits.of(edit))
    else this.tree.set(edit.path, undefined)
    this.directoryTimes.forget(edit.path)
    this.#touchParent(edit.path, edit.t)
  }

  #move(edit: EditOf<'move'>): void {
    const replaced = this.tree.find(edit.to).node
    if (replaced?.inode) this.inodes.release(replaced.inode, edit.to, edit.t)
    const moved = this.tree.own(edit.from)
    moved.lower = edit.lower
    if (moved.inode) this.inodes.at(edit.from).ctimeNs = nanoseconds(edit.t)
    moved.credit = this.#credits.of(edit)
    moved.creditedAt = this.edits
    if (edit.whiteout) this.#whiteout(edit.from, moved.credit)
    else this.tree.set(edit.from, undefined)
    this.tree.set(edit.to, moved)
    this.directoryTimes.forget(edit.from)
    this.#touchParent(edit.from, edit.t)
    this.#touchParent(edit.to, edit.t)
  }

  #link(edit: EditOf<'link'>): void {
    const inode = this.inodes.at(edit.existing)
    const node = this.#fresh(edit.path)
    node.inode = inode
    node.lower = null
    inode.names++
    inode.ctimeNs = nanoseconds(edit.t)
    this.#touchParent(edit.path, edit.t)
  }

  #symlink(edit: EditOf<'symlink'>): void {
    const inode = this.#place(edit.path, 'symlink', edit.inode, edit.t)
    inode.target = edit.target
    this.#touch(inode, edit)
  }

  #setattr(edit: EditOf<'setattr'>): void {
    const inode = this.inodes.at(edit.path)
    if (edit.mode !== undefined) inode.mode = edit.mode
    if (edit.uid !== undefined) inode.uid = edit.uid
    if (edit.gid !== undefined) inode.gid = edit.gid
    if (edit.size !== undefined) {
      inode.truncate(edit.size)
      inode.mtimeNs = nanoseconds(edit.t)
    }
    if (edit.atimeNs !== undefined) inode.atimeNs = BigInt(edit.atimeNs)
    if (edit.mtimeNs !== undefined) inode.mtimeNs = BigInt(edit.mtimeNs)
    if (edit.mtimeNs !== undefined || edit.size !== undefined) inode.timed = edit.mtimeNs !== undefined
    inode.ctimeNs = nanoseconds(edit.t)
    this.#credits.attribute(inode, edit, this.edits)
  }

  /** @param credit the author of hidden names that have none */
  #settle(step: SettleStep, t: string, credit?: Attribution): void {
    // Looked up before any node is dropped: the author of a directory's removal is the author of the names that stay hidden.
    const hidden = step.hide.map((path) => [path, this.tree.coveringNode(path)?.credit ?? credit] as const)
    for (const path of step.drop) {
      const { node } = this.tree.find(path)
      if (node?.inode) this.inodes.release(node.inode, path, t)
      // A directory with staged names below it shows the lower directory again.
      if (node?.children?.size && !node.whiteout) {
        const dir = this.tree.own(path)
        dir.inode = undefined
        dir.lower = undefined
      } else if (node) this.tree.set(path, undefined)
    }
    for (const [path, lower] of step.point) {
      const node = this.tree.own(path)
      node.lower = lower ?? undefined
      if (node.bare) this.tree.set(path, undefined)
    }
    for (const [path, its] of hidden) this.#whiteout(path, its)
    for (const path of step.forget) this.bases.delete(path)
  }

  /** Puts a new inode at a path, in place of any node there. */
  #place(path: RelPath, type: Inode['type'], made: NewInode, t: string): Inode {
    const old = this.tree.find(path).node?.inode
    if (old) this.inodes.release(old, path, t)
    const node = this.#fresh(path)
    node.inode = this.inodes.make(type, made, t)
    node.lower = null
    // An entry that is copied up had its name before.
    if (made.origin === undefined) this.#touchParent(path, t)
    return node.inode
  }

  #whiteout(path: RelPath, credit: Attribution | undefined): void {
    const node = this.#fresh(path)
    node.whiteout = true
    node.credit = credit
    node.creditedAt = this.edits
  }

  #fresh(path: RelPath): TreeNode {
    const node = new TreeNode(this.tree.owner)
    this.tree.set(path, node)
    return node
  }

  /** Updates the times of a staged directory after a name in it was added or removed. */
  #touchParent(path: RelPath, t: string): void {
    const slash = path.lastIndexOf('/')
    const parent = path.slice(0, Math.max(slash, 0)) as RelPath
    const found = this.tree.find(parent).node?.inode
    if (found) writtenAt(this.inodes.own(found, parent), t)
    else this.directoryTimes.set(parent, nanoseconds(t))
  }

  #touch(inode: Inode, edit: EditCommon): void {
    inode.timed = false
    writtenAt(inode, edit.t)
    this.#credits.attribute(inode, edit, this.edits)
  }
}
