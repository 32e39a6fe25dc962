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

/** Up to this many bytes, a content is copied when it is read and digested later. */
const SMALL = 1 << 16
/** Bytes of such copies kept at once. */
const MAX_COPIED = 1 << 23

interface Copy {
  readonly content: Buffer | string
  /** When it was read, in milliseconds since 1970. */
  readonly when: number
}

/**
 * What the model last saw of each file on disk, absence included. It knows the disk alone, not the stage, so the stage
 * can be built over it: {@link baseOf} is what a first touch of a file rests on.
 */
export class SeenFiles {
  readonly #bases = new Map<string, Base>()
  /** Small contents as they were last seen: the next read mostly finds the same bytes, and then there is nothing to do. */
  readonly #copies = new Map<string, Copy>()
  #copiedBytes = 0
  /** Copies that {@link #bases} does not cover yet. */
  readonly #undigested = new Set<string>()

  constructor(private readonly lower: Lower) {}

  /**
   * A read was answered.
   * @param content undefined where there was no file; a string is the whole of valid UTF-8.
   * @param known the content's digest, if the caller has it.
   */
  record(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void {
    if (content === undefined) this.#setBase(path, { state: null })
    else if (content.length <= SMALL) this.#copy(path, content)
    else this.#recordLarge(path, content, known)
  }

  /** Whether the file is as it was when it was last seen, by its stamp. */
  isCurrent(path: RelPath, stamp: string): boolean {
    return this.#bases.get(path)?.stamp === stamp
  }

  /** What a first touch of a path rests on; undefined for a file the model has not seen. */
  readonly baseOf = (path: RelPath): Base | undefined => {
    this.#digest(path)
    return this.#bases.get(path)
  }

  /** Every path the model has seen. */
  paths(): string[] {
    return [...this.#bases.keys(), ...this.#undigested]
  }

  /** The session's own commit counts as seen. Where it put a directory in a file's place, the files in it have bases of their own. */
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

  /** A base that comes from elsewhere than a copy: the copy no longer says anything. */
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
    // The stamp is of now and the content of then: they belong together only if nothing changed in between.
    const unchanged = isSettled(Number(stats.ctimeNs) / 1e6, copy.when)
    this.#bases.set(path, unchanged && stamp !== undefined ? { state, stamp } : { state })
  }

  #forget(path: RelPath): void {
    this.#dropCopy(path)
    this.#undigested.delete(path)
    this.#bases.delete(path)
  }
}

/** Bytes it takes in memory, at most: a string may have two bytes a character. */
function bytesOf(content: Uint8Array | string): number {
  return typeof content === 'string' ? content.length * 2 : content.length
}

/** A string and a buffer count as different: then one is digested again, and nothing is lost. */
function sameBytes(a: Buffer | string, b: Uint8Array | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return Buffer.compare(a, b) === 0
}
