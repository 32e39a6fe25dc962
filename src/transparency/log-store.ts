import { join } from 'node:path'
import { sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { stateDir } from '../os/state-dir.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'
import { type Checkpoint, formatCheckpoint, parseCheckpoint } from './checkpoint.js'
import { readIfThere } from './tiles.js'

/** Published logs, and the newest checkpoint of each that this machine signed as its publisher or as a witness. */

const CHECKPOINT = 'checkpoint'

/** The checkpoint of a published log; undefined if there is none. */
export function readCheckpoint(dir: string): Checkpoint | undefined {
  const text = readIfThere(join(dir, CHECKPOINT))?.toString()
  if (text === undefined) return undefined
  const checkpoint = parseCheckpoint(text)
  if (checkpoint !== undefined) return checkpoint
  throw new EscrowError('unsupported', `${join(dir, CHECKPOINT)} is not a checkpoint.`, { hint: 'Restore the file.' })
}

export function writeCheckpoint(dir: string, checkpoint: Checkpoint): void {
  replaceDurable(join(dir, CHECKPOINT), formatCheckpoint(checkpoint))
}

export type Role = 'published' | 'witnessed'

/** The last checkpoint that this machine signed for a log. */
export interface Seen {
  /** The log's key in one line. */
  readonly key: string
  readonly checkpoint: Checkpoint
}

/** @throws EscrowError `ledger_corrupt` if the file is damaged, because then the earlier signatures are unknown */
export function readSeen(role: Role, origin: string): Seen | undefined {
  const file = seenFile(role, origin)
  const text = readIfThere(file)?.toString()
  if (text === undefined) return undefined
  const end = text.indexOf('\n')
  const checkpoint = parseCheckpoint(text.slice(end + 1))
  if (end > 0 && checkpoint?.origin === origin) return { key: text.slice(0, end), checkpoint }
  throw new EscrowError('ledger_corrupt', `${file} is damaged: it held the newest checkpoint that was signed here.`, {
    hint: 'Restore the file from a backup.',
  })
}

export function writeSeen(role: Role, { key, checkpoint }: Seen): void {
  ensurePrivateDir(join(stateDir(), 'checkpoints'))
  replaceDurable(seenFile(role, checkpoint.origin), `${key}\n${formatCheckpoint(checkpoint)}`, 0o600)
}

/** The name is a digest: a log chooses its own, which must not become part of a path. */
function seenFile(role: Role, origin: string): string {
  return join(stateDir(), 'checkpoints', `${role}-${sha256hex(origin).slice(0, 32)}`)
}

/**
 * One at a time on this machine: two signers could each sign after the same checkpoint.
 * @param work calls `assertAlone` before it keeps what it signs; it throws `session_busy` if another process signs by now
 */
export function alone<T>(work: (assertAlone: () => void) => Promise<T> | T): Promise<T> {
  return withProcessLock(join(stateDir(), 'locks'), 'checkpoints', (lost) =>
    work(() => assertHeld(lost, 'the checkpoints that this machine signs')),
  )
}
