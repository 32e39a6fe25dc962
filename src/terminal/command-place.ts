import { lstatSync, readdirSync } from 'node:fs'
import { codeOf, type Overlay, type RelPath } from '../../overlay/index.js'
import { overwrite } from '../host/write.js'
import { carryOver } from './carry-over.js'
import type { CommandEnd, CommandOptions } from './command-io.js'
import { runContained } from './contained.js'
import { type SpooledReports, spoolReader } from './denial-spool.js'
import { type Effect, type Effects, effectsIn, namesBelow } from './effects.js'
import { Holder } from './holder.js'
import { liveLayer } from './layer.js'
import { bringUp, clearAway } from './leftovers.js'
import { layerState, Mirror } from './mirror.js'
import { memoryLimit } from './process-load.js'
import { showIn } from './update-mount.js'

export interface Looking {
  /** The stage as it is now. */
  readonly overlay: Overlay
  /** The command is still at work. */
  readonly isLive: boolean
  /** Whether a path is not to be staged, but left to the session's later commands. */
  readonly isKept: (path: RelPath, isDirectory: boolean) => boolean
}

/** Where commands run on what is staged, and what they do is read from. */
export interface Place {
  readonly isolation: 'sandbox' | 'none'
  readonly isAlive: boolean
  /** Makes it say what the stage says, all that is closed left out. */
  seed(overlay: Overlay, closed: readonly RelPath[]): void
  run(options: CommandOptions): Promise<CommandEnd>
  /** Shows a command at work what is staged at a path by now; false where that cannot be. */
  show(overlay: Overlay, path: RelPath): boolean
  effects(looking: Looking): Effects
  /** Whether there is anything by that name in what was written; true where nobody can say. */
  has(path: RelPath): boolean
  /** What a path held when it was seeded: the digest of a content, `dir`, `gone`, or undefined where that is not known. */
  seeded(path: RelPath): string | undefined
  /** What was written: a directory of this process. */
  readonly written: string
  /** Names of layers below that a directory, made anew, hides. */
  hidden(dir: RelPath): readonly string[]
  /** Takes along, once seeded, what was kept in another place where nothing runs. */
  bring(from: Place, kept: readonly RelPath[], overlay: Overlay): void
  /** What has changed on the disk since (nanoseconds) is younger than what the command sees. */
  since(): bigint
  /** Refusals that commands tell of since the last call. */
  readSpool(): SpooledReports
  /** Gives commands a text at {@link WORDS_AT}. */
  offer(words: string): void
  /** What was told is no longer to be told. */
  clear(effects: readonly Effect[]): void
  close(): Promise<void>
}

/** Bytes the commands of one place may have written and not staged; never more than commands may have of the memory. */
const LAYER_BYTES = 4 * 2 ** 30

/** The real thing: layers of the kernel's overlayfs, under bubblewrap. */
export async function openSandbox(root: string): Promise<Place> {
  const holder = await Holder.open(root, Math.min(LAYER_BYTES, memoryLimit()))
  const { places } = holder
  const mirror = new Mirror(places.staged, places.whiteout)
  /** Directories that stayed in the layer for what is kept in them. */
  let left: readonly RelPath[] = []
  return {
    isolation: 'sandbox',
    get isAlive() {
      return holder.isAlive
    },
    seed(overlay, closed) {
      mirror.seed(overlay, closed)
      bringUp(left, overlay, places.written)
    },
    run: (options) => runContained(holder, root, options),
    show: (overlay, path) => showIn(places.merged, overlay, path),
    effects: (looking) => effectsIn({ ...looking, places }),
    has: (path) => isIn(places.written, path),
    seeded: (path) => layerState(places.staged, path),
    written: places.written,
    hidden(dir) {
      const seen = new Set(readdirSync(`${places.merged}/${dir}`))
      return namesBelow(places, dir).filter((name) => !seen.has(name))
    },
    bring: (from, kept, overlay) =>
      carryOver(kept, {
        from: from.written,
        to: places.written,
        whiteout: places.whiteout,
        hidden: (dir) => from.hidden(dir),
        modeOf: (dir) => (overlay.lstat(dir)?.mode ?? 0o755) & 0o777,
      }),
    since: () => lstatSync(places.stamp, { bigint: true }).ctimeNs,
    readSpool: spoolReader(places.told),
    // In place: the mounts of commands hold this very file.
    offer: (words) => overwrite(places.words, words),
    clear(effects) {
      left = clearAway(effects, places.written)
    },
    close: () => holder.close(),
  }
}

function isIn(written: string, path: RelPath): boolean {
  const layer = liveLayer(written)
  try {
    return layer.look(path) !== undefined
  } catch (error) {
    return !['ENOENT', 'ENOTDIR', 'ELOOP'].includes(codeOf(error) ?? '')
  } finally {
    layer.close()
  }
}
