import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { placeOf } from '../os/workspace-state.js'

/**
 * Throws if the workspace of an open session is no longer at its path. The state of a workspace belongs to its directory, so no later process
 * would find there what is staged, and what is read there is another project.
 * @throws EscrowError `ledger_unavailable`
 */
export function assertInPlace(layout: Layout, session: string): void {
  const { root } = layout
  const place = placeOf(layout)
  if (place === 'here') return
  const what =
    place === 'gone'
      ? `The workspace ${root} was removed or renamed`
      : `Another directory has taken the place of ${root}`
  throw new EscrowError('ledger_unavailable', `${what} while session ${session} was open.`, {
    hint: 'Put the former directory back: what is staged belongs to it. If it was renamed, review the session there.',
  })
}
