import {
  asRelPath,
  type Base,
  baseOfContent,
  type Digest,
  digest,
  type FileState,
  isWithin,
  type Overlay,
  type RelPath,
  redirects,
  sameContent,
  stampOf,
  stateNow,
} from '../../overlay/index.js'
import type { ToolContext } from '../core/tool-context.js'
import type { BaseState } from './chain.js'

/** Up to this a content is copied when it is read, and digested when there is time. */
const SMALL = 1 << 16
/** Bytes of such contents that are remembered. */
const MOST_SHOWN = 1 << 23
/** Two changes can carry one timestamp on some kernels. */
const RACY_MS = 50

/** Above this an open alone does not set the base: 1 MiB takes about half a millisecond to digest. */
const LARGE = 1 << 20

interface DisplayedRead {
  readonly content: Buffer | string
  /** In milliseconds since 1970. */
  readonly when: number
}

/**
 * The content lock: a write must rest on what the disk holds. The base is what the model last saw (a read tool's read,
 * or a plain read outside any tool), absence included. An edit tool's own re-read moves no base, else no edit made
 * meanwhile would ever be caught.
 */
export class ContentLock {
  readonly #seen = new Map<string, Base>()
  /** Small contents as they were shown last: what is read again is mostly what it was, and then nothing is to be done. */
  readonly #shown = new Map<string, DisplayedRead>()
  #shownBytes = 0
  /** Those of them that {@link #seen} does not have yet. */
  readonly #undigested = new Set<string>()

  constructor(
    private readonly overlay: () => Overlay,
    private readonly tool: () => ToolContext | undefined,
  ) {}

  /**
   * A read was answered. Content is undefined where the file was absent; a text is the whole of valid UTF-8.
   * @param known the content's digest, where somebody has it
   */
  saw(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void {
    const kind = this.tool()?.kind
    if (kind !== undefined && kind !== 'read') return
    const { node, lower } = this.overlay().placeOf(path)
    if (node?.inode) return
    const at = lower ?? path
    if (content === undefined) {
      this.#set(at, { state: null })
    } else if (content.length <= SMALL) this.#keep(at, content)
    else this.#noteLarge(at, content, known)
  }

  /** A small content is copied and digested later: the copy costs a tenth of the digest, and most are never needed. */
  #keep(at: RelPath, content: Uint8Array | string): void {
    const known = this.#shown.get(at)
    if (known && sameBytes(known.content, content)) return
    this.#forgetContent(at)
    if (this.#shownBytes + bytesOf(content) > MOST_SHOWN) this.#forgetContents()
    this.#shown.set(at, { content: typeof content === 'string' ? content : Buffer.from(content), when: Date.now() })
    this.#shownBytes += bytesOf(content)
    this.#undigested.add(at)
    if (this.#undigested.size === 1) setImmediate(() => this.#digestAll())
  }

  #noteLarge(at: RelPath, content: Uint8Array | string, known: Digest | undefined): void {
    const stats = this.overlay().lower.lstatBig(at)
    // Unchanged since it was last seen: the digest is known.
    if (!stats?.isFile() || this.#seen.get(at)?.stamp === stampOf(stats)) return
    this.#set(at, baseOfContent(content, stats, known))
  }

  /** What is seen by another way than {@link #keep}: the content shown before is nothing to it. */
  #set(at: RelPath, base: Base): void {
    this.#forget(at)
    this.#seen.set(at, base)
  }

  #forgetContent(at: RelPath): void {
    const shown = this.#shown.get(at)
    if (!shown) return
    this.#shownBytes -= bytesOf(shown.content)
    this.#shown.delete(at)
  }

  #forgetContents(): void {
    this.#digestAll()
    this.#shown.clear()
    this.#shownBytes = 0
  }

  #digestAll(): void {
    for (const at of this.#undigested) this.#digest(at as RelPath)
  }

  #digest(at: RelPath): void {
    const shown = this.#undigested.delete(at) ? this.#shown.get(at) : undefined
    if (!shown) return
    const stats = this.overlay().lower.lstatBig(at)
    if (!stats?.isFile()) {
      this.#seen.set(at, { state: { type: 'file', digest: digest(shown.content), mode: 0o644 } })
      return
    }
    const { state, stamp } = baseOfContent(shown.content, stats)
    // The stamp is of now, the content of then: they belong together only if nothing changed in between.
    const unchanged = Number(stats.ctimeMs) < shown.when - RACY_MS
    this.#seen.set(at, unchanged && stamp !== undefined ? { state, stamp } : { state })
  }

  /** A file was opened for reading: what it holds now is its base. A large one is not read for that. */
  onOpen(path: RelPath): void {
    const { node, lower } = this.overlay().placeOf(path)
    const stats = node?.inode || lower === undefined ? undefined : this.overlay().lower.lstatBig(lower)
    if (!stats?.isFile() || stats.size > LARGE || lower === undefined) return
    if (this.#seen.get(lower)?.stamp !== stampOf(stats)) this.saw(path, this.overlay().lower.read(lower))
  }

  /**
   * Stale: the disk holds something else than the base; unread: it holds a file without one. Never so for what is
   * staged: drift is shown in review.
   */
  check(path: string): BaseState {
    const overlay = this.overlay()
    const { node, lower } = overlay.placeOf(path as RelPath)
    if (node?.inode || node?.whiteout || overlay.stage.bases.has(path)) return 'fresh'
    const at = lower ?? (path as RelPath)
    this.#digest(at)
    const base = this.#seen.get(at)
    if (!base) return lower !== undefined && overlay.lower.typeOf(lower) === 'file' ? 'unread' : 'fresh'
    if (base.state?.type === 'dir') return 'fresh'
    // Where the view comes to it, no link stands above it: that need not be looked at again for each write.
    const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
    return sameContent(stateNow(overlay.lower, at, base, stats), base.state) ? 'fresh' : 'stale'
  }

  /** The names below a directory that show a content the model has seen. */
  readBelow(dir: RelPath): RelPath[] {
    const { node, lower } = this.overlay().placeOf(dir)
    const shows = [...(lower === undefined ? [] : [{ at: dir, lower }]), ...(node ? redirects(node, dir) : [])]
    return [...this.#seen.keys(), ...this.#undigested].flatMap((seen) =>
      shows
        .filter((each) => seen !== each.lower && isWithin(seen, each.lower))
        .map((each) => asRelPath(each.at + seen.slice(each.lower.length))),
    )
  }

  /** What a first touch of a path rests on, where the model has seen it. */
  baseOf(path: RelPath): Base | undefined {
    this.#digest(path)
    return this.#seen.get(path)
  }

  /** The session's own commit is a base too. A file gave way to a directory: what is in that has bases of its own. */
  onCommitted(path: RelPath, after: FileState | null): void {
    if (!this.#shown.has(path) && !this.#seen.has(path)) return
    if (after?.type === 'dir' || this.overlay().lower.typeOf(path) === 'dir') this.#forget(path)
    else this.#set(path, { state: after })
  }

  #forget(at: RelPath): void {
    this.#forgetContent(at)
    this.#undigested.delete(at)
    this.#seen.delete(at)
  }
}

/** What it takes in memory, at most: a text may have two bytes a character. */
function bytesOf(content: Uint8Array | string): number {
  return typeof content === 'string' ? content.length * 2 : content.length
}

/** A text and a buffer count as different: one is digested in the other's place, and nothing is lost. */
function sameBytes(a: Buffer | string, b: Uint8Array | string): boolean {
  if (typeof a === 'string' || typeof b === 'string') return a === b
  return Buffer.compare(a, b) === 0
}
