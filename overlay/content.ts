import type { Volume } from 'memfs'
import { type Digest, digest } from './digest.js'

export type MemNode = ReturnType<Volume['_core']['createNode']>

/** Where bytes lie in a session's pack. */
export interface PackRef {
  readonly digest: Digest
  /** Bytes. */
  readonly size: number
  /** The content in pieces. Throws at the end when what was read is not what was stored. */
  chunks(): Iterable<Uint8Array>
}

/**
 * Bytes, in memory or in the pack. Versions of an inode share them: whoever would change what others hold too makes
 * bytes of its own first.
 */
export class Content {
  /** Inodes that hold it: versions of one file. */
  holders = 1
  #memory: MemNode | undefined
  /** Where the pack has the bytes as they are now, if it has them. */
  #packed: PackRef | undefined
  #digest: Digest | undefined

  constructor(private readonly store: ContentStore) {}

  get size(): number {
    return this.#memory?.getSize() ?? this.#packed?.size ?? 0
  }

  /** A copy of the bytes. */
  bytes(): Buffer {
    return this.#load().getBuffer() as Buffer
  }

  digest(): Digest {
    this.#digest ??= digest(this.bytes())
    return this.#digest
  }

  /** Where they lie, or they themselves. */
  get stored(): PackRef {
    if (this.#packed) return this.#packed
    const bytes = this.bytes()
    return { digest: this.digest(), size: bytes.length, chunks: () => [bytes] }
  }

  /** Content of its own with the same bytes. */
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
    // memfs copies; its own Buffer type is Node's.
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

  /** One inode less holds it; the last one frees it. */
  letGo(): void {
    this.holders--
    if (this.holders > 0) return
    this.#free()
    this.#packed = undefined
  }

  /** Leaves the bytes to the pack; what the pack lacks is given to `keep` first. */
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

  #load(): MemNode {
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

/** What content is kept in. */
export interface ContentStore {
  createNode(): MemNode
  deleteNode(node: MemNode): void
  /** Content in memory grew or shrank by so many bytes. */
  holds(content: Content, bytes: number): void
  /** Content of so many bytes left memory. */
  lets(content: Content, bytes: number): void
}

/** Memory that another thread can write to is taken once: what the log digests is what is kept. */
export function copyIfShared(bytes: Uint8Array): Uint8Array {
  return bytes.buffer instanceof SharedArrayBuffer ? Uint8Array.from(bytes) : bytes
}

/** Bytes of a content, in memory or in the pack. */
export function sizeOf(content: Uint8Array | PackRef): number {
  return content instanceof Uint8Array ? content.length : content.size
}
