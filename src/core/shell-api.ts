import type { AgentInfo, Feedback } from './api.js'

/** The protocol between `escrow-sh`, or a client's hook, and the process that owns a session: one JSON document per line. */

/** A message from `escrow-sh` or a hook. Bytes are in base64. */
export type ShellRequest =
  | { readonly run: string; readonly cwd: string }
  | { readonly in: string }
  | { readonly end: true }
  /** Requests the undelivered feedback, and marks it as delivered. */
  | { readonly feedback: true }
  /** Sets the agent of the session, as the client's hook knows it. */
  | { readonly agent: AgentInfo }

/** A message from the owner. */
export type ShellMessage =
  | { readonly out: string; readonly stream: 'stdout' | 'stderr' }
  | { readonly code: number | null; readonly ended: string | null; readonly note: string }
  | { readonly feedback: readonly Feedback[] }
  | { readonly attributed: true }
  | { readonly failed: string; readonly hint: string }

/** A server for `escrow-sh`, which runs commands in a session of this process. */
export interface ShellServer {
  /** Variables for the environment of terminals, by which `escrow-sh` finds the session. */
  readonly env: Readonly<Record<'ESCROW_SESSION_ID' | 'ESCROW_SHELL', string>>
  close(): Promise<void>
}

/** The limit of a line in characters. A longer line is not part of the protocol. */
const MAX_SHELL_LINE = 1 << 20

/** Splits a stream into lines. The returned function returns false if a line is too long. */
export function linesOf(onLine: (line: string) => void): (chunk: string) => boolean {
  let rest = ''
  return (chunk) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) onLine(part)
    return rest.length <= MAX_SHELL_LINE
  }
}
