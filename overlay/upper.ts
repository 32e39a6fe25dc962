import { constants } from 'node:fs'
import { Volume } from 'memfs'
import { Content, type ContentStore, type MemNode, type PackRef } from './content.js'
import { type Digest, digest, EMPTY_DIGEST } from './digest.js'
import type { Owner } from './shared-map.js'
import type { Attribution } from './stage-edit.js'

/**
 * Staged content, in a memfs volume by inode. memfs has no names here: its path semantics differ from Node's in ways
 * that lose data (renames over full directories, removals through links). So a path is only ever a node of the tree,
 * and the volume holds bytes.
 */

/** The first attributes of a staged entry. Times are nanoseconds since 1970. */
export interface InodeAttributes {
  mode: number
  uid: number
  gid: number
  atimeNs: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  birthtimeNs: bigint
}

export class Inode implements InodeAttributes {
  mode: number
  uid: number
  gid: number
  atimeNs: bigint
  mtimeNs: bigint
  ctimeNs: bigint
  birthtimeNs: bigint
  /** The number of names in the tree. */
  names = 0
  /** The number of open file descriptions. */
  opens = 0
  /** Whether its times were set by hand after the last write. */
  timed = false
  /** A symlink's target. */
  target = ''
  /** The lower path that this was copied up from, if any. It distinguishes a rename from a delete and a create. */
  origin: string | undefined
  /** The author of the last write. */
  credit: Attribution = NOBODY
  /** The number of that edit. */
  creditedAt = 0
  /** The tool calls that wrote it, oldest first. */
  calls: readonly string[] = []
  #content: Content | undefined

  /** @param owner the token for changes in place: an inode in a snapshot is copied first */
  constructor(
    readonly type: 'file' | 'dir' | 'symlink',
    readonly ino: number,
    readonly owner: Owner,
    attributes: InodeAttributes,
    private readonly store: ContentStore,
  ) {
    this.mode = attributes.mode
    this.uid = attributes.uid
    this.gid = attributes.gid
    this.atimeNs = attributes.atimeNs
    this.mtimeNs = attributes.mtimeNs
    this.ctimeNs = attributes.ctimeNs
    this.birthtimeNs = attributes.birthtimeNs
  }

  /** Returns a copy of the file for another owner. The content is shared until one of them writes. */
  copy(owner: Owner): Inode {
    const copy = new Inode(this.type, this.ino, owner, this, this.store)
    copy.names = this.names
    copy.timed = this.timed
    copy.target = this.target
    copy.origin = this.origin
    copy.credit = this.credit
    copy.creditedAt = this.creditedAt
    copy.calls = this.calls
    copy.#content = this.#content
    if (this.#content) this.#content.holders++
    return copy
  }

  get size(): number {
    if (this.type === 'symlink') return Buffer.byteLength(this.target)
    return this.#content?.size ?? 0
  }

  /** Returns a copy of the content. */
  bytes(): Buffer {
    return this.#content?.bytes() ?? Buffer.alloc(0)
  }

  /** Replaces the content by a copy of `data`. `packed`: the place of the same bytes in the pack. */
  setBytes(data: Uint8Array, packed?: PackRef): void {
    this.#recreate().setBytes(data, packed)
  }

  /** Moves the bytes to the pack. They are read back when needed. */
  setPacked(ref: PackRef): void {
    this.#recreate().setPacked(ref)
  }

  /** Copies content from a byte position into `target`. Returns the number of bytes. */
  readInto(target: Uint8Array, at: number): number {
    return this.#content?.readInto(target, at) ?? 0
  }

  writeAt(data: Uint8Array, at: number): void {
    // An empty write(2) changes nothing, not even the size.
    if (data.length > 0) this.#own().writeAt(data, at)
  }

  truncate(size: number): void {
    this.#own().truncate(size)
  }

  digest(): Digest {
    if (this.type === 'symlink') return digest(this.target)
    return this.#content?.digest() ?? EMPTY_DIGEST
  }

  /** A file's bytes for storage; undefined if it has none. Throws when they cannot be read. */
  get stored(): PackRef | undefined {
    return this.#content?.stored
  }

  /** Frees the content. */
  drop(): void {
    this.#content?.release()
    this.#content = undefined
  }

  /** Content of this version alone, to be replaced whole. */
  #recreate(): Content {
    if (this.#content?.holders === 1) return this.#content
    this.drop()
    this.#content = new Content(this.store)
    return this.#content
  }

  /** Content of this version alone, with its present bytes. */
  #own(): Content {
    const shared = this.#content
    if (!shared || shared.holders === 1) return this.#recreate()
    const copy = shared.clone()
    shared.release()
    this.#content = copy
    return copy
  }
}

/** The attribution of an edit without an author. */
export const NOBODY: Attribution = {}

interface Budget {
  readonly limit: number
  readonly keep: (bytes: Uint8Array) => PackRef
}

/** The upper layer's store: creates and numbers inodes, and counts their memory. */
export class Upper implements ContentStore {
  readonly #volume = new Volume()
  readonly #resident = new Set<Content>()
  // Far above real inode numbers, so that a staged file is not taken for a lower one.
  #nextIno = 2 ** 40
  #bytes = 0
  #budget: Budget | undefined

  /** The size in bytes of content in memory. */
  get bytes(): number {
    return this.#bytes
  }

  /** The next inode's number. */
  get nextIno(): number {
    return this.#nextIno
  }

  /** Marks the numbers below this as used. */
  reserve(ino: number): void {
    this.#nextIno = Math.max(this.#nextIno, ino)
  }

  inode(type: Inode['type'], attributes: InodeAttributes, owner: Owner, ino = this.#nextIno++): Inode {
    return new Inode(type, ino, owner, attributes, this)
  }

  createNode(): MemNode {
    return this.#volume._core.createNode(constants.S_IFREG | 0o600)
  }

  deleteNode(node: MemNode): void {
    this.#volume._core.deleteNode(node)
  }

  holds(content: Content, bytes: number): void {
    this.#bytes += bytes
    this.#resident.add(content)
    if (this.#budget && this.#bytes > this.#budget.limit) this.#spill(content, this.#budget)
  }

  evicts(content: Content, bytes: number): void {
    this.#bytes -= bytes
    this.#resident.delete(content)
  }

  /** Limits the content in memory to `limit` bytes. `keep` writes the rest to the pack. */
  spillAbove(limit: number, keep: (bytes: Uint8Array) => PackRef): void {
    this.#budget = { limit, keep }
  }

  /** Spills the oldest content first, and a fifth more than needed, so that not every write has to spill. */
  #spill(newest: Content, { limit, keep }: Budget): void {
    for (const content of this.#resident) {
      if (this.#bytes <= limit * 0.8) return
      if (content !== newest) content.spill(keep)
    }
  }
}
