// Long because: a mount and the ledger of effects it has ingested change together.
import {
  ancestorsOf,
  type CommittedPath,
  mergedState,
  type Overlay,
  parentOf,
  type RelPath,
  ROOT,
} from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { withFrozenStamps } from '../host/cached-file.js'
import { gitIgnored } from '../policy/index.js'
import { sessionCommitsAfter } from '../stage/index.js'
import {
  type Effect,
  type Effects,
  landEffects,
  openCopy,
  openSandbox,
  type Place,
  probe,
  type RefusedEffect,
} from '../terminal/index.js'
import type { ExecDeps } from './admitted-command.js'
import { ABSENT_EFFECT, changedSince, DIRECTORY, isSame, tokenOf } from './effects.js'
import { admitUncontained, type Isolation, mountWithin } from './isolation.js'

/** What was read from the layer, judged, and what became of it. */
export interface IngestedEffects {
  readonly refused: RefusedEffect[]
  /** What git ignores, told the first time. */
  readonly kept: RelPath[]
  /** What a command that is still at work was writing. */
  readonly unsettled: RelPath[]
}

/** Where commands run: what they see, and what was taken in of what was written. */
export class CommandMount {
  #closed: ReadonlySet<RelPath> = new Set()
  /** What was told of before as kept. */
  #kept: ReadonlySet<RelPath> = new Set()
  /** What is in the layer and was taken in: by what it was. */
  readonly #done = new Map<RelPath, string>()
  readonly #refused = new Map<RelPath, string>()
  /** Each content this ground's commands had at a path when it was taken in. */
  readonly #own = new Map<RelPath, Set<string>>()
  /** The paths of these, and the directories they are in. */
  readonly #ownWays = new Set<RelPath>()
  readonly #touched = new Set<string>()
  #stopListening: (() => void) | undefined
  #seq = 0
  /** When the command began. */
  #began = 0
  #isLanding = false

  private constructor(
    private readonly place: Place,
    private readonly deps: ExecDeps,
    private readonly isLasting: boolean,
  ) {}

  /** @param isLasting one command's for all its life: what was taken in of it stays in the layer, and is remembered. */
  static async open(deps: ExecDeps, isLasting: boolean, isolation?: Isolation): Promise<CommandMount> {
    const { root } = deps.layout
    const lacking = (await probe()).find(({ ok }) => !ok) ?? mountWithin(root)
    if (lacking === undefined) return new CommandMount(await openSandbox(root), deps, isLasting)
    const problem = `Commands cannot be contained here (${lacking.name}): ${lacking.problem}`
    admitUncontained(deps, isolation, problem, lacking.mend)
    return new CommandMount(openCopy(root), deps, isLasting)
  }

  /** Throws where it holds nothing in and that is not allowed any more, or was for another command alone. */
  admit(isolation?: Isolation): void {
    if (this.place.isolation === 'none')
      admitUncontained(this.deps, isolation, 'Commands run on a copy here, held in by nothing.')
  }

  get isAlive(): boolean {
    return this.place.isAlive
  }

  get isolation(): 'sandbox' | 'none' {
    return this.place.isolation
  }

  run(options: Parameters<Place['run']>[0]): ReturnType<Place['run']> {
    return this.place.run(options)
  }

