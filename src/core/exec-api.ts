import type { ChangeSet } from './api.js'
import type { Refusal } from './api-error.js'

/** How a command runs. */
export interface ExecOptions {
  /** The directory it starts in: relative to the root, or absolute; the root unless told. */
  readonly cwd?: string
  /** Variables beside the process's own, of which those that hold secrets are left out; undefined leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds after which it is ended. */
  readonly timeout?: number
  /** A stream is read while it runs. */
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream
  /** Asks for the network, which policy or a person must allow (`terminal.network`). */
  readonly network?: boolean
  /** Told of output as it comes. Where it throws, the command ends, nothing of it is staged, and that error is thrown. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
  /** Ends the command. */
  readonly signal?: AbortSignal
}

export interface ExecResult {
  /** 128 and the signal's number where a signal ended it; null where it was ended by us. */
  readonly exitCode: number | null
  /** The first 16 MiB of each, as UTF-8; `truncated` where there was more. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
  /** Why it was ended before its time (`processes`: it had too many). Its effects up to then count. */
  readonly ended?: 'timeout' | 'aborted' | 'processes'
  /** What it did and was staged. */
  readonly effects: ChangeSet
  /** What it did and was not, path by path: it is kept aside for a person. */
  readonly refused: Refusal[]
  /** What git ignores and was not there before, by its topmost name: left to the session's later commands, never staged. */
  readonly kept: string[]
  /** All of it in words, deletions first: a few lines. */
  readonly summary: string
}
