import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { SharedFile } from '../core/layout.js'
import { isDiskFull } from '../os/disk-full.js'
import type { Fault } from './fault.js'
import { CONFLICT } from './lines.js'

/** The errors of the ledger, each with its reason and a hint. */

export function faultError(file: SharedFile, fault: Fault): EscrowError {
  if (!fault.fork) return corrupt(`${file}: ${fault.reason}`)
  return new EscrowError('ledger_fork', `${file}: ${fault.reason}`, {
    hint: "One file has two branches of the ledger. 'escrow verify --join' joins them with a merge record. Nothing is appended until then.",
  })
}

export function corrupt(sentence: string): EscrowError {
  return new EscrowError('ledger_corrupt', sentence, { hint: sentence.includes(CONFLICT) ? RESOLVE : RESTORE })
}

const RESTORE =
  'Nothing is appended to it. Restore the file from version control or a backup. If you went back to an older one ' +
  "on purpose, run 'escrow verify --anchor'. To begin a new ledger, move the file and ledger.d/ away."
const RESOLVE =
  "Nothing is appended to it. Remove the markers, then run 'escrow verify --join' to join the two branches with a record."

/**
 * Wraps a system error (no space, no permission, a lock that is not free) as `ledger_unavailable`.
 * @param state the state directory: an append writes there, too, and the error does not say which of the two disks is full
 */
export function unavailable(file: SharedFile | string, error: unknown, state?: string): EscrowError {
  if (error instanceof EscrowError && error.reason === 'path_escape')
    return new EscrowError('ledger_unavailable', error.message, { hint: error.hint ?? '', cause: error })
  if (error instanceof EscrowError) return error
  const message = errorText(error)
  if (isDiskFull(error) && state !== undefined)
    return new EscrowError(
      'ledger_unavailable',
      `No space is left on a disk, so nothing can be recorded: ${file} or ${state}.`,
      { hint: 'Free space there, then try again.', cause: error },
    )
  const hint =
    codeOf(error) === 'ELOCKED'
      ? 'Another process holds its lock. Try again.'
      : 'Make the file and its directory writable, with space left, then try again.'
  return new EscrowError('ledger_unavailable', `The ledger ${file} cannot be used: ${message}`, { hint, cause: error })
}
