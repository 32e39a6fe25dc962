import type fs from 'node:fs'
import type { ExecOptions, ExecResult, Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { ToolContext } from '../core/tool-context.js'
import { createFacade, type DeriveDeps, type View } from '../fs/index.js'

/** What is known of a session behind its `fs`. */
export interface SyncState {
  readonly view: View
  readonly tool: () => ToolContext | undefined
  /** Runs a program on what is staged, contained, outside of any tool call: it is not recorded, and nothing it does is kept. */
  readonly look: (command: readonly string[], options: ExecOptions) => Promise<ExecResult>
}

const BEHIND = new WeakMap<typeof fs, SyncState>()

/** A session's `fs`. */
export function sessionFs(deps: DeriveDeps, more: Pick<SyncState, 'tool' | 'look'>): typeof fs {
  const face = createFacade(deps)
  BEHIND.set(face, { view: deps.view, ...more })
  return face
}

/** Throws EscrowError `unsupported` for a session that is none of ours. */
export function syncState({ fs: face }: Session): SyncState {
  const found = BEHIND.get(face)
  if (found) return found
  throw new EscrowError('unsupported', 'This session was not made by openWorkspace.')
}
