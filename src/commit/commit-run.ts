import { setImmediate } from 'node:timers/promises'
import type { CommitProgress } from '../core/api.js'

/** How many milliseconds a commit may block the event loop at a time. */
const RUN_MS = 12

/** The progress of one commit. It yields to the event loop, reports progress, and can be cancelled. */
export interface CommitRun {
  /** Begins a phase with a number of changes. */
  begin(phase: CommitProgress['phase'], total: number): void
  /**
   * Counts one change as done. The caller awaits the result, which rejects with the signal's reason before the commit
   * point.
   */
  step(bytes?: number): Promise<void> | undefined
  /** Throws the signal's reason if the commit was cancelled. */
  assertWanted(): void
}

export interface CommitRunOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CommitProgress) => void) | undefined
}

export function startCommitRun({ signal, onProgress }: CommitRunOptions = {}): CommitRun {
  let now: { phase: CommitProgress['phase']; files: number; total: number; bytes: number } | undefined
  let since = performance.now()
  // In a microtask: an error of the listener belongs to the caller and must not interrupt the commit.
  const report = () => {
    const progress = now && { ...now }
    if (progress && onProgress) queueMicrotask(() => onProgress(progress))
  }
  const assertWanted = () => {
    if (now?.phase !== 'applying') signal?.throwIfAborted()
  }
  const pause = async () => {
    report()
    await setImmediate()
    since = performance.now()
    assertWanted()
  }
  return {
    begin(phase, total) {
      now = { phase, files: 0, total, bytes: 0 }
      report()
    },
    step(bytes = 0) {
      if (now === undefined) return undefined
      now.files += 1
      now.bytes += bytes
      if (now.files === now.total) report()
      return performance.now() - since < RUN_MS ? undefined : pause()
    },
    assertWanted,
  }
}
