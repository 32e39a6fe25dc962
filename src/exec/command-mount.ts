import { ancestorsOf, type Overlay, parentOf, type RelPath } from '../../overlay/index.js'
import type { ExecOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { ContainmentInfo } from '../core/protection.js'
import { withFrozenStamps } from '../os/cached-file.js'
import { gitIgnored } from '../policy/index.js'
import { sessionCommitsAfter } from '../stage/index.js'
import {
  type ApplyResult,
  applyEffects,
  type Effect,
  type Effects,
  GIT,
  type Place,
  type RefusedEffect,
} from '../terminal/index.js'
import type { AdmittedCommand, ExecDeps } from './command-gate.js'
import { DiskWatch } from './disk-changes.js'
import { IngestLedger, withAncestors } from './ingest-ledger.js'
import { assertUncontainedAllowed, keepsRequired, openPlace, type PlaceRequest, runIn } from './open-place.js'
import { type GitOutcome, PrivateGit } from './private-git.js'
import type { MountGit } from './proposed-commits.js'

type Isolation = ExecOptions['isolation']

/** The result of ingesting a command's effects. */
export interface IngestedEffects {
  readonly refused: RefusedEffect[]
  /** Paths that git ignores, each listed once. */
  readonly kept: RelPath[]
  /** Paths that a running command was writing. */
  readonly unsettled: RelPath[]
}

/** A mount of the staged view that commands run on: it is seeded from the stage, and its effects are ingested into the stage. */
export class CommandMount {
  /** Paths the command may not see. */
  #closed: ReadonlySet<RelPath> = new Set()
  /** Kept paths that were listed before. */
  #kept: ReadonlySet<RelPath> = new Set()
  readonly #ledger = new IngestLedger()
  readonly #disk = new DiskWatch(this.#ledger)
  /** Paths that others have changed in the stage since the command started. */
  readonly #touched = new Set<string>()
  #stopListening: (() => void) | undefined
  /** The last commit that the mount shows. */
  #seq = 0
  #isIngesting = false

  readonly #git: PrivateGit

  private constructor(
    private readonly place: Place,
    /** Undefined for a copy without containment. */
    readonly containment: ContainmentInfo | undefined,
    private readonly deps: ExecDeps,
    private readonly isExclusive: boolean,
  ) {
    this.#git = new PrivateGit(deps, place.git)
  }

  /**
   * @param isExclusive one command has the mount for all its life: ingested effects stay in the layer and are
   * remembered.
   */
  static async open(deps: ExecDeps, isExclusive: boolean, request: PlaceRequest): Promise<CommandMount> {
    const { place, containment } = await openPlace(deps.layout.root, deps.policy, request)
    return new CommandMount(place, containment, deps, isExclusive)
  }

  /** @throws EscrowError `unsupported` if the mount is a copy and neither policy nor the caller still allows one. */
  assertAllowed(isolation?: Isolation): void {
    if (this.place.isolation !== 'none') return
    assertUncontainedAllowed(
      this.deps.policy,
      isolation,
      'Commands on this machine run on a copy, without containment.',
    )
  }

  /** Whether a command can still run in it: it exists, and has the protections that policy and the command require now. */
  isUsableFor(request: PlaceRequest): boolean {
    return this.isAlive && keepsRequired(this.containment, this.deps.policy, request)
  }

  get isAlive(): boolean {
    return this.place.isAlive
  }

  get isolation(): 'sandbox' | 'none' {
    return this.place.isolation
  }

  get startsWith(): Place['startsWith'] {
    return this.place.startsWith
  }

  run(options: Parameters<Place['run']>[0]): ReturnType<Place['run']> {
    return runIn({ place: this.place, containment: this.containment }, options)
  }

  /** Makes the next {@link seed}, or the reading of a finished command's effects, cheap. Call it right before. */
  readonly prepare = async (next: 'seed' | 'effects'): Promise<void> => this.place.prepare?.(next)

  // ---- stage to mount

  /** Brings the mount up to the stage, and tracks from now on which paths others change in the stage. */
  seed(closed: readonly RelPath[]): void {
    const { store } = this.deps
    this.stopTracking()
    store.overlay.giveWayAll()
    this.#closed = new Set(closed)
    this.#disk.begin(store.overlay, gitIgnoredIn(store.overlay))
    this.#touched.clear()
    this.#seq = store.overlay.stage.settledSeq
    this.#stopListening = store.overlay.stage.onEdit((edit) => {
      if (this.#isIngesting) return
      if ('path' in edit) this.#touched.add(edit.path)
      if ('from' in edit) this.#touched.add(edit.from).add(edit.to)
    })
    this.place.seed(store.overlay, closed)
    this.#git.load()
  }

  stopTracking(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#disk.end()
  }

  /** Copies the kept files of another mount, in which no command may be running. */
  copyKept(from: CommandMount): void {
    // A sandbox's layer and a copy represent deletions differently.
    if (!from.isAlive || from.containment?.tree !== this.containment?.tree) return
    const { overlay } = this.deps.store
    const remaining = [...from.#kept].filter((path) => ancestorsOf(path).every((dir) => overlay.typeOf(dir) === 'dir'))
    this.place.copyKept(from.place, remaining, overlay)
    this.#kept = new Set(remaining)
  }

  /**
   * Shows a running command the changes that others have staged since. Paths that cannot be updated stay touched: its
   * writes there are refused.
   */
  refresh(): void {
    const { overlay } = this.deps.store
    const touched = ([...this.#touched] as RelPath[]).filter((path) => !this.#isClosed(path))
    const updated = new Set(touched.sort().filter((path) => this.place.updatePath(overlay, path)))
    if (updated.size === 0) return
    for (const path of updated) {
      this.#touched.delete(path)
      if (overlay.typeOf(path) === undefined) this.#ledger.forget(path)
    }
    const { effects, close } = this.findEffects(true)
    try {
      const ownEffects = effects.filter(({ path }) => updated.has(path))
      this.#ledger.recordStaged(ownEffects, overlay)
    } finally {
      close()
    }
  }

  /** @returns why nothing may be ingested: a commit has changed files under the mount, which still shows the old ones. */
  staleness(): EscrowError | undefined {
    const { layout, id } = this.deps
    for (const { seq, changes } of sessionCommitsAfter(layout, id, this.#seq)) {
      const foreign = changes.find((change) => !this.#ledger.isOwnCommit(change, this.place.seededState))
      if (!foreign) continue
      return new EscrowError(
        'stale_file',
        `Commit ${seq} changed ${foreign.path} after this command started. The command still sees the earlier content.`,
        { hint: 'Its writes are kept apart and go to the quarantine when it ends. Stop it and start it again.' },
      )
    }
    this.#seq = this.deps.store.overlay.stage.settledSeq
    return undefined
  }

  // ---- mount to stage

  /** Finds the effects that were not ingested before. Call `close` on the result. */
  findEffects(isLive: boolean): Effects {
    const { overlay } = this.deps.store
    const isIgnored = gitIgnoredIn(overlay)
    const found = this.place.effects({
      isLive,
      overlay,
      // Git may track a file that an ignore rule matches, so an existing file is not kept back.
      isKept: (path, isDirectory) =>
        (isDirectory || overlay.typeOf(path) !== 'file') &&
        isIgnored(path, isDirectory || overlay.typeOf(path) === 'dir'),
    })
    const isPrivateGit = ({ kind, path }: Effect) => kind === 'git' && path === GIT && this.#git.isKept
    const fresh = found.effects.filter((each) => !this.#ledger.isIngested(each, !isLive) && !isPrivateGit(each))
    return { ...found, effects: [...fresh, ...this.#ledger.removedSince(found, (path) => this.place.has(path))] }
  }

  /** Whether a running command has effects that were neither ingested nor refused. */
  hasNewEffects(): boolean {
    const { effects, close } = this.findEffects(true)
    close()
    return effects.some((effect) => !this.#ledger.isRefused(effect))
  }

  /** Applies effects to the stage one by one, and closes them. */
  ingest({ effects, kept, unsettled, close }: Effects): IngestedEffects {
    this.#isIngesting = true
    try {
      const result = withFrozenStamps(() => this.#apply(effects))
      if (this.isExclusive) this.#ledger.record(effects, result, this.deps.store.overlay)
      const fresh = kept.filter((path) => !this.#kept.has(path))
      this.#kept = new Set(kept)
      return { refused: result.refused, kept: fresh, unsettled: [...unsettled, ...result.unsettled] }
    } finally {
      close()
      this.#isIngesting = false
    }
  }

  #apply(effects: readonly Effect[]): ApplyResult {
    const { store, view } = this.deps
    const { overlay } = store
    const disk = this.#disk.changesSince(overlay, this.place)
    /** Removals that the layer shows only because their directory was replaced. */
    const hidden = new Set(effects.flatMap((each) => (each.kind === 'gone' && each.hidden ? [each.path] : [])))
    const conflicts = {
      isClosed: (path: RelPath) => this.#isClosed(path),
      isStale: (path: RelPath) =>
        disk.isStale(path) ||
        withAncestors(path).some(
          (each) => this.#touched.has(each) || (hidden.has(each) && disk.isChangedDir(parentOf(each))),
        ),
      // A commit of ingested files changes the directories they are in.
      isStaleTree: (dir: RelPath) => disk.isChangedDir(dir) && !this.#ledger.hasContentBelow(dir),
    }
    return applyEffects(effects, view, overlay, conflicts, disk.startedAt)
  }

  #isClosed(path: RelPath): boolean {
    return withAncestors(path).some((each) => this.#closed.has(each))
  }

  /** Whether the state of a path, or its absence, came from this mount. */
  hasIngested(path: RelPath): boolean {
    return this.#ledger.hasIngested(path)
  }

  /** Removes handled effects from the layer before the next command runs. */
  clear(effects: readonly Effect[]): void {
    this.place.clear(effects)
  }

  /** Brings the session's private repository up to the one on disk. Call it after {@link seed}. */
  followGit(admitted: AdmittedCommand): Promise<void> {
    return this.#git.follow(this.#mountGit(admitted))
  }

  /** Keeps a command's changes of `.git` for the session's later commands. Call it after {@link ingest}. */
  keepGit(admitted: AdmittedCommand): Promise<GitOutcome | undefined> {
    return this.#git.end(this.#mountGit(admitted))
  }

  dropGit(): void {
    this.#git.drop()
  }

  #mountGit(admitted: AdmittedCommand): MountGit {
    return { mount: this, admitted, root: this.deps.layout.root }
  }

  /** Denials and deliveries that programs in the mount have reported since the last call. */
  readSpool(): ReturnType<Place['readSpool']> {
    return this.place.readSpool()
  }

  /** Makes reviewers' feedback readable in the mount. */
  publishFeedback(text: string): void {
    this.place.publishFeedback(text)
  }

  async close(): Promise<void> {
    this.stopTracking()
    await this.place.close()
  }
}

function gitIgnoredIn(overlay: Overlay): ReturnType<typeof gitIgnored> {
  return gitIgnored((path) => textIn(overlay, path as RelPath))
}

function textIn(overlay: Overlay, path: RelPath): string | undefined {
  return overlay.typeOf(path) === 'file' ? overlay.read(path).toString('utf8') : undefined
}
