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
 * What an op's body is given: names to places, and a layer. A read body gets a {@link ReadView}, whose layer has no
 * mutator (the third lock); a write body a {@link WriteView}.
 */
export interface ReadView {
  readonly layer: ReadLayer
  /** The workspace root, absolute. */
  readonly root: string
  /** A plain name that was found and judged a moment ago. Undefined: ask {@link at}. */
  spot(path: unknown): ResolvedPath | undefined
  /** Where a path argument leads. Throws ENOENT, ENOTDIR, ELOOP. */
  at(path: unknown, follow: Follow): Resolved
  /** Tells that a file's content was shown to the caller: the base of its content lock. `known`: its digest, where somebody has it. */
  onRead(path: RelPath, content: Uint8Array | string | undefined, known?: Digest): void
  /** As {@link onRead}, of a content that is known to be staged: the content lock has no say in it. */
  seenStaged(path: RelPath): void
  /** A file was opened for reading: what it holds now counts as shown. */
  onOpen(place: Inside): void
  readonly descriptors: ReadDescriptors
  /** What is staged is on the medium when it returns. */
  sync(): void
  /** Runs work as an op of its own: a step of a call that lets others run meanwhile, or a look outside of any call. */
  within<T>(work: () => T): T
  /** True where reading a lower file at once would hold the event loop up: it is large, or the disk was slow lately. */
  isSlow(path: RelPath): boolean
  /** Reads a place without blocking. */
  readLater(path: RelPath): Promise<Buffer>
  /** Tells how long a lower read took, in milliseconds. */
  took(milliseconds: number): void
  /** The host's own functions, for reads outside the workspace, once the place was judged. */
  host(place: Outside): HostReads
  /** The entries of a directory outside, once it was judged, without those that a rule hides. */
  entries(place: Outside): Entry[]
}

/** The descriptor table as a read row sees it: files without mutators. */
export interface ReadDescriptors {
  get(fd: unknown): Descriptor
  close(fd: unknown): void
}

export interface WriteView extends ReadView {
  readonly layer: WriteLayer & Pick<GuardedLayer, 'judge' | 'open' | 'hides' | 'prepare'>
  readonly descriptors: Descriptors
  /** Opens a place outside for reading, once it was judged. */
  openHost(place: Outside): WriteFile
  /** Where a write leads: inside, or it is refused. */
  target(path: unknown, follow: Follow, effect: Effect): Inside
}

/** What a watch is given: it goes on looking when the op is over. */
export interface WatchView extends ReadView {
  readonly layer: ReadLayer & Pick<GuardedLayer, 'judge'>
  readonly watches: Watches
  /** Whether a path may be read, asked for by a name. */
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
  /** Takes in what other processes have committed. Called before an op, never within one; a view of no live session needs none. */
  readonly catchUp?: () => void
}

/** A lower file above this (bytes) is read asynchronously by the promise and callback forms. */
const LARGE = 64 * 1024
/** So many lower reads in a row that each took longer move the later ones to the async lane for a while. */
const SLOW_READS = 2
const SLOW_MS = 2
const SLOW_FOR_MS = 2_000

/** A view for one session; `begin` starts each op. */
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

  /** Begins a call. The stage is up to date with what other processes have committed. */
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
    const place = this.#overlay.placeOf(path)
    if (place.node?.inode || place.lower === undefined) return false
    if (performance.now() < this.#slowUntil) return true
    return (this.#overlay.lower.lstat(place.lower)?.size ?? 0) > LARGE
  }

  async readLater(path: RelPath): Promise<Buffer> {
    this.layer.judge('read', path)
    this.#union ??= import('../../overlay/union-view.js').then(({ unionView }) => unionView(this.#overlay))
    return (await this.#union).readFile(path)
  }

  took(milliseconds: number): void {
    this.#slowReads = milliseconds > SLOW_MS ? this.#slowReads + 1 : 0
    if (this.#slowReads >= SLOW_READS) this.#slowUntil = performance.now() + SLOW_FOR_MS
  }

  /** Ends watches and closes descriptors; those nobody closed are said in a warning. */
  close(who: string): void {
    this.watches.closeAll()
    const leaked = this.descriptors.leakedPaths()
    this.descriptors.closeAll()
    if (leaked.length === 0) return
    const some = leaked.slice(0, 3).join(', ') + (leaked.length > 3 ? ', …' : '')
    process.emitWarning(`${who} was closed with ${leaked.length} file(s) open: ${some}`, 'EscrowLeakWarning')
  }

  spot(path: unknown): ResolvedPath | undefined {
    return this.#spots.find(path)
  }

  at(path: unknown, follow: Follow): Resolved {
    const place = this.#resolve(pathText(path), follow)
    if (place.inside) this.layer.recordName(place.path, place.asked)
    return place
  }

  /** What a walk fails with must not tell that something hidden is in the way. */
  #resolve(text: string, follow: Follow): Resolved {
    try {
      return this.#resolver.resolve(text, follow)
    } catch (error) {
      if (error instanceof Errno && this.#isBehindHidden(text)) throw new Errno('ENOENT')
      throw error
    }
  }

  /** Whether a name that cannot be walked to its end is stopped by something hidden, by whatever links it goes. */
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
    // No name at all is no name of the root.
    if (text === '') throw new Errno('ENOENT')
    const asked = this.#resolver.lexicalPath(text)
    let place: Resolved
    try {
      place = this.#resolver.resolve(text, follow)
    } catch (error) {
      // A name that leads nowhere is still refused for what it is, before it is called absent.
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
    // What is hidden is absent: no check on what stands there comes before the mutator's own refusal.
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
