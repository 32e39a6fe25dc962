import {
  type Base,
  baseOfContent,
  type Digest,
  digest,
  type FileState,
  fileStamp,
  isSettled,
  type Lower,
  type RelPath,
} from '../../overlay/index.js'

/** Up to this many bytes, a content that was read is copied and digested later. */
const SMALL = 1 << 16
/** The limit of such copies, in bytes. */
const MAX_COPIED = 1 << 23

interface Copy {
  readonly content: Buffer | string
  /** The time of the read, in milliseconds since 1970. */
  readonly when: number
}

/**
 * The content of each file on disk that the model last saw; an absent file counts too. It records only files on disk,
 * not staged ones: {@link baseOf} returns the base of a file's first staged edit.
 */
export class SeenFiles {
  readonly #bases = new Map<string, Base>()
  /** Copies of small contents as last seen. The next read usually finds the same bytes and needs no digest. */
  readonly #copies = new Map<string, Copy>()
  #copiedBytes = 0
  /** Paths with a copy that is newer than their base in {@link #bases}. */
  readonly #undigested = new Set<string>()

  constructor(private readonly lower: Lower) {}

  /**
   * Records a read.
   * @param content undefined if there was no file; a string is the whole content as valid UTF-8
   * @param known the content's digest, if the caller has it
   */
  record(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void {
    if (content === undefined) this.#setBase(path, { state: null })
    else if (content.length <= SMALL) this.#copy(path, content)
    else this.#recordLarge(path, content, known)
  }

  /** Whether the file is as last seen, by its stamp. */
  isCurrent(path: RelPath, stamp: string): boolean {
    return this.#bases.get(path)?.stamp === stamp
  }

  /** The base of the first edit of a path; undefined for a file the model has not seen. */
  readonly baseOf = (path: RelPath): Base | undefined => {
    this.#digest(path)
    return this.#bases.get(path)
  }

  /** Every path the model has seen. */
  paths(): string[] {
    return [...this.#bases.keys(), ...this.#undigested]
  }

  /**
   * The session's own commit counts as seen. Where it replaced a file by a directory, the files in it have their own
   * bases.
   */
  onCommitted(path: RelPath, after: FileState | null): void {
    if (!this.#copies.has(path) && !this.#bases.has(path)) return
    if (after?.type === 'dir' || this.lower.typeOf(path) === 'dir') this.#forget(path)
    else this.#setBase(path, { state: after })
  }

  /** Copying costs a tenth of digesting, and most digests are never needed. */
  #copy(path: RelPath, content: Uint8Array | string): void {
    const known = this.#copies.get(path)
    if (known && sameBytes(known.content, content)) return
    this.#dropCopy(path)
    if (this.#copiedBytes + bytesOf(content) > MAX_COPIED) this.#dropCopies()
    this.#copies.set(path, { content: typeof content === 'string' ? content : Buffer.from(content), when: Date.now() })
    this.#copiedBytes += bytesOf(content)
    this.#undigested.add(path)
    if (this.#undigested.size === 1) setImmediate(() => this.#digestAll())
  }

  #recordLarge(path: RelPath, content: Uint8Array | string, known: Digest | undefined): void {
    const stats = this.lower.lstatBig(path)
    if (!stats?.isFile() || this.isCurrent(path, fileStamp(stats))) return
    this.#setBase(path, baseOfContent(content, stats, known))
  }

  /** Sets a base that does not come from the copy, which is now out of date. */
  #setBase(path: RelPath, base: Base): void {
    this.#forget(path)
    this.#bases.set(path, base)
  }

  #dropCopy(path: RelPath): void {
    const copy = this.#copies.get(path)
    if (!copy) return
    this.#copiedBytes -= bytesOf(copy.content)
    this.#copies.delete(path)
  }

  #dropCopies(): void {
    this.#digestAll()
    this.#copies.clear()
    this.#copiedBytes = 0
  }

  #digestAll(): void {
    for (const path of this.#undigested) this.#digest(path as RelPath)
  }

  #digest(path: RelPath): void {
    const copy = this.#undigested.delete(path) ? this.#copies.get(path) : undefined
    if (!copy) return
    const stats = this.lower.lstatBig(path)
    if (!stats?.isFile()) {
      this.#bases.set(path, { state: { type: 'file', digest: digest(copy.content), mode: 0o644 } })
      return
    }
    const { state, stamp } = baseOfContent(copy.content, stats)
    // The content is older than the stamp, so they match only if the file did not change in between.
    const unchanged = isSettled(Number(stats.ctimeNs) / 1e6, copy.when)
    this.#bases.set(path, unchanged && stamp !== undefined ? { state, stamp } : { state })
  }

  #forget(path: RelPath): void {
    this.#dropCopy(path)
    this.#undigested.delete(path)
    this.#bases.delete(path)
  }
}

/** An upper bound of its size in memory: a string may take two bytes a character. */
function bytesOf(content: Uint8Array | string): number {
  return typeof content === 'string' ? content.length * 2 : content.length
}

/** A string and a buffer count as different. The cost is one more digest. */
function sameBytes(a: Buffer | string, b: Uint8Array | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return Buffer.compare(a, b) === 0
}
