import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { nearest } from '../core/nearest.js'
import { oneLine } from '../core/printable.js'
import { isDiskFull } from '../os/disk-full.js'
import { ownerOutOfSight } from '../os/owner.js'

/** How many sessions the message lists. */
const MAX_LISTED = 12

const FIRST_SESSION =
  "Begin one with 'escrow run --session NAME -- PROGRAM', or start an agent that is set up for escrow."

/** The error for an unknown session id; it lists the known ones. */
export function unknownSession(id: string, ids: readonly string[]): EscrowError {
  const suggestion = nearest(id, ids)
  const some = ids.length > MAX_LISTED ? [...ids.slice(0, MAX_LISTED), `and ${ids.length - MAX_LISTED} more`] : ids
  const known = ids.length === 0 ? 'This workspace has none.' : `There are: ${some.join(', ')}.`
  const hint =
    suggestion === undefined ? (ids.length === 0 ? FIRST_SESSION : undefined) : `Did you mean '${suggestion}'?`
  return new EscrowError('nothing_selected', `There is no session ${id}. ${known}`, defined({ hint }))
}

/**
 * The error for a session that another process owns.
 * @param ownerFile names that process
 */
export function sessionBusy(id: string, ownerFile: string): EscrowError {
  const unseen = ownerOutOfSight(ownerFile)
  if (unseen === undefined)
    return new EscrowError('session_busy', `Session ${id} is held by another process.`, {
      hint: 'Wait until that process ends, or use another id. You can review and commit the session meanwhile.',
    })
  const owner = `process ${unseen.pid} of ${oneLine(unseen.host)}`
  return new EscrowError('session_busy', `Session ${id} is held by ${owner}, another machine or container.`, {
    hint: `Whether it still runs cannot be seen from here. If it has ended, remove ${ownerFile}. Otherwise use another id.`,
  })
}

/** Turns an errno of the state directory's disk into an EscrowError; any other error is returned as it is. */
export function sessionFailure(id: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code === undefined || !(error instanceof Error)) return error
  const isFull = isDiskFull(error)
  const first = isFull ? 'Free space on the disk of the state directory' : 'Make the state directory writable'
  return new EscrowError(
    isFull ? 'limit_exceeded' : 'access_denied',
    `Session ${id} cannot be saved: ${error.message}.`,
    {
      hint: `${first}, then open the session again.`,
      cause: error,
    },
  )
}
