import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import type { TraceRecord } from '../core/api.js'
import type { SharedFile } from '../core/layout.js'
import { corrupt } from './faults.js'
import { mayContain } from './line-words.js'
import { type Line, linesBackward, parseLine, readLines } from './lines.js'
import { openIfThere } from './scan.js'

/** Reads the records of the file without a check of the chain, which is the task of verify. */

/**
 * All records in order, of any shape, in constant memory. Skips a last line that is incomplete: a write in progress or
 * torn.
 * @throws EscrowError `ledger_corrupt` at a line that cannot be read
 */
export async function* readRecords(file: SharedFile): AsyncGenerator<TraceRecord> {
  for (const { value } of wholeLines(file)) yield value
}

/**
 * As {@link readRecords}, newest first. Costs only the records that are read.
 * @throws EscrowError `ledger_corrupt` at a line that cannot be read
 */
export async function* readRecordsBackward(file: SharedFile): AsyncGenerator<TraceRecord> {
  const fd = openIfThere(file)
  if (fd === undefined) return
  try {
    for (const line of linesBackward(fd)) {
      const parsed = parseLine(line)
      if ('value' in parsed) yield parsed.value
      else if (line.oversize || !line.last) throw damageIn(fd, file, parsed.problem)
    }
  } finally {
    closeSync(fd)
  }
}

/** Finds the first damaged line. Its number is known only if the file is read from the start. */
function damageIn(fd: number, file: SharedFile, problem: string): unknown {
  try {
    const lines = linesIn(fd, file, { wanted: () => true })
    while (!lines.next().done);
  } catch (error) {
    return error
  }
  return corrupt(`${basename(file.name)}: A line ${problem}.`)
}

/**
 * The record with an id, or undefined.
 * @param from the byte offset of the first line to search
 */
export function findRecord(file: SharedFile, id: unknown, from = 0): TraceRecord | undefined {
  if (typeof id !== 'string') return undefined
  const word = Buffer.from(JSON.stringify(id))
  for (const { value } of wholeLines(file, ({ bytes }) => mayContain(bytes, word), from))
    if (value.id === id) return value
  return undefined
}

/** `{` */
const OPENING = 0x7b

interface LineSelection {
  /** Only the lines for which it is true are parsed. Called once for each complete line, in order. */
  readonly wanted: (line: Line) => boolean
  /** The byte offset of the first line, and its number. By default the start of the file, and 1. */
  readonly from?: number
  readonly firstNumber?: number
}

/** Each complete line with its record. Parses only the lines that `wanted` selects. */
export function* wholeLines(
  file: SharedFile,
  wanted: (line: Line) => boolean = () => true,
  from = 0,
): Generator<{ line: Line; value: TraceRecord }> {
  const fd = openIfThere(file)
  if (fd === undefined) return
  try {
    yield* linesIn(fd, file, { wanted, from })
  } finally {
    closeSync(fd)
  }
}

/** As {@link wholeLines}, of a file that is open. */
export function* linesIn(
  fd: number,
  file: SharedFile,
  { wanted, from = 0, firstNumber = 1 }: LineSelection,
): Generator<{ line: Line; value: TraceRecord }> {
  for (const line of readLines(fd, from, firstNumber)) {
    // A line that begins otherwise is damaged. It must not be skipped, wanted or not.
    if (!line.oversize && (!line.terminated || (line.bytes[0] === OPENING && !wanted(line)))) continue
    const parsed = parseLine(line)
    if ('value' in parsed) yield { line, value: parsed.value }
    else if (line.oversize || !line.last) {
      throw corrupt(`${basename(file.name)}: line ${line.number} ${parsed.problem}.`)
    }
  }
}
