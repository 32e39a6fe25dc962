/** The result of a command that `escrow-sh` ran. */
export interface ShellEnd {
  readonly code: number | null
  /** Printed to stderr after the command's output. */
  readonly note: string
}

/** Input and output of a command. */
export interface ShellIo {
  readonly cwd: string
  /** Undefined for a terminal, because a contained command has none. */
  readonly stdin: NodeJS.ReadableStream | undefined
  write(chunk: Uint8Array, stream: 'stdout' | 'stderr'): void
  /** Aborted when this process receives a signal to end. */
  readonly signal: AbortSignal
}

/** The command was not run. */
export class NotRun extends Error {
  override readonly name = 'NotRun'
  constructor(
    message: string,
    readonly hint = '',
  ) {
    super(message)
  }
}
