import { constants } from 'node:fs'
import { Volume } from 'memfs'
import { type Digest, digest } from './digest.js'

/**
 * Staged content, in a memfs volume reached by inode. Names are not memfs's business: its path semantics differ from
 * Node's in ways that lose data (renames over full directories, removals through links), so a path here is only ever a
 * node of the tree, and the volume holds bytes.
 */

type MemNode = ReturnType<Volume['_core']['createNode']>

/** Where bytes lie in a session's pack. */
export interface PackRef {
  readonly digest: Digest
  /** Bytes. */
  readonly size: number
  /** The content in pieces. Throws at the end when what was read is not what was stored. */
  chunks(): Iterable<Uint8Array>
}

/** Attributes a staged entry starts with. Times are nanoseconds since 1970. */
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
  /** Names in the tree that reach this inode. */
  names = 0
  /** Open file descriptions that refer to it. */
  opens = 0
  /** A symlink's target. */
  target = ''
  /** The lower path this was copied up from, if any: how a rename is told from a delete and a create. */
  origin: string | undefined
  /** For whom it was written last. */
  intentId: string | undefined
  /** The tool calls that wrote it, the earliest first. */
  readonly calls = new Set<string>()
  #memory: MemNode | undefined
  /** Where the pack has the content as it is now, if it has it. */
  #packed: PackRef | undefined
  #digest: Digest | undefined

  constructor(
    readonly type: 'file' | 'dir' | 'symlink',
    readonly ino: number,
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

  get size(): number {
    if (this.type === 'symlink') return Buffer.byteLength(this.target)
    if (this.type === 'dir') return 0
    return this.#memory?.getSize() ?? this.#packed?.size ?? 0
  }

  /** A copy of the content. */
  bytes(): Buffer {
    return this.#content().getBuffer() as Buffer
  }

  /** Replaces the content by a copy of `data`. `packed`: where the pack has the same. */
  setBytes(data: Uint8Array, packed?: PackRef): void {
    const before = this.#memory?.getSize() ?? 0
    this.#packed = packed
    this.#digest = packed?.digest
    this.#memory ??= this.store.createNode()
    // memfs copies; its own Buffer type is Node's.
    this.#memory.setBuffer(asBuffer(data))
    this.store.holds(this, data.length - before)
  }

  /** Puts bytes in the pack's care: read back when first needed. */
  setPacked(ref: PackRef): void {
    this.drop()
    this.#packed = ref
    this.#digest = ref.digest
  }

  /** Copies content from a byte position into `target`; answers how many bytes. */
  readInto(target: Uint8Array, at: number): number {
    return this.#content().read(asBuffer(target), 0, target.length, at)
  }

  writeAt(data: Uint8Array, at: number): void {
    // write(2) of nothing changes nothing, not even the size.
    if (data.length === 0) return
    this.#change((content) => {
      if (at > content.getSize()) content.truncate(at)
      content.write(asBuffer(data), 0, data.length, at)
    })
  }

  truncate(size: number): void {
    this.#change((content) => content.truncate(size))
  }

  #change(edit: (content: MemNode) => void): void {
    const content = this.#content()
    const before = content.getSize()
    edit(content)
    this.#packed = undefined
    this.#digest = undefined
    this.store.holds(this, content.getSize() - before)
  }

  digest(): Digest {
    if (this.#digest === undefined) this.#digest = digest(this.type === 'symlink' ? this.target : this.bytes())
    return this.#digest
  }

  /** Frees the content. */
  drop(): void {
    this.#free()
    this.#packed = undefined
  }

  /** Leaves the content to the pack; what the pack lacks is given to `keep` first. */
  spill(keep: (bytes: Uint8Array) => PackRef): void {
    if (!this.#memory) return
    this.#packed ??= keep(this.#memory.getBuffer() as Buffer)
    this.#digest = this.#packed.digest
    this.#free()
  }

  #free(): void {
    if (!this.#memory) return
    this.store.lets(this, this.#memory.getSize())
    this.store.deleteNode(this.#memory)
    this.#memory = undefined
  }

  #content(): MemNode {
    if (this.#memory) return this.#memory
    const node = this.store.createNode()
    try {
      if (this.#packed) fill(node, this.#packed)
    } catch (error) {
      // A pack that cannot be read is no empty file.
      this.store.deleteNode(node)
      throw error
    }
    this.#memory = node
    this.store.holds(this, node.getSize())
    return node
  }
}

/** Above this (bytes) content comes back from the pack in pieces, so that it is never in memory twice. */
const WHOLE = 8 << 20

function fill(node: MemNode, packed: PackRef): void {
  if (packed.size <= WHOLE) {
    node.setBuffer(Buffer.concat([...packed.chunks()]))
    return
  }
  node.truncate(packed.size)
  let at = 0
  for (const chunk of packed.chunks()) {
    node.write(asBuffer(chunk), 0, chunk.length, at)
    at += chunk.length
  }
}

function asBuffer(data: Uint8Array): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** What inodes keep their content in. */
interface ContentStore {
  createNode(): MemNode
  deleteNode(node: MemNode): void
  /** An inode's content in memory grew or shrank by so many bytes. */
  holds(inode: Inode, bytes: number): void
  /** An inode's content of so many bytes left memory. */
  lets(inode: Inode, bytes: number): void
}

interface Budget {
  readonly limit: number
  readonly keep: (bytes: Uint8Array) => PackRef
}

/** The upper layer's store: makes inodes, numbers them, and knows how much they hold in memory. */
export class Upper implements ContentStore {
  readonly #volume = new Volume()
  readonly #resident = new Set<Inode>()
  // Far above what disks hand out in practice, so a staged file is not mistaken for a lower one.
  #nextIno = 2 ** 40
  #bytes = 0
  #budget: Budget | undefined

  /** Bytes of content held in memory. */
  get bytes(): number {
    return this.#bytes
  }

  inode(type: Inode['type'], attributes: InodeAttributes): Inode {
    return new Inode(type, this.#nextIno++, attributes, this)
  }

  createNode(): MemNode {
    return this.#volume._core.createNode(constants.S_IFREG | 0o600)
  }

  deleteNode(node: MemNode): void {
    this.#volume._core.deleteNode(node)
  }

  holds(inode: Inode, bytes: number): void {
    this.#bytes += bytes
    this.#resident.add(inode)
    if (this.#budget && this.#bytes > this.#budget.limit) this.#spill(inode, this.#budget)
  }

  lets(inode: Inode, bytes: number): void {
    this.#bytes -= bytes
    this.#resident.delete(inode)
  }

  /** From now on at most `limit` bytes are held; what goes over is left to the pack (`keep` puts it there). */
  spillAbove(limit: number, keep: (bytes: Uint8Array) => PackRef): void {
    this.#budget = { limit, keep }
  }

  /** What came to memory first goes first; a fifth more than needed goes, so that not every write has to. */
  #spill(newest: Inode, { limit, keep }: Budget): void {
    for (const inode of this.#resident) {
      if (this.#bytes <= limit * 0.8) return
      if (inode !== newest) inode.spill(keep)
    }
  }
}
