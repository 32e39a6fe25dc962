import type { BigIntStats } from 'node:fs'
import { Errno } from './errno.js'
import type { RelPath } from './path.js'
import type { Base, Credit, EditCommon, EditData, JsonValue, NewInode, StageEdit } from './stage-edit.js'
import { Tree, TreeNode } from './tree.js'
import { type Inode, type InodeAttributes, type PackRef, Upper } from './upper.js'

/**
 * A session's stage: the tree, its inodes and the bases, changed only by edits. An edit says what was decided, never
 * what to decide, so replaying the log gives the same stage whatever the disk has become meanwhile.
 */

type EditOf<Op extends StageEdit['op']> = Extract<StageEdit, { op: Op }>

/** Above this (bytes) content is left to the pack at once, and comes to memory when it is asked for. */
const LARGE = 8 << 20

export class Stage {
  readonly tree = new Tree()
  readonly bases = new Map<string, Base>()
  /** The last commit taken in by a settle. */
  settledSeq = 0
  /** How many records of the review log were taken in. */
  reviewed = 0
  /** The last of these: a log that does not have it there was begun anew. */
  reviewId: string | undefined
  /** Notes not yet dealt with, by kind. */
  readonly notes = new Map<string, JsonValue[]>()
  readonly upper = new Upper()
  readonly #listeners = new Set<(edit: StageEdit) => void>()
  /** Edits applied so far: what was looked up in the tree may be another after the next. */
  edits = 0

  /** Tells of each edit just before it is applied. Returns what ends it. */
  onEdit(listener: (edit: StageEdit) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** @param packed where the log keeps the same bytes as `data`. */
  apply(edit: StageEdit, data?: EditData, packed?: PackRef): void {
    for (const listener of this.#listeners) listener(edit)
    this.edits++
    for (const [path, base] of edit.bases ?? []) this.bases.set(path, base)
    if (edit.op === 'remove' || edit.op === 'move' || edit.op === 'settle') {
      this.tree.shape++
      this.tree.covers = true
    }
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
        this.#settle(edit)
        break
      case 'note':
        this.notes.set(edit.kind, [...(this.notes.get(edit.kind) ?? []), edit.note])
        break
      case 'noted':
        this.notes.set(edit.kind, (this.notes.get(edit.kind) ?? []).slice(edit.count))
        break
    }
  }

  /** An inode without a name, for a file that was unlinked while open. Not an edit: it is in no log. */
  orphan(stats: BigIntStats, content: Uint8Array): Inode {
    const inode = this.upper.inode('file', {
      mode: Number(stats.mode) & 0o7777,
      uid: Number(stats.uid),
      gid: Number(stats.gid),
      atimeNs: stats.atimeNs,
      mtimeNs: stats.mtimeNs,
      ctimeNs: stats.ctimeNs,
      birthtimeNs: stats.birthtimeNs,
    })
    inode.setBytes(content)
    return inode
  }

  #put(edit: EditOf<'put'>, data: EditData, packed: PackRef | undefined): void {
    const inode = edit.inode ? this.#place(edit.path, 'file', edit.inode, edit.t) : this.#inodeAt(edit.path)
    if (edit.at !== undefined) {
      let at = edit.at
      for (const chunk of data instanceof Uint8Array ? [data] : data.chunks()) {
        inode.writeAt(chunk, at)
        at += chunk.length
      }
    } else if (!(data instanceof Uint8Array)) inode.setPacked(data)
    else if (packed && data.length > LARGE) inode.setPacked(packed)
    else inode.setBytes(data, packed)
    touch(inode, edit)
  }

