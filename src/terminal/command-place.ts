import { lstatSync, readdirSync } from 'node:fs'
import { codeOf, type Overlay, type RelPath } from '../../overlay/index.js'
import { overwrite } from '../os/write.js'
import type { CommandEnd, CommandOptions } from './command-io.js'
import { runContained } from './contained.js'
import { copyKept } from './copy-kept.js'
import { type SpooledReports, spoolReader } from './denial-spool.js'
import { type Effect, type EffectQuery, type Effects, namesBelow, readEffects } from './effects.js'
import { type GitChanges, layeredGit } from './git-layer.js'
import { Holder } from './holder.js'
import { liveLayer } from './layer.js'
import { clearEffects, syncLeftovers } from './leftovers.js'
import { layerState, Mirror } from './mirror.js'
import { outsideGit, withGit } from './outside-git.js'
import { memoryLimit } from './process-load.js'
import { GIT } from './stored-git.js'
import { updateMount } from './update-mount.js'

/** A directory tree that shows the stage: commands run in it, and their effects are read from it. */
export interface Place {
  readonly isolation: 'sandbox' | 'none'
  /** The first process of a run: the command itself, or the first process of its namespace, the command's parent. */
  readonly startsWith: 'command' | 'init'
  readonly isAlive: boolean
  /**
   * Finds out what has changed. The next call of {@link seed} or {@link effects} then reads these paths, not the whole
   * tree. Call it while no command runs. A place has no such method if both calls are cheap.
   */
  prepare?(next: 'seed' | 'effects'): Promise<void>
  /** Brings the tree up to the stage, without the closed paths. */
  seed(overlay: Overlay, closed: readonly RelPath[]): void
  run(options: CommandOptions): Promise<CommandEnd>
  /** Brings one path up to the stage while a command runs. Returns false if that is impossible. */
  updatePath(overlay: Overlay, path: RelPath): boolean
  effects(query: EffectQuery): Effects
  /** Whether the written layer has a path; true if it cannot be determined. */
  has(path: RelPath): boolean
  /** The state a path was seeded with: a digest, `dir` or `gone`; undefined if it is unknown. */
  seededState(path: RelPath): string | undefined
  /** The layer that commands write to, as a path of this process. */
  readonly written: string
  /** The commands' changes in the repository's `.git`; undefined if the place does not keep them. */
  readonly git: GitChanges | undefined
  /** Names of the lower layers that a replaced directory hides. */
  hiddenNames(dir: RelPath): readonly string[]
  /** Copies kept files from another place, in which no command may be running. Call it after {@link seed}. */
  copyKept(from: Place, kept: readonly RelPath[], overlay: Overlay): void
  /**
   * The time of the last mount (nanoseconds): a file that changed later differs from the file that the command sees.
   */
  mountedAt(): bigint
  /** Denials and deliveries that programs in the tree have reported since the last call. */
  readSpool(): SpooledReports
  /** Sets the text that commands read at {@link FEEDBACK_AT}. */
  publishFeedback(text: string): void
  /** Removes handled effects from the layer. */
  clear(effects: readonly Effect[]): void
  close(): Promise<void>
}

/** Largest size of the written layer in bytes. It lives in memory, so the memory limit applies too. */
const LAYER_BYTES = 4 * 2 ** 30

/**
 * Opens a contained place: layers of the kernel's overlayfs, under bubblewrap.
 * @param gitDir the repository's directory if it is outside the workspace; physical
 */
export async function openSandbox(root: string, gitDir?: string): Promise<Place> {
  const holder = await Holder.open(root, Math.min(LAYER_BYTES, memoryLimit()))
  const { places } = holder
  const mirror = new Mirror(places.staged, places.whiteout)
  /** Directories that stay in the layer because they hold kept files. */
  let remainingDirs: readonly RelPath[] = []
  const hiddenNames = (dir: RelPath): readonly string[] => {
    const seen = new Set(readdirSync(`${places.merged}/${dir}`))
    return namesBelow(places, dir).filter((name) => !seen.has(name))
  }
  return {
    isolation: 'sandbox',
    startsWith: 'init',
    get isAlive() {
      return holder.isAlive
    },
    seed(overlay, closed) {
      mirror.seed(overlay, closed)
      syncLeftovers(remainingDirs, overlay, places.written)
    },
    run: (options) => runContained(holder, root, gitDir === undefined ? options : withGit(options, holder, gitDir)),
    updatePath: (overlay, path) => updateMount(places.merged, overlay, path),
    effects(query) {
      if (!query.isLive) mirror.open()
      return readEffects(places, query)
    },
    has: (path) => existsIn(places.written, path),
    seededState: (path) => layerState(places.staged, path),
    written: places.written,
    git: layeredGit(
      gitDir === undefined
        ? { written: places.written, name: GIT, disk: `${root}/${GIT}`, whiteout: places.whiteout, hiddenNames }
        : outsideGit(holder, gitDir),
    ),
    hiddenNames,
    copyKept: (from, kept, overlay) =>
      copyKept(kept, {
        from: from.written,
        to: places.written,
        whiteout: places.whiteout,
        hiddenNames: (dir) => from.hiddenNames(dir),
        modeOf: (dir) => (overlay.lstat(dir)?.mode ?? 0o755) & 0o777,
      }),
    mountedAt: () => lstatSync(places.stamp, { bigint: true }).ctimeNs,
    readSpool: spoolReader(places.denials),
    // Written in place: commands have this inode mounted.
    publishFeedback: (text) => overwrite(places.feedback, text),
    clear(effects) {
      remainingDirs = clearEffects(effects, places.written)
    },
    close: () => holder.close(),
  }
}

function existsIn(written: string, path: RelPath): boolean {
  const layer = liveLayer(written)
  try {
    return layer.lstat(path) !== undefined
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')
  } finally {
    layer.close()
  }
}
