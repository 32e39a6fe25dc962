import fs from 'node:fs'
import { dirname, join } from 'node:path'
import {
  asRelPath,
  type Digest,
  type Entry,
  Errno,
  entryOf,
  type Follow,
  type Inside,
  type Outside,
  type Overlay,
  pathText,
  type ReadLayer,
  type RelPath,
  type Resolved,
  type Resolver,
  type UnionView,
  type WriteFile,
  type WriteLayer,
} from '../../overlay/index.js'
import type { Effect } from '../core/decision.js'
import { type Descriptor, Descriptors, openOutside } from './descriptors.js'
import type { GuardedLayer, Op } from './guarded.js'
import { HOST_READS, type HostReads } from './host-reads.js'
import { type ResolvedPath, ResolvedPathCache } from './resolved-path-cache.js'
import { Watches } from './watches.js'

/**
 * The input of an op's body: name resolution and a layer. A read body gets a {@link ReadView}, whose layer has no
 * mutator (the third lock); a write body a {@link WriteView}.
 */
export interface ReadView {
  readonly layer: ReadLayer
  /** The workspace root, absolute. */
  readonly root: string
  /** A plain name that was resolved and judged a moment ago. Undefined: call {@link at}. */
  cached(path: unknown): ResolvedPath | undefined
  /** Resolves a path argument. Throws ENOENT, ENOTDIR, ELOOP. */
  at(path: unknown, follow: Follow): Resolved
  /**
   * Records that the caller has seen a file's content, the base of its content lock. `known`: its digest, if the caller
   * has it.
   */
  onRead(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void
  /** As {@link onRead}, for content that is known to be staged, which the content lock ignores. */
  seenStaged(path: RelPath): void
  /** Records that a file was opened for reading: its current content counts as seen. */
  onOpen(place: Inside): void
  readonly descriptors: ReadDescriptors
  /** Makes everything staged durable before it returns. */
  sync(): void
  /** Runs work as an op of its own: a step of a call that yields to others, or a check outside any call. */
  within<T>(work: () => T): T
  /** Whether reading a lower file at once would block the event loop: it is large, or the disk was slow recently. */
  isSlow(path: RelPath): boolean
  /** Reads a place without blocking. */
  readLater(path: RelPath): Promise<Buffer>
  /** Records how many milliseconds a lower read took. */
  recordReadTime(milliseconds: number): void
  /** The host's own functions for a place outside the workspace, after it was judged. */
  host(place: Outside): HostReads
  /** The entries of a directory outside, after it was judged, without those that a rule hides. */
  entries(place: Outside): Entry[]
}

/** The descriptor table for a read row: files without mutators. */
export interface ReadDescriptors {
  get(fd: unknown): Descriptor
  close(fd: unknown): void
}

export interface WriteView extends ReadView {
  readonly layer: WriteLayer & Pick<GuardedLayer, 'judge' | 'open' | 'hides' | 'prepare'>
  readonly descriptors: Descriptors
  /** Opens a place outside for reading, after it was judged. */
  openHost(place: Outside): WriteFile
  /** Resolves the target of a write in the workspace. Refuses one outside. */
  target(path: unknown, follow: Follow, effect: Effect): Inside
}

/** The view of a watch, which continues after its op. */
export interface WatchView extends ReadView {
  readonly layer: ReadLayer & Pick<GuardedLayer, 'judge'>
  readonly watches: Watches
  /** Whether a path may be read, by the requested name. */
  mayRead(path: string, asked: string): boolean
}

export interface ViewDeps {
  readonly root: string
  readonly resolver: Resolver
  readonly overlay: Overlay
  readonly layer: GuardedLayer
  readonly seen: ReadView['onRead']
  readonly seenStaged: ReadView['seenStaged']
  readonly opened: ReadView['onOpen']
  readonly sync: () => void
  /**
   * Reconciles with other processes' commits. Called before an op, never within one. Absent for a view without a live
   * session.
   */
  readonly catchUp?: () => void
}

/** Above this size (bytes), the promise and callback forms read a lower file asynchronously. */
const LARGE = 64 * 1024
/** After this many slow lower reads in a row, reads use the async lane for {@link SLOW_FOR_MS}. */
const SLOW_READS = 2
const SLOW_MS = 2
const SLOW_FOR_MS = 2_000

/** The view of one session. `begin` starts each op. */
export class View implements WriteView, WatchView {
  readonly layer: GuardedLayer
  readonly root: string
  readonly onRead: ReadView['onRead']
  readonly seenStaged: ReadView['seenStaged']
  readonly onOpen: ReadView['onOpen']
  readonly sync: () => void
  readonly descriptors = new Descriptors()
  readonly watches: Watches
  readonly #resolver: Resolver
  readonly #overlay: Overlay
  /** Loaded with the first read of the async lane. */
  #union: Promise<UnionView> | undefined
  readonly #spots: ResolvedPathCache
  readonly #catchUp: (() => void) | undefined
  #depth = 0
  #slowUntil = 0
  #slowReads = 0