  #mkdir(edit: EditOf<'mkdir'>): void {
    const { node } = this.tree.find(edit.path)
    const inode = this.#make('dir', edit.inode, edit.t)
    credit(inode, edit)
    const made = node && !node.whiteout ? node : this.#fresh(edit.path)
    if (made !== node) made.lower = edit.over === 'lower' ? null : undefined
    made.inode = inode
    // A directory copied up had its name before.
    if (edit.inode.origin === undefined) this.#touchParent(edit.path, edit.t)
  }

  #remove(edit: EditOf<'remove'>): void {
    const { node } = this.tree.find(edit.path)
    if (node?.inode) release(node.inode, edit.t)
    if (edit.whiteout) this.#whiteout(edit.path, creditOf(edit))
    else this.tree.set(edit.path, undefined)
    this.#touchParent(edit.path, edit.t)
  }

  #move(edit: EditOf<'move'>): void {
    const moved = this.tree.find(edit.from).node ?? new TreeNode()
    const replaced = this.tree.find(edit.to).node
    if (replaced?.inode) release(replaced.inode, edit.t)
    moved.lower = edit.lower
    if (moved.inode) moved.inode.ctimeNs = BigInt(edit.t)
    moved.credit = creditOf(edit)
    creditAll(moved, edit)
    if (edit.whiteout) this.#whiteout(edit.from, moved.credit)
    else this.tree.set(edit.from, undefined)
    this.tree.set(edit.to, moved)
    this.#touchParent(edit.from, edit.t)
    this.#touchParent(edit.to, edit.t)
  }

  #link(edit: EditOf<'link'>): void {
    const inode = this.#inodeAt(edit.existing)
    const node = this.#fresh(edit.path)
    node.inode = inode
    node.lower = null
    inode.names++
    inode.ctimeNs = BigInt(edit.t)
    this.#touchParent(edit.path, edit.t)
  }

  #symlink(edit: EditOf<'symlink'>): void {
    const inode = this.#place(edit.path, 'symlink', edit.inode, edit.t)
    inode.target = edit.target
    touch(inode, edit)
  }

  #setattr(edit: EditOf<'setattr'>): void {
    const inode = this.#inodeAt(edit.path)
    if (edit.mode !== undefined) inode.mode = edit.mode
    if (edit.uid !== undefined) inode.uid = edit.uid
    if (edit.gid !== undefined) inode.gid = edit.gid
    if (edit.size !== undefined) {
      inode.truncate(edit.size)
      inode.mtimeNs = BigInt(edit.t)
    }
    if (edit.atimeNs !== undefined) inode.atimeNs = BigInt(edit.atimeNs)
    if (edit.mtimeNs !== undefined) inode.mtimeNs = BigInt(edit.mtimeNs)
    inode.ctimeNs = BigInt(edit.t)
    credit(inode, edit)
  }

  #settle(edit: EditOf<'settle'>): void {
    // Found before anything goes: who removed the directory removed what of it stays hidden.
    const hidden = edit.hide.map((path) => [path, this.tree.covering(path)?.credit] as const)
    for (const path of edit.drop) {
      const { node } = this.tree.find(path)
      if (node?.inode) release(node.inode, edit.t)
      // A directory may still have staged names below: it goes back to showing the lower one.
      if (node?.children?.size && !node.whiteout) {
        node.inode = undefined
        node.lower = undefined
      } else if (node) this.tree.set(path, undefined)
    }
    for (const [path, lower] of edit.point) {
      const node = this.tree.node(path)
      node.lower = lower ?? undefined
      if (node.bare) this.tree.set(path, undefined)
    }
    for (const [path, credit] of hidden) this.#whiteout(path, credit)
    for (const path of edit.forget) this.bases.delete(path)
    this.settledSeq = Math.max(this.settledSeq, edit.seq)
    this.reviewed = edit.reviewed
    this.reviewId = edit.reviewId
  }

  /** A new inode at a path, in the place of whatever node stood there. */
  #place(path: RelPath, type: Inode['type'], made: NewInode, t: string): Inode {
    const old = this.tree.find(path).node?.inode
    const node = this.#fresh(path)
    node.inode = this.#make(type, made, t)
    node.lower = null
    if (old) release(old, t)
    // What is copied up had its name before.
    if (made.origin === undefined) this.#touchParent(path, t)
    return node.inode
  }

  #make(type: Inode['type'], made: NewInode, t: string): Inode {
    const now = BigInt(t)
    const times: Pick<InodeAttributes, 'atimeNs' | 'mtimeNs' | 'ctimeNs' | 'birthtimeNs'> = {
      atimeNs: now,
      mtimeNs: now,
      ctimeNs: now,
      birthtimeNs: now,
    }
    const inode = this.upper.inode(type, { mode: made.mode, uid: made.uid, gid: made.gid, ...times })
    inode.origin = made.origin
    inode.names = 1
    return inode
  }

  #whiteout(path: RelPath, credit: Credit | undefined): void {
    const node = this.#fresh(path)
    node.whiteout = true
    node.credit = credit
  }

  #fresh(path: RelPath): TreeNode {
    const node = new TreeNode()
    this.tree.set(path, node)
    return node
  }

  #inodeAt(path: RelPath): Inode {
    const inode = this.tree.find(path).node?.inode
    if (!inode) throw new Errno('EIO')
    return inode
  }

  /** A name came or went: the directory's own times move, where the directory is staged. */
  #touchParent(path: RelPath, t: string): void {
    const slash = path.lastIndexOf('/')
    const inode = this.tree.find(path.slice(0, Math.max(slash, 0)) as RelPath).node?.inode
    if (!inode) return
    inode.mtimeNs = BigInt(t)
    inode.ctimeNs = inode.mtimeNs
  }
}

function touch(inode: Inode, edit: EditCommon): void {
  inode.mtimeNs = BigInt(edit.t)
  inode.ctimeNs = inode.mtimeNs
  credit(inode, edit)
}

/** What is staged in a directory moves with it, and stands at its new place for whom it was moved. */
function creditAll(node: TreeNode, edit: EditCommon): void {
  if (node.inode) credit(node.inode, edit)
  for (const child of node.children?.values() ?? []) creditAll(child, edit)
}

function creditOf({ intent, call }: EditCommon): Credit {
  return { ...(intent !== undefined && { intent }), ...(call !== undefined && { call }) }
}

function credit(inode: Inode, edit: EditCommon): void {
  if (edit.intent !== undefined) inode.intentId = edit.intent
  if (edit.call !== undefined) inode.calls.add(edit.call)
}

function release(inode: Inode, t: string): void {
  inode.names--
  inode.ctimeNs = BigInt(t)
  if (inode.names <= 0 && inode.opens === 0) inode.drop()
}
