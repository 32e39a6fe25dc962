import type fs from 'node:fs'
import type { ExecOptions, ExecResult, Session } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { ToolContext } from '../core/tool-context.js'
import { createFacade, type DeriveDeps, type View } from '../fs/index.js'

/** The state behind a session's `fs` that the synchronous host facade needs. */
export interface SyncState {
  readonly view: View
  readonly tool: () => ToolContext | undefined
  /** Runs a program in the sandbox on the staged workspace, outside of any tool call. It is not recorded; its effects are dropped. */
  readonly runReadOnly: (command: readonly string[], options: ExecOptions) => Promise<ExecResult>
}

const SYNC_STATES = new WeakMap<typeof fs, SyncState>()

export function sessionFs(deps: DeriveDeps, more: Pick<SyncState, 'tool' | 'runReadOnly'>): typeof fs {
  const facade = createFacade(deps)
  SYNC_STATES.set(facade, { view: deps.view, ...more })
  return facade
}

/** @throws EscrowError `unsupported` for a session that `openWorkspace` did not make */
export function syncState({ fs: face }: Session): SyncState {
  const found = SYNC_STATES.get(face)
  if (found) return found
  throw new EscrowError('unsupported', 'This session was not made by openWorkspace.')
}
