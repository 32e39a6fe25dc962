import type fs from 'node:fs'
import type { ExecOptions, ExecResult, Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { ToolContext } from '../core/tool-context.js'
import { createFacade, type DeriveDeps, type View } from '../fs/index.js'

/** What the synchronous host facade needs of a session behind its `fs`. */
export interface SyncState {
  readonly view: View
  readonly tool: () => ToolContext | undefined
  /** Runs a program in the sandbox on the staged workspace, outside of any tool call. It is not recorded; its effects are dropped. */
  readonly look: (command: readonly string[], options: ExecOptions) => Promise<ExecResult>
}

const BEHIND = new WeakMap<typeof fs, SyncState>()

export function sessionFs(deps: DeriveDeps, more: Pick<SyncState, 'tool' | 'look'>): typeof fs {
  const face = createFacade(deps)
  BEHIND.set(face, { view: deps.view, ...more })
  return face
}

/** @throws EscrowError `unsupported` for a session that `openWorkspace` did not make */
export function syncState({ fs: face }: Session): SyncState {
  const found = BEHIND.get(face)
  if (found) return found
  throw new EscrowError('unsupported', 'This session was not made by openWorkspace.')
}
