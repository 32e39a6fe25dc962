import type fs from 'node:fs'
import type { Session } from './core/api.js'
import { EscrowError } from './core/api-error.js'
import type { ToolContext } from './core/tool-context.js'
import type { DeriveDeps } from './fs/derive.js'
import { createFacade } from './fs/facade.js'
import type { View } from './fs/view.js'

/** What is known of a session behind its `fs`. */
export interface Behind {
  readonly view: View
  readonly tool: () => ToolContext | undefined
}

const BEHIND = new WeakMap<typeof fs, Behind>()

/** A session's `fs`. */
export function sessionFs(deps: DeriveDeps, tool: Behind['tool']): typeof fs {
  const face = createFacade(deps)
  BEHIND.set(face, { view: deps.view, tool })
  return face
}

/** Throws EscrowError `unsupported` for a session that is none of ours. */
export function behind({ fs: face }: Session): Behind {
  const found = BEHIND.get(face)
  if (found) return found
  throw new EscrowError('unsupported', 'This session was not made by openWorkspace.')
}
