import { setImmediate as turn } from 'node:timers/promises'
import { lookAt } from '../os/read.js'
import { removeTree } from '../os/write.js'
import type { CommandEnd, CommandOptions } from './command-io.js'
import type { Place } from './command-place.js'
import { Copy } from './copy.js'
import { copyKept } from './copy-kept.js'
import { makeCopyScratch } from './copy-scratch.js'
import { runUncontained } from './uncontained.js'

/** How commands run on a copy. */
export interface CopyRunner {
  readonly isolation: Place['isolation']
  readonly startsWith: Place['startsWith']
  readonly isAlive: boolean
  /** Called once before each run, possibly long before it. */
  prepare?(): void
  run(options: CommandOptions, place: CopyDirs): Promise<CommandEnd>
  readSpool: Place['readSpool']
  publishFeedback: Place['publishFeedback']
  close(): Promise<void>
}

/** The workspace, and the directory with its copy (`tree`) and the temporary files of commands (`tmp`). */
export interface CopyDirs {
  readonly root: string
  readonly scratch: string
}

/** Hooks reach the ledger themselves, or not at all. */
export const NO_SPOOL: Pick<CopyRunner, 'readSpool' | 'publishFeedback'> = {
  readSpool: () => ({ denials: [], delivered: [], more: 0, unread: 0 }),
  publishFeedback: () => undefined,
}

/** A copy that contains nothing: a command can write wherever the user can. */
export function openCopy(root: string): Place {
  const run = runUncontained
  const close = async () => undefined
  return openCopyPlace(root, { isolation: 'none', startsWith: 'command', isAlive: true, run, close, ...NO_SPOOL })
}

/**
 * A copy of the workspace. The effects of commands in it are found by comparing files with their stamps at the time of
 * copying: those that have changed since, or all if that is unknown.
 */
export function openCopyPlace(root: string, runner: CopyRunner): Place {
  const scratch = makeCopyScratch(root)
  const copy = new Copy(root, scratch, runner.isolation === 'sandbox')
  let isAlive = true
  let isRunnerPrepared = false
  /** Whether further commands may run in it. */
  let isReused = false
  const prepareRunner = () => {
    if (!isRunnerPrepared) runner.prepare?.()
    isRunnerPrepared = true
  }
  return {
    isolation: runner.isolation,
    startsWith: runner.startsWith,
    get isAlive() {
      return isAlive && runner.isAlive
    },
    async prepare(next) {
      isReused ||= next === 'seed'
      const searched = copy.prepare(next)
      // Starting a program blocks this process, so the search begins first, in another process.
      const started = turn().then(() => {
        if (isReused && isAlive) prepareRunner()
      })
      await Promise.all([searched, started])
    },
    seed(overlay, closed) {
      prepareRunner()
      copy.seed(overlay, new Set(closed))
    },
    run(options) {
      isRunnerPrepared = false
      copy.begin()
      const running = runner.run(options, { root, scratch })
      copy.prepareSearch()
      return running
    },
    effects: (query) => copy.effects(query),
    // A command can replace any directory by a link, and no mount would keep our write inside.
    updatePath: () => false,
    has: (path) => lookAt(`${scratch}/tree/${path}`) !== undefined,
    seededState: (path) => copy.seededState(path),
    written: `${scratch}/tree`,
    // Without containment, git would run outside with settings of the agent's.
    git: runner.isolation === 'sandbox' ? copy.git : undefined,
    hiddenNames: () => [],
    copyKept: (from, kept, overlay) =>
      copyKept(kept, {
        from: from.written,
        to: `${scratch}/tree`,
        hiddenNames: () => [],
        modeOf: (dir) => (overlay.lstat(dir)?.mode ?? 0o755) & 0o777,
      }),
    mountedAt: () => copy.readAt(),
    publishFeedback: (text) => runner.publishFeedback(text),
    readSpool: () => runner.readSpool(),
    clear: () => undefined,
    async close() {
      isAlive = false
      copy.close()
      await runner.close()
      removeTree(scratch)
    },
  }
}
