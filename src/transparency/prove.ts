import { EscrowError } from '../core/api-error.js'
import { isObject } from '../core/is-object.js'
import { ownRecordOf } from '../trace/index.js'
import { type Checkpoint, parseCheckpoint } from './checkpoint.js'
import { readCheckpoint } from './log-store.js'
import { consistencyProof, inclusionProof, rootOf } from './merkle.js'
import { formatConsistency, formatInclusion } from './proof.js'
import { readEntries, readTiles, TILE_WIDTH } from './tiles.js'

/**
 * Proves that a line is in a published log, as text.
 * @param line its number from 1, or the id of a commit
 */
export function proveInclusion(dir: string, line: string): string {
  const checkpoint = publishedIn(dir)
  const { size } = checkpoint
  const number = /^[1-9][0-9]{0,14}$/.test(line) ? Number(line) : lineOfCommit(dir, size, line)
  if (number === undefined || number > size)
    throw new EscrowError('nothing_selected', `The log has no line or commit '${line}'. It has ${size} lines.`)
  const index = number - 1
  const entry = readEntries(dir, Math.floor(index / TILE_WIDTH), size)?.[index % TILE_WIDTH]
  const hashes = inclusionProof(index, size, wholeTree(dir, checkpoint))
  return formatInclusion({ index, hashes, checkpoint, ...(entry && { entry }) })
}

/** Proves that a published log continues an older checkpoint of it, as text. */
export function proveConsistency(dir: string, older: string): string {
  const checkpoint = publishedIn(dir)
  const old = parseCheckpoint(older)
  if (old === undefined || old.origin !== checkpoint.origin)
    throw new EscrowError('unsupported', `The older checkpoint is not one of '${checkpoint.origin}'.`)
  const hashAt = wholeTree(dir, checkpoint)
  if (old.size > checkpoint.size || !rootOf(old.size, hashAt).equals(old.root))
    throw new EscrowError(
      'ledger_corrupt',
      `The log does not continue that checkpoint of ${old.size} lines: it was cut or rewritten.`,
    )
  return formatConsistency({ from: old.size, hashes: consistencyProof(old.size, checkpoint.size, hashAt), checkpoint })
}

function publishedIn(dir: string): Checkpoint {
  const checkpoint = readCheckpoint(dir)
  if (checkpoint !== undefined) return checkpoint
  throw new EscrowError('nothing_selected', `${dir} has no published log.`, {
    hint: "Make one: 'escrow ledger publish DIR'.",
  })
}

function wholeTree(dir: string, { size, root }: Checkpoint): ReturnType<typeof readTiles> {
  const hashAt = readTiles(dir, size)
  if (rootOf(size, hashAt).equals(root)) return hashAt
  throw new EscrowError('ledger_corrupt', 'The files of the log do not have the root of its checkpoint.', {
    hint: 'Copy the log again, or publish it to an empty directory.',
  })
}

/** The line of a commit's first record. */
function lineOfCommit(dir: string, size: number, id: string): number | undefined {
  for (let tile = 0; tile * TILE_WIDTH < size; tile++) {
    const entries = readEntries(dir, tile, size)
    if (entries === undefined)
      throw new EscrowError('unsupported', 'The log was published without its lines.', {
        hint: 'Give the number of a line.',
      })
    const found = entries.findIndex((entry) => entry.includes(id) && isCommit(entry, id))
    if (found !== -1) return tile * TILE_WIDTH + found + 1
  }
  return undefined
}

function isCommit(entry: Buffer, id: string): boolean {
  try {
    const record: unknown = JSON.parse(entry.toString())
    return isObject(record) && ownRecordOf(record, 'commit', 'undo')?.tx === id
  } catch {
    return false
  }
}