  constructor(deps: ViewDeps) {
    this.layer = deps.layer
    this.root = deps.root
    this.onRead = deps.seen
    this.seenStaged = deps.seenStaged
    this.onOpen = deps.opened
    this.sync = deps.sync
    this.#catchUp = deps.catchUp
    this.watches = new Watches(deps.overlay)
    this.#resolver = deps.resolver
    this.#overlay = deps.overlay
    this.#spots = new ResolvedPathCache(deps.resolver, deps.overlay, deps.layer)
  }

  /** Begins a call, after reconciling the stage with other processes' commits. */
  begin(): Op {
    if (this.#depth === 0) this.#catchUp?.()
    return this.#enter()
  }

  #enter(): Op {
    this.#depth++
    this.#overlay.lower.begin()
    return this.layer.begin()
  }

  end(outer: Op): void {
    this.#depth--
    this.layer.end(outer)
    this.#overlay.lower.end()
  }

  within<T>(work: () => T): T {
    const outer = this.#enter()
    try {
      return work()
    } finally {
      this.end(outer)
    }
  }

  isSlow(path: RelPath): boolean {
    const place = this.#overlay.shownAt(path)
    if (place.node?.inode || place.lower === undefined) return false
    if (performance.now() < this.#slowUntil) return true
    return (this.#overlay.lower.lstat(place.lower)?.size ?? 0) > LARGE
  }

  async readLater(path: RelPath): Promise<Buffer> {
    this.layer.judge('read', path)
    this.#union ??= import('../../overlay/union-view.js').then(({ unionView }) => unionView(this.#overlay))
    return (await this.#union).readFile(path)
  }

  recordReadTime(milliseconds: number): void {
    this.#slowReads = milliseconds > SLOW_MS ? this.#slowReads + 1 : 0
    if (this.#slowReads >= SLOW_READS) this.#slowUntil = performance.now() + SLOW_FOR_MS
  }

  /** Ends watches and closes descriptors. Warns about those that were left open. */
  close(who: string): void {
    this.watches.closeAll()
    const leaked = this.descriptors.leakedPaths()
    this.descriptors.closeAll()
    if (leaked.length === 0) return
    const some = leaked.slice(0, 3).join(', ') + (leaked.length > 3 ? ', …' : '')
    process.emitWarning(`${who} was closed with ${leaked.length} file(s) open: ${some}`, 'EscrowLeakWarning')
  }

  cached(path: unknown): ResolvedPath | undefined {
    return this.#spots.find(path)
  }

  at(path: unknown, follow: Follow): Resolved {
    const place = this.#resolve(pathText(path), follow)
    if (place.inside) this.layer.recordName(place.path, place.asked)
    return place
  }

  /** Resolves a name. If a hidden path makes that fail, the error does not reveal it. */
  #resolve(text: string, follow: Follow): Resolved {
    try {
      return this.#resolver.resolve(text, follow)
    } catch (error) {
      if (error instanceof Errno && this.#isBehindHidden(text)) throw new Errno('ENOENT')
      throw error
    }
  }

  /** Whether a hidden path stops the resolution of a name, through any links. */
  #isBehindHidden(text: string): boolean {
    const asked = this.#resolver.lexicalPath(text)
    if (asked !== undefined && this.layer.hides(asRelPath(asked))) return true
    for (let dir = dirname(text); dir !== '.' && dir !== '/'; dir = dirname(dir)) {
      try {
        const place = this.#resolver.resolve(dir, 'follow')
        return place.inside && this.layer.hides(place.path)
      } catch (error) {
        if (!(error instanceof Errno)) throw error
      }
    }
    return false
  }

  target(path: unknown, follow: Follow, effect: Effect): Inside {
    const text = pathText(path)
    // An empty path does not name the root.
    if (text === '') throw new Errno('ENOENT')
    const asked = this.#resolver.lexicalPath(text)
    let place: Resolved
    try {
      place = this.#resolver.resolve(text, follow)
    } catch (error) {
      // A name that cannot be resolved is still judged before it is reported as absent.
      if (error instanceof Errno) this.layer.judgeName(effect, asked ?? text)
      if (error instanceof Errno && this.#isBehindHidden(text)) throw new Errno('ENOENT')
      throw error
    }
    if (!place.inside) {
      this.layer.judgeName(effect, place.path, place.asked)
      throw new Errno('EXDEV')
    }
    if (asked === undefined) this.layer.judgeName(effect, text.startsWith('/') ? text : `/${text}`)
    this.layer.recordName(place.path, place.asked)
    // A hidden path is absent: no check of its entry comes before the mutator's own refusal.
    return place.type !== undefined && this.layer.hides(place.path) ? { ...place, type: undefined } : place
  }

  host(place: Outside): HostReads {
    this.layer.judgeName('read', place.path, place.asked)
    return HOST_READS
  }

  mayRead(path: string, asked: string): boolean {
    return this.layer.mayRead(path, asked)
  }

  entries(place: Outside): Entry[] {
    const { path, asked } = place
    this.layer.judgeName('read', path, asked)
    const entries = fs.readdirSync(path, { withFileTypes: true }).map(entryOf)
    return entries.filter(({ name }) => !this.layer.hidesName(join(path, name), join(asked, name)))
  }

  openHost(place: Outside): WriteFile {
    const judge = () => this.layer.judgeName('read', place.path, place.asked)
    judge()
    return openOutside(place.path, judge)
  }
}
