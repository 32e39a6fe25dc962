import type { AgentInfo, Feedback } from './api.js'

/** What `escrow-sh`, or a client's hook, and the process that owns a session say to each other: one JSON document a line. */

/** From `escrow-sh`. Bytes are in base64. */
export type ShellRequest =
  | { readonly run: string; readonly cwd: string }
  | { readonly in: string }
  | { readonly end: true }
  /** What reviewers said and the agent has not heard. It counts as told. */
  | { readonly feedback: true }
  /** Who works in the session, as a client's hook knows it. */
  | { readonly agent: AgentInfo }

/** From the owner. */
export type ShellMessage =
  | { readonly out: string; readonly stream: 'stdout' | 'stderr' }
  | { readonly code: number | null; readonly ended: string | null; readonly note: string }
  | { readonly feedback: readonly Feedback[] }
  | { readonly attributed: true }
  | { readonly failed: string; readonly hint: string }

/** A session that `escrow-sh` may run commands in, while this process owns it. */
export interface ShellServer {
  /** Variables to start terminals with: by them `escrow-sh` finds the session. */
  readonly env: Readonly<Record<'ESCROW_SESSION_ID' | 'ESCROW_SHELL', string>>
  close(): Promise<void>
}

/** Longer lines are no lines of ours. */
const MAX_SHELL_LINE = 1 << 20

/** Cuts a stream into lines; `false` for one that is too long. */
export function linesOf(told: (line: string) => void): (chunk: string) => boolean {
  let rest = ''
  return (chunk) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) told(part)
    return rest.length <= MAX_SHELL_LINE
  }
}
