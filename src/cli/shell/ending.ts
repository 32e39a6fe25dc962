/** How a command run by `escrow-sh` ended. */
export interface ShellEnd {
  readonly code: number | null
  /** What is said on stderr behind the command's own output. */
  readonly note: string
}

/** Where a command's words come from and go to. */
export interface ShellIo {
  readonly cwd: string
  /** Undefined where it is a terminal: a contained command has none. */
  readonly stdin: NodeJS.ReadableStream | undefined
  write(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void
  /** Aborted by a signal to end. */
  readonly signal: AbortSignal
}

/** It was not run. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
  constructor(
    message: string,
    readonly hint = '',
  ) {
    super(message)
  }
}
