import { codeOf, errnoText } from '../../overlay/index.js'
import { type ApiReason, EscrowError, type Refusal } from '../core/api-error.js'
import { changedOnDisk } from '../core/changed-on-disk.js'
import { DENIAL_CODES } from '../core/denials.js'

/** The errors of a commit. A check throws one, and the loop over the entries turns it into a {@link Refusal}. */

export function stale(path: string): EscrowError {
  return new EscrowError('stale_file', changedOnDisk(path))
}

export function notADirectory(dir: string): EscrowError {
  return new EscrowError('path_escape', `${dir} is a symlink or not a directory, so nothing is written below it.`)
}

export function malformedChange(path: string, why: string): EscrowError {
  return new EscrowError('unsupported', `The change of ${path} cannot be committed: ${why}.`)
}

/** The refusal for an error of a check of `path`. An error that is neither the disk's nor ours is thrown again. */
export function refusalFor(path: string, error: unknown): Refusal {
  if (error instanceof EscrowError) return { path, reason: error.reason, message: error.message }
  const code = codeOf(error)
  if (code === undefined) throw error
  return { path, reason: reasonFor(code), message: `${path} cannot be committed: ${errnoText(code)} (${code}).` }
}

/** The error of a commit that was refused and changed nothing. */
export function refusedCommit(refused: Refusal[]): EscrowError {
  const first = refused[0]?.reason ?? ''
  const count = refused.length === 1 ? '1 path was' : `${refused.length} paths were`
  const messages = [...new Set(refused.map((refusal) => refusal.message))]
  return new EscrowError(
    isReason(first) ? first : 'access_denied',
    `Nothing was committed: ${count} refused. ${messages.join(' ')}`,
    { refused, hint: hintFor(refused) },
  )
}

function hintFor(refused: readonly Refusal[]): string {
  if (refused.some(({ reason }) => reason === FULL))
    return 'The disk is full. Free space on it, then commit again. The verdicts are kept.'
  if (refused.every(({ reason }) => reason === 'policy_invalid'))
    return 'Correct that file, then commit again. The verdicts are kept.'
  if (refused.every(({ reason }) => reason === 'cross_device'))
    return 'Discard the changes there, then commit the others. To change files there, make that directory a workspace of its own.'
  return 'Discard or correct these changes, or approve them again on top of what is on disk. Then commit.'
}

/**
 * Converts a disk error to an EscrowError. Any other error is returned as it is.
 * @param consequence what to do after its cause is corrected, as in 'then commit again'
 */
export function diskFailure(error: unknown, state: string, consequence: string): unknown {
  const code = codeOf(error)
  if (error instanceof EscrowError || code === undefined) return error
  const reason = reasonFor(code)
  const first = reason === FULL ? 'Free space on the disk' : (FIRST_STEPS[code] ?? 'Correct the cause')
  return new EscrowError(reason, `${state}: ${errnoText(code)} (${code}).`, {
    hint: `${first}, ${consequence}`,
    cause: error,
  })
}

/** A disk error while a change of a published commit was applied. */
export class FailedChange extends Error {
  constructor(
    readonly path: string,
    readonly code: string,
    cause: unknown,
  ) {
    super(code, { cause })
  }
}

/** The error of a commit that was published, which recovery will finish. */
export function unfinishedCommit(error: unknown, seq: number): unknown {
  const where = error instanceof FailedChange ? ` at ${error.path}` : ''
  const state = `Commit ${seq} is decided but not finished${where}`
  if (!(error instanceof EscrowError)) return diskFailure(error, state, "then run 'escrow recover' to finish it.")
  const hint = [error.hint, "'escrow recover' finishes the commit."].filter((part) => part !== undefined).join(' ')
  return new EscrowError(error.reason, `${state}: ${error.message}`, { hint, cause: error })
}

/** The error of a journal that cannot be used: another process holds its lock, or the disk failed. */
export function journalFailure(error: unknown): unknown {
  if (codeOf(error) === 'ELOCKED') return busy()
  return diskFailure(error, 'The commit journal cannot be used', 'then try again.')
}

export function busy(): EscrowError {
  return new EscrowError('session_busy', 'Another commit is running in this workspace.', {
    hint: 'Commit again in a moment.',
  })
}

const FIRST_STEPS: Readonly<Record<string, string>> = {
  EROFS: 'Mount the disk for writing',
  EACCES: 'Give yourself access to the directory with chmod or chown',
  EPERM: 'Allow changes (chattr -i, if lsattr shows that it is immutable)',
}

/** The reason of a full disk or quota. No other check of a commit gives it. */
const FULL = 'limit_exceeded'

function reasonFor(code: string): ApiReason {
  if (code === 'ENOSPC' || code === 'EDQUOT') return FULL
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return 'access_denied'
  if (code === 'EXDEV') return 'cross_device'
  return 'ledger_unavailable'
}

function isReason(reason: string): reason is ApiReason {
  return reason in DENIAL_CODES || reason === 'cross_device'
}