  /** Makes the layers say what the stage says, and notes from now on what others change in it. */
  seed(closed: readonly RelPath[]): void {
    const { store } = this.deps
    this.settle()
    store.overlay.giveWayAll()
    this.#closed = new Set(closed)
    this.#touched.clear()
    this.#seq = store.overlay.stage.settledSeq
    this.#stopListening = store.overlay.stage.onEdit((edit) => {
      if (this.#isLanding) return
      if ('path' in edit) this.#touched.add(edit.path)
      if ('from' in edit) this.#touched.add(edit.from).add(edit.to)
    })
    this.place.seed(store.overlay, closed)
    this.#began = Date.now()
  }

  /** Takes along what is kept for later commands in another ground, where nothing runs. */
  bring(from: CommandMount): void {
    // What it was made of is another thing here: neither is brought to the other.
    if (!from.isAlive || from.isolation !== this.isolation) return
    const { overlay } = this.deps.store
    const kept = [...from.#kept].filter((path) => ancestorsOf(path).every((dir) => overlay.typeOf(dir) === 'dir'))
    this.place.bring(from.place, kept, overlay)
    this.#kept = new Set(kept)
  }

  /**
   * Shows a command at work what others have staged since. What it cannot be shown stays foreign to it: what it does there is
   * refused. What it makes of the rest is its own, again.
   */
  refresh(): void {
    const { overlay } = this.deps.store
    const touched = ([...this.#touched] as RelPath[]).filter(
      (path) => !wayTo(path).some((way) => this.#closed.has(way)),
    )
    const shown = new Set(touched.sort().filter((path) => this.place.show(overlay, path)))
    if (shown.size === 0) return
    for (const path of shown) {
      this.#touched.delete(path)
      if (overlay.typeOf(path) === undefined) this.#done.delete(path)
    }
    const { effects, close } = this.findEffects(true)
    const isStaged = (each: Effect) => shown.has(each.path) && isSame(each, mergedState(overlay, each.path))
    try {
      this.#remember(effects.filter(isStaged), { refused: [], unsettled: [] })
    } finally {
      close()
    }
  }

  /** Refusals within the command, since the last call; and what reviewers say to its agent. */
  told = (): ReturnType<Place['readSpool']> => this.place.readSpool()
  offer = (words: string): void => this.place.offer(words)

  /** What others change from now on is no matter of the command's. */
  settle(): void {
    this.#stopListening?.()
    this.#stopListening = undefined
  }

  /** Why nothing may be taken in: commits have changed what the mount lies over, and it still shows what was there. */
  staleness(): EscrowError | undefined {
    const { layout, id } = this.deps
    for (const { seq, changes } of sessionCommitsAfter(layout, id, this.#seq)) {
      const foreign = changes.find((change) => !this.#isKnown(change))
      if (!foreign) continue
      return new EscrowError(
        'stale_file',
        `Commit ${seq} has changed ${foreign.path} since this command was started, and it still sees what was there.`,
        { hint: 'What it writes is kept apart, and goes to the quarantine when it ends. Start it again to go on.' },
      )
    }
    this.#seq = this.deps.store.overlay.stage.settledSeq
    return undefined
  }

  /** The commit holds what the command itself has there: it wrote it, or began with it. */
  #isKnown({ path, after }: CommittedPath): boolean {
    const own = after === null ? ABSENT_EFFECT : after.type === 'dir' ? DIRECTORY : after.digest
    if (this.#own.get(path)?.has(own)) return true
    if (after === null && ancestorsOf(path).some((dir) => this.#own.get(dir)?.has(ABSENT_EFFECT))) return true
    return this.place.seeded(path) === own
  }

  /** What the command has done that was not taken in before. */
  findEffects(isLive: boolean): Effects {
    const { overlay } = this.deps.store
    const isIgnored = gitIgnored((path) => textIn(overlay, path as RelPath))
    const found = this.place.effects({
      isLive,
      overlay,
      // A file that is there already may be in the repository all the same.
      isKept: (path, isDirectory) =>
        (isDirectory || overlay.typeOf(path) !== 'file') &&
        isIgnored(path, isDirectory || overlay.typeOf(path) === 'dir'),
    })
    const fresh = found.effects.filter((effect) => this.#done.get(effect.path) !== tokenOf(effect))
    return { ...found, effects: [...fresh, ...this.#isGoneAgain(found)] }
  }

  /** What was made, taken in, and is not there any more: nothing below it was hidden, so it left no sign. */
  #isGoneAgain({ effects, unsettled }: Effects): Effect[] {
    const told = new Set(effects.map(({ path }) => path))
    const gone = [...this.#done].flatMap(([path, token]): Effect[] => {
      if (token === ABSENT_EFFECT || told.has(path) || this.place.has(path)) return []
      return wayTo(path).some((way) => unsettled.includes(way)) ? [] : [{ kind: 'gone', path }]
    })
    return gone
  }

  /** Whether a command at work has done what was neither taken in nor refused before. */
  hasNews(): boolean {
    const { effects, close } = this.findEffects(true)
    close()
    return effects.some((effect) => this.#refused.get(effect.path) !== tokenOf(effect))
  }

  /** Takes effects in, each by itself, and remembers what was taken. */
  take({ effects, kept, unsettled, close }: Effects): IngestedEffects {
    const mounted = this.place.since()
    const hidden = new Set(effects.flatMap((each) => (each.kind === 'gone' && each.hidden ? [each.path] : [])))
    this.#isLanding = true
    try {
      const landed = withFrozenStamps(() => this.#applyEffects(effects, mounted, hidden))
      if (this.isLasting) this.#remember(effects, landed)
      const fresh = kept.filter((path) => !this.#kept.has(path))
      this.#kept = new Set(kept)
      return { refused: landed.refused, kept: fresh, unsettled: [...unsettled, ...landed.unsettled] }
    } finally {
      close()
      this.#isLanding = false
    }
  }

  /** @param hidden what is gone because the directory it was in was made anew. */
  #applyEffects(
    effects: readonly Effect[],
    mounted: bigint,
    hidden: ReadonlySet<RelPath>,
  ): ReturnType<typeof landEffects> {
    const { store, view } = this.deps
    const { overlay } = store
    return landEffects(effects, {
      layer: view.layer,
      overlay,
      within: (work) => view.within(work),
      began: this.#began,
      isClosed: (path) => wayTo(path).some((way) => this.#closed.has(way)),
      isStale: (path) =>
        this.#isChanged(path, mounted) ||
        wayTo(path).some(
          (way) => this.#touched.has(way) || (hidden.has(way) && changedSince(overlay, parentOf(way), mounted)),
        ),
      isStaleTree: (dir) => changedSince(overlay, dir, mounted) && !this.#hasOwnIn(dir),
    })
  }

  /** Whether the disk's own file came, or was changed, after the mount, and not by a commit of what was taken in. */
  #isChanged(path: RelPath, mounted: bigint): boolean {
    const { overlay } = this.deps.store
    if (overlay.stage.bases.has(path) || overlay.typeOf(path) === 'dir') return false
    if (!changedSince(overlay, path, mounted)) return false
    const state = mergedState(overlay, path)
    return state === null || !this.#own.get(path)?.has(state.digest)
  }

  /** Commits of what was taken in change the directories it is in. */
  #hasOwnIn(dir: RelPath): boolean {
    return dir === ROOT ? this.#own.size > 0 : this.#ownWays.has(dir)
  }

  #remember(effects: readonly Effect[], { refused, unsettled }: ReturnType<typeof landEffects>): void {
    const left = new Set<RelPath>()
    const denied = new Set(refused.map(({ path }) => path))
    for (const effect of effects) if (denied.has(effect.path)) this.#refused.set(effect.path, tokenOf(effect))
    for (const path of [...refused.map((each) => each.path as RelPath), ...unsettled])
      for (const way of wayTo(path)) left.add(way)
    for (const effect of effects) {
      if (left.has(effect.path)) continue
      const { path, kind } = effect
      this.#done.set(path, tokenOf(effect))
      const state = kind === 'gone' ? null : mergedState(this.deps.store.overlay, path)
      const own = this.#own.get(path) ?? new Set()
      this.#own.set(path, own.add(state === null ? ABSENT_EFFECT : kind === 'dir' ? DIRECTORY : state.digest))
      for (const way of wayTo(path)) this.#ownWays.add(way)
    }
  }

  /** Whether what stands at a path, or has gone from there, was taken in from here. */
  hasIngested(path: RelPath): boolean {
    return wayTo(path).some((way) => this.#done.has(way) && (way === path || this.#own.get(way)?.has(ABSENT_EFFECT)))
  }

  /** Nothing of it is the layer's any more: for the next command. */
  clear(effects: readonly Effect[]): void {
    this.place.clear(effects)
  }

  async close(): Promise<void> {
    this.settle()
    await this.place.close()
  }
}

/** A path and the directories on the way to it. */
function wayTo(path: RelPath): RelPath[] {
  return [path, ...ancestorsOf(path)]
}

function textIn(overlay: Overlay, path: RelPath): string | undefined {
  return overlay.typeOf(path) === 'file' ? overlay.read(path).toString('utf8') : undefined
}
