import type { Volume } from 'memfs'
import { type Digest, digest } from './digest.js'

export type MemNode = ReturnType<Volume['_core']['createNode']>

/** The place of bytes in a session's pack. */
export interface PackRef {
  readonly digest: Digest
  /** In bytes. */
  readonly size: number
  /** Returns the content in chunks. Throws at the end if it differs from the stored content. */
  chunks(): Iterable<Uint8Array>
}

/**
 * Bytes, in memory or in the pack. Versions of an inode share them. A writer copies bytes that other versions also
 * hold.
 */
export class Content {
  /** The number of inodes that share it, all of them versions of one file. */
  holders = 1
  #memory: MemNode | undefined
  /** The place of the current bytes in the pack, if they are there. */
  #packed: PackRef | undefined
  #digest: Digest | undefined
  #wasRead = false

  constructor(private readonly store: ContentStore) {}

  get size(): number {
    return this.#memory?.getSize() ?? this.#packed?.size ?? 0
  }

  /**
   * Returns a copy of the bytes. The first read of a small content leaves it in the pack: a review reads each file once,
   * and needs no node for it.
   */
  bytes(): Buffer {
    if (this.#memory === undefined && this.#packed !== undefined && !this.#wasRead && this.#packed.size <= WHOLE) {
      const bytes = Buffer.concat([...this.#packed.chunks()])
      this.#wasRead = true
      return bytes
    }
    return this.#load().getBuffer() as Buffer
  }

  digest(): Digest {
    this.#digest ??= digest(this.bytes())
    return this.#digest
  }

  /** The place of the bytes, or the bytes themselves. */
  get stored(): PackRef {
    if (this.#packed) return this.#packed
    const bytes = this.bytes()
    return { digest: this.digest(), size: bytes.length, chunks: () => [bytes] }
  }

  /** Returns a new content with the same bytes. */
  clone(): Content {
    const copy = new Content(this.store)
    copy.setBytes(this.bytes(), this.#packed)
    return copy
  }

  setBytes(data: Uint8Array, packed?: PackRef): void {
    const before = this.#memory?.getSize() ?? 0
    this.#packed = packed
    this.#digest = packed?.digest
    this.#memory ??= this.store.createNode()
    // memfs copies. Its own Buffer type is Node's.
    this.#memory.setBuffer(asBuffer(data))
    this.store.holds(this, data.length - before)
  }

  setPacked(ref: PackRef): void {
    this.#free()
    this.#packed = ref
    this.#digest = ref.digest
  }

  readInto(target: Uint8Array, at: number): number {
    return this.#load().read(asBuffer(target), 0, target.length, at)
  }

  writeAt(data: Uint8Array, at: number): void {
    this.#change((memory) => {
      if (at > memory.getSize()) memory.truncate(at)
      memory.write(asBuffer(data), 0, data.length, at)
    })
  }

  truncate(size: number): void {
    this.#change((memory) => memory.truncate(size))
  }

  #change(edit: (memory: MemNode) => void): void {
    const memory = this.#load()
    const before = memory.getSize()
    edit(memory)
    this.#packed = undefined
    this.#digest = undefined
    this.store.holds(this, memory.getSize() - before)
  }

  /** Called when one inode stops holding it. The last one frees it. */
  release(): void {
    this.holders--
    if (this.holders > 0) return
    this.#free()
    this.#packed = undefined
  }

  /** Moves the bytes to the pack. Bytes that the pack lacks are passed to `keep` first. */
  spill(keep: (bytes: Uint8Array) => PackRef): void {
    if (!this.#memory) return
    this.#packed ??= keep(this.#memory.getBuffer() as Buffer)
    this.#digest = this.#packed.digest
    this.#free()
  }

  #free(): void {
    if (!this.#memory) return
    this.store.evicts(this, this.#memory.getSize())
    this.store.deleteNode(this.#memory)
    this.#memory = undefined
  }

  #load(): MemNode {
    if (this.#memory) return this.#memory
    const node = this.store.createNode()
    try {
      if (this.#packed) fill(node, this.#packed)
    } catch (error) {
      // A pack that cannot be read must not become an empty file.
      this.store.deleteNode(node)
      throw error
    }
    this.#memory = node
    this.store.holds(this, node.getSize())
    return node
  }
}

/** Above this size in bytes, content is read from the pack in chunks, so that it is never in memory twice. */
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

/** The store of contents. */
export interface ContentStore {
  createNode(): MemNode
  deleteNode(node: MemNode): void
  /** Called when content in memory grows, or shrinks for a negative number of bytes. */
  holds(content: Content, bytes: number): void
  /** Called when content of that many bytes leaves memory. */
  evicts(content: Content, bytes: number): void
}

/** Copies memory that another thread can change, so that the log digests exactly the stored bytes. */
export function copyIfShared(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) : bytes
}

/** Returns the size in bytes of a content, in memory or in the pack. */
export function sizeOf(content: Uint8Array | PackRef): number {
  return content instanceof Uint8Array ? content.length : content.size
}
