import { setImmediate } from 'node:timers/promises'
import type { CommitProgress } from '../core/api.js'

/** How long one run of work may keep the caller's event loop to itself. */
const RUN_MS = 12

/** The course of one commit: lets other work of the process in between, tells how far it is, and can be called off. */
export interface CommitRun {
  /** Begins a phase of so many changes. */
  begin(phase: CommitProgress['phase'], total: number): void
  /** One change is done. What it answers is to be waited for; rejects with the signal's reason before the commit point. */
  step(bytes?: number): Promise<void> | undefined
  /** Throws the signal's reason. */
  assertWanted(): void
}

export interface CommitRunOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: CommitProgress) => void) | undefined
}

export function startCommitRun({ signal, onProgress }: CommitRunOptions = {}): CommitRun {
  let now: { phase: CommitProgress['phase']; files: number; total: number; bytes: number } | undefined
  let since = Date.now()
  // In a run of its own: what the listener throws is the caller's and must not end a commit halfway.
  const tell = () => {
    const progress = now && { ...now }
    if (progress && onProgress) queueMicrotask(() => onProgress(progress))
  }
  const assertWanted = () => {
    if (now?.phase !== 'applying') signal?.throwIfAborted()
  }
  const rest = async () => {
    tell()
    await setImmediate()
    since = Date.now()
    assertWanted()
  }
  return {
    begin(phase, total) {
      now = { phase, files: 0, total, bytes: 0 }
      tell()
    },
    step(bytes = 0) {
      if (now === undefined) return undefined
      now.files += 1
      now.bytes += bytes
      if (now.files === now.total) tell()
      return Date.now() - since < RUN_MS ? undefined : rest()
    },
    assertWanted,
  }
}
