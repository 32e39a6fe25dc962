import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import { digest, isWithin, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import { createFile, removeTree } from '../os/write.js'
import { CopiedTree, stampOf } from './copied-entry.js'
import { copiedGit } from './copied-git.js'
import {
  allChanges,
  type CopyChange,
  type CopyChanges,
  type CopySearch,
  changesAmong,
  changesBelow,
} from './copy-changes.js'
import { effectsOf, liveEffects } from './copy-effects.js'
import { CopyPlan, CopyWriter } from './copy-writer.js'
import { type EffectQuery, type Effects, unreadable } from './effects.js'
import { FindShell } from './find-shell.js'
import type { GitChanges } from './git-layer.js'
import { StagedPaths } from './staged-paths.js'
import { GIT } from './stored-git.js'
import { type Clocks, changedEntries, readClocks, wasSetBack } from './tree-scan.js'

/**
 * Milliseconds by which the time of a change on disk may be too early, because some file systems keep only whole
 * seconds.
 */
const MARGIN_MS = 3_000
/** As {@link MARGIN_MS}, in nanoseconds, for the copy. There a mark in the same file system gives the time. */
const COPY_MARGIN_NS = 50_000_000n
/** Milliseconds to wait until the file system gives a later time. */
const TICK_MS = 100
/** Largest number of directories that a scan leaves out. */
const MAX_WITHOUT = 50

/** The findings of a search, for the next update of the copy or the next reading of effects. */
interface Prepared {
  readonly turn: number
  readonly clocks: Clocks
  /** Changed entries of the workspace, and of the copy; undefined if they are not known. */
  readonly disk: readonly RelPath[] | undefined
  readonly copy: readonly RelPath[] | undefined
}

/** A time of the copy's file system (nanoseconds), and when it was taken. */
interface Mark {
  readonly time: bigint
  readonly clocks: Clocks
}

/** A copy of the workspace in a directory `tree` of `scratch`, and the commands' changes in it. */
export class Copy {
  /** Counts runs and updates from the stage, which change the copy. */
  #turn = 0
  readonly #copied = new CopiedTree()
  readonly #staged = new StagedPaths()
  readonly #writer: CopyWriter
  #closed: ReadonlySet<RelPath> = new Set()
  #kept: ReadonlySet<RelPath> = new Set()
  /** When the disk was last read. Undefined if the copy is not whole. */
  #readAt: Clocks | undefined
  /** The time of the copy's file system after the copy was made; undefined if that does not show later changes. */
  #mark: Mark | undefined
  #found: (CopyChanges & { readonly turn: number }) | undefined
  #foundInGit: { readonly turn: number; readonly changes: readonly CopyChange[] } | undefined
  #prepared: Prepared | undefined
  readonly #finder = new FindShell()
  private readonly tree: string

  /** @param isContained whether every process of a command has ended with it */
  constructor(
    private readonly root: string,
    private readonly scratch: string,
    private readonly isContained: boolean,
  ) {
    this.tree = `${scratch}/tree`
    this.#writer = new CopyWriter(root, this.tree, this.#copied)
    const onChange = () => void this.#turn++
    this.git = copiedGit(root, this.tree, () => this.#gitChanges(), onChange)
  }

  /** The commands' changes in the repository's `.git`. */
  readonly git: GitChanges

  /** The time of the workspace that the copy shows (nanoseconds). */
  readAt(): bigint {
    return lstatSync(`${this.scratch}/stamp`, { bigint: true }).ctimeNs
  }

  /** A command starts: from now on any entry may change. */
  begin(): void {
    this.#turn++
  }

  /** Starts the shell for the search that follows a command. */
  prepareSearch(): void {
    if (this.isContained) this.#finder.start()
  }

  close(): void {
    this.#finder.close()
  }

  /** Finds out which entries of the copy, and before {@link seed} of the workspace, have changed. No command may run. */
  async prepare(next: 'seed' | 'effects'): Promise<void> {
    if (!this.isContained) return
    const turn = this.#turn
    if (next === 'seed') this.#stamp()
    const clocks = readClocks()
    const isCopyKnown = next === 'seed' && this.#found?.turn === turn
    const [disk, copy] = await Promise.all([
      next === 'seed' ? this.#scanDisk(clocks) : undefined,
      isCopyKnown ? undefined : this.#scanCopy(clocks),
    ])
    this.#prepared = { turn, clocks, disk, copy }
  }

  // ---- stage to copy

  seed(overlay: Overlay, closed: ReadonlySet<RelPath>): void {
    const prepared = this.#takePrepared()
    if (prepared === undefined) this.#stamp()
    const clocks = prepared?.clocks ?? readClocks()
    this.#findForSeed(prepared)
    const isKnown = this.#found?.turn === this.#turn
    const changed = new Set(isKnown ? this.#found?.changes.map(({ path }) => path) : [])
    const plan = new CopyPlan((path) => isKnown && !changed.has(path))
    const staged = this.#staged.changed(overlay)
    const isSameView = isEqual(this.#closed, closed) && staged !== undefined
    if (isSameView && isKnown && this.#readAt !== undefined && prepared?.disk !== undefined) {
      for (const path of [...changed, ...staged.single, ...this.#staged.showing(prepared.disk)]) plan.add(path, false)
      for (const path of staged.whole) plan.add(path, true)
    } else plan.add(ROOT, true)
    this.#readAt = undefined
    this.#closed = closed
    const hasWritten = this.#writer.bring({ overlay, closed, kept: this.#kept }, plan)
    this.#turn++
    this.#found = { turn: this.#turn, changes: [], kept: [] }
    this.#mark = this.isContained ? this.#makeMark(hasWritten) : undefined
    this.#readAt = clocks
  }

  /** The changes since the last update from the stage, if the last reading of effects did not find them. */
  #findForSeed(prepared: Prepared | undefined): void {
    if (prepared?.copy === undefined || this.#found?.turn === this.#turn) return
    const search = this.#search((path) => this.#kept.has(path))
    this.#found = { turn: this.#turn, ...changesAmong(search, prepared.copy, []) }
  }

  // ---- copy to stage

  seededState(path: RelPath): string | undefined {
    const copied = this.#copied.get(path)
    if (copied === undefined) return 'gone'
    const at = `${this.tree}/${path}`
    const now = lookAt(at)
    if (!now || copied.stamp !== stampOf(now)) return undefined
    if (now.isDirectory()) return 'dir'
    return digest(now.isSymbolicLink() ? readlinkSync(at) : readFileSync(at))
  }

  effects(query: EffectQuery): Effects {
    const found = query.isLive ? liveEffects(this.tree, this.#copied, query) : this.#finalEffects(query)
    this.#kept = new Set([...this.#kept, ...found.kept])
    return found
  }

  #finalEffects(query: EffectQuery): Effects {
    const candidates = this.#takePrepared()?.copy
    const search = this.#search(query.isKept)
    try {
      const found = candidates === undefined ? allChanges(search) : changesAmong(search, candidates, this.#kept)
      // Without containment a process may go on.
      this.#found = this.isContained ? { turn: this.#turn, ...found } : undefined
      return effectsOf(this.tree, found, this.#copied, query)
    } catch (error) {
      throw unreadable(error)
    }
  }

  #gitChanges(): readonly CopyChange[] {
    if (this.#found?.turn === this.#turn) return this.#found.changes.filter(({ path }) => isWithin(path, GIT))
    if (this.#foundInGit?.turn !== this.#turn)
      this.#foundInGit = {
        turn: this.#turn,
        changes: changesBelow(
          this.#search(() => false),
          GIT,
        ).changes,
      }
    return this.#foundInGit.changes
  }

  #search(isKept: CopySearch['isKept']): CopySearch {
    return { tree: this.tree, copied: this.#copied, isKept }
  }

  // ---- changes

  #takePrepared(): Prepared | undefined {
    const prepared = this.#prepared
    this.#prepared = undefined
    return prepared?.turn === this.#turn ? prepared : undefined
  }

  async #scanDisk(now: Clocks): Promise<readonly RelPath[] | undefined> {
    const before = this.#readAt
    if (before === undefined || wasSetBack(before, now)) return undefined
    const since = BigInt(Math.floor(before.wall - MARGIN_MS)) * 1_000_000n
    return changedEntries({ tree: this.root, since, proof: `${this.scratch}/stamp` }, this.#finder)
  }

  async #scanCopy(now: Clocks): Promise<readonly RelPath[] | undefined> {
    if (this.#mark === undefined || wasSetBack(this.#mark.clocks, now)) return undefined
    const without = [...this.#kept].filter((path) => this.#copied.get(path) === undefined).slice(0, MAX_WITHOUT)
    const since = this.#mark.time - COPY_MARGIN_NS
    return changedEntries({ tree: this.tree, since, proof: `${this.scratch}/mark`, without }, this.#finder)
  }

  #stamp(): void {
    this.#touch('stamp')
  }

  /** @param isLater whether the time must be later than that of the last change: then every later change has another time. */
  #makeMark(isLater: boolean): Mark | undefined {
    const clocks = readClocks()
    const first = this.#touch('mark')
    let time = first
    while (isLater && time === first && readClocks().steady - clocks.steady < TICK_MS) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)
      time = this.#touch('mark')
    }
    // A file system with whole seconds alone does not tell changes from copies.
    const isFine = time % 1_000_000_000n !== 0n && (!isLater || time > first)
    return isFine ? { time, clocks } : undefined
  }

  /** Makes a file of ours again. @returns its time (nanoseconds) */
  #touch(name: 'stamp' | 'mark'): bigint {
    const at = `${this.scratch}/${name}`
    removeTree(at)
    createFile(at, '', 0o600, false)
    return lstatSync(at, { bigint: true }).ctimeNs
  }
}

function isEqual(a: ReadonlySet<RelPath>, b: ReadonlySet<RelPath>): boolean {
  return a.size === b.size && [...a].every((each) => b.has(each))
}
