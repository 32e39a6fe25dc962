import { constants } from 'node:fs'
import { Volume } from 'memfs'
import { type Digest, digest } from './digest.js'

/**
 * Staged content, in a memfs volume reached by inode. Names are not memfs's business: its path semantics differ from
 * Node's in ways that lose data (renames over full directories, removals through links), so a path here is only ever a
 * node of the tree, and the volume holds bytes.
 */

type MemNode = ReturnType<Volume['_core']['createNode']>

/** Where bytes lie in a session's pack; loaded when first asked for. */
export interface PackRef {
  readonly digest: Digest
  load(): Uint8Array
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
  /** Who wrote it last. */
  intentId: string | undefined
  callId: string | undefined
  #memory: MemNode | undefined
  #packed: PackRef | undefined
  #digest: Digest | undefined

  constructor(
    readonly type: 'file' | 'dir' | 'symlink',
    readonly ino: number,
    attributes: InodeAttributes,
    private readonly volume: Volume,
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
    return this.type === 'file' ? this.#content().getSize() : 0
  }

  /** A copy of the content. */
  bytes(): Buffer {
    return this.#content().getBuffer() as Buffer
  }

  /** Replaces the content by a copy of `data`. */
  setBytes(data: Uint8Array, known?: Digest): void {
    this.#packed = undefined
    this.#digest = known
    this.#memory ??= this.volume._core.createNode(constants.S_IFREG | 0o600)
    // memfs copies; its own Buffer type is Node's.
    this.#memory.setBuffer(asBuffer(data))
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
    const content = this.#content()
    this.#digest = undefined
    if (at > content.getSize()) content.truncate(at)
    content.write(asBuffer(data), 0, data.length, at)
  }

  truncate(size: number): void {
    this.#content().truncate(size)
    this.#digest = undefined
  }

  digest(): Digest {
    if (this.#digest === undefined) this.#digest = digest(this.type === 'symlink' ? this.target : this.bytes())
    return this.#digest
  }

  /** Frees the content. */
  drop(): void {
    if (this.#memory) this.volume._core.deleteNode(this.#memory)
    this.#memory = undefined
    this.#packed = undefined
  }

  #content(): MemNode {
    if (this.#memory) return this.#memory
    const node = this.volume._core.createNode(constants.S_IFREG | 0o600)
    if (this.#packed) node.setBuffer(asBuffer(this.#packed.load()))
    this.#packed = undefined
    this.#memory = node
    return node
  }
}

function asBuffer(data: Uint8Array): Buffer {
  return Buffer.isBuffer(data) ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
}

/** The upper layer's store: makes inodes, numbers them. */
export class Upper {
  readonly #volume = new Volume()
  // Far above what disks hand out in practice, so a staged file is not mistaken for a lower one.
  #nextIno = 2 ** 40

  inode(type: Inode['type'], attributes: InodeAttributes): Inode {
    return new Inode(type, this.#nextIno++, attributes, this.#volume)
  }
}
