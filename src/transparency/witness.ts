import { EscrowError } from '../core/api-error.js'
import { readSigningKey } from '../trace/index.js'
import type { Checkpoint } from './checkpoint.js'
import { alone, readCheckpoint, readSeen, type Seen, writeCheckpoint, writeSeen } from './log-store.js'
import { consistencyProof, isConsistent, rootOf } from './merkle.js'
import {
  cosignNote,
  formatKey,
  hasSigned,
  isKeyName,
  LOG_KEY,
  type NoteKey,
  noteKey,
  parseKey,
  WITNESS_KEY,
} from './note.js'
import { readTiles } from './tiles.js'

export interface WitnessOptions {
  /** The published log. */
  readonly dir: string
  /** The name under which the witness signs. */
  readonly name: string
  /** The log's key in one line. Needed the first time; later it must be the same. */
  readonly logKey?: string | undefined
  readonly now?: Date
}

export interface Witnessed {
  readonly origin: string
  readonly size: number
  /** The size that this witness saw before; undefined the first time. */
  readonly before?: number
  /** The witness's key in one line, as verifiers need it. */
  readonly key: string
}

/**
 * Adds this machine's cosignature to the checkpoint of a log, if the log continues what this machine saw of it before.
 * @throws EscrowError `ledger_corrupt` if it does not: the log was rewritten, or shows different people different histories
 */
export function witnessLog({ dir, name, logKey, now = new Date() }: WitnessOptions): Promise<Witnessed> {
  const key = readSigningKey()
  if (key === undefined)
    throw new EscrowError('unsupported', 'There is no key to sign with.', { hint: "Make one with 'escrow keys'." })
  if (!isKeyName(name)) throw new EscrowError('unsupported', `'${name}' cannot name a witness: it has spaces or '+'.`)
  return alone((assertAlone) => {
    const checkpoint = readCheckpoint(dir)
    if (checkpoint === undefined) throw new EscrowError('nothing_selected', `${dir} has no published log.`)
    const seen = readSeen('witnessed', checkpoint.origin)
    const log = keyOfLog(checkpoint, seen, logKey)
    if (!hasSigned(checkpoint.note, log))
      throw new EscrowError(
        'ledger_corrupt',
        `The checkpoint of '${checkpoint.origin}' is not signed by the log's key.`,
      )
    assertContinues(dir, checkpoint, seen)
    const witnessKey = noteKey(name, WITNESS_KEY, key)
    const others = checkpoint.note.signatures.filter((each) => each.name !== name || !each.id.equals(witnessKey.id))
    const note = {
      text: checkpoint.note.text,
      signatures: [...others, cosignNote(checkpoint.note.text, name, key, now)],
    }
    assertAlone()
    // Before the signature is public: this machine must never sign two histories.
    writeSeen('witnessed', { key: formatKey(log), checkpoint })
    if (readCheckpoint(dir)?.note.text !== note.text)
      throw new EscrowError('session_busy', 'The log was published meanwhile.', { hint: 'Try again.' })
    writeCheckpoint(dir, { ...checkpoint, note })
    const { origin, size } = checkpoint
    return { origin, size, key: formatKey(witnessKey), ...(seen !== undefined && { before: seen.checkpoint.size }) }
  })
}

function keyOfLog({ origin }: Checkpoint, seen: Seen | undefined, fingerprint: string | undefined): NoteKey {
  const text = fingerprint ?? seen?.key
  if (text === undefined)
    throw new EscrowError('nothing_selected', `This machine has not witnessed '${origin}' before.`, {
      hint: "Name its key, as its publisher's 'escrow ledger publish' prints it: --log-key KEY.",
    })
  const key = parseKey(text)
  if (key === undefined || key.type !== LOG_KEY || key.name !== origin)
    throw new EscrowError('unsupported', `'${text}' is not a key of the log '${origin}'.`)
  if (seen !== undefined && seen.key !== formatKey(key))
    throw new EscrowError(
      'ledger_corrupt',
      `The log '${origin}' had another key when this machine witnessed it before.`,
    )
  return key
}

function assertContinues(dir: string, checkpoint: Checkpoint, seen: Seen | undefined): void {
  const { size, root, origin } = checkpoint
  const before = seen?.checkpoint
  if (before !== undefined && before.size > size)
    throw rewritten(`The log '${origin}' has ${size} lines, and this machine saw ${before.size} before: it was cut.`)
  const hashAt = readTiles(dir, size)
  if (!rootOf(size, hashAt).equals(root))
    throw rewritten(`The files of the log '${origin}' do not have the root of its checkpoint.`)
  if (before === undefined || isConsistent(before, checkpoint, consistencyProof(before.size, size, hashAt))) return
  throw rewritten(
    `The log '${origin}' does not continue the ${before.size} lines that this machine saw before: it was rewritten.`,
  )
}

function rewritten(message: string): EscrowError {
  return new EscrowError('ledger_corrupt', message, { hint: 'Keep the log and ask its publisher. Nothing was signed.' })
}
