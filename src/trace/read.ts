import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import type { TraceRecord } from '../core/api.js'
import type { SharedFile } from '../core/layout.js'
import { corrupt } from './faults.js'
import { type Line, parseLine, readLines } from './lines.js'
import { openIfThere } from './scan.js'

/** Reading the file for its content. The chain is not checked here: that is verify's. */

/**
 * The records from the first to the last, of whatever shape, in constant memory. An end that is no whole line (a write
 * in progress, or torn) is not a record yet.
 * @throws EscrowError `ledger_corrupt` at a line that cannot be read.
 */
export async function* readRecords(file: SharedFile): AsyncGenerator<TraceRecord> {
  for (const { value } of wholeLines(file)) yield value
}

/** The record of an id, or undefined; `from` is the byte offset of the first line to look at. */
export function findRecord(file: SharedFile, id: unknown, from = 0): TraceRecord | undefined {
  if (typeof id !== 'string') return undefined
  for (const { value } of wholeLines(file, (line) => line.bytes.includes(id), from)) if (value.id === id) return value
  return undefined
}

/** `{` */
const OPENING = 0x7b

/** Each whole line with its record. What `wanted` does not want is not parsed. */
export function* wholeLines(
  file: SharedFile,
  wanted: (line: Line) => boolean = () => true,
  from = 0,
): Generator<{ line: Line; value: TraceRecord }> {
  const fd = openIfThere(file)
  if (fd === undefined) return
  try {
    for (const line of readLines(fd, from)) {
      // What begins otherwise is no record, whatever is wanted: it must not be passed over in silence.
      if (!line.oversize && (!line.terminated || (line.bytes[0] === OPENING && !wanted(line)))) continue
      const parsed = parseLine(line)
      if ('value' in parsed) yield { line, value: parsed.value }
      else if (line.oversize || !line.last) {
        throw corrupt(`${basename(file.name)}: line ${line.number} ${parsed.problem}.`)
      }
    }
  } finally {
    closeSync(fd)
  }
}
