import { closeSync } from 'node:fs'
import { basename } from 'node:path'
import type { TraceRecord, VerifyResult } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout, SharedFile } from '../core/layout.js'
import { withProcessLock } from '../os/lock.js'
import { readLines } from './lines.js'
import { isOwnRecord } from './own-record.js'
import { makeParts } from './parts.js'
import { openPublished } from './published.js'
import { openIfThere } from './scan.js'
import { verifyLedger } from './verify.js'

/** Reads a ledger and checks it in the same pass, so that the reader saw exactly the checked bytes. */

export interface VerifiedLine {
  readonly record: TraceRecord
  /** From 1. */
  readonly line: number
  /** Without the LF. Valid during the call. */
  readonly bytes: Buffer
  /** The byte offset of the first byte. */
  readonly start: number
  /** SHA-256 of the bytes, in hex. */
  readonly hash: string
  /** The record's number; undefined for a line of another tool. */
  readonly seq: number | undefined
  /** The id of the ledger; null before its first record. */
  readonly ledger: string | null
}

interface LineReader {
  read(line: VerifiedLine): void
}

interface Verified<R> {
  readonly reader: R
  /** The findings of the check. `unanchored` has the records that this machine does not know. */
  readonly result: VerifyResult
}

/**
 * Reads all lines of a ledger that is intact.
 * @param begin makes the reader; called again if the check is repeated, and the reader before it is dropped
 * @throws EscrowError `ledger_corrupt` at any fault. The caller must then discard everything that the reader saw.
 */
export async function readVerified<R extends LineReader>(layout: Layout, begin: () => R): Promise<Verified<R>> {
  const { branch, anchors } = makeParts(layout)
  const ledger = { layout, published: openPublished(layout.ledgerDir, branch), anchors, lock: withProcessLock }
  let reader = begin()
  let isFresh = true
  const result = await verifyLedger(ledger, [], () => {
    if (!isFresh) reader = begin()
    isFresh = false
    const current = reader
    return (record, { lines: line, start, hash, seq, ledger: id }, bytes) =>
      current.read({
        record,
        line,
        bytes,
        start,
        hash: hash ?? '',
        seq: isOwnRecord(record) ? seq : undefined,
        ledger: id,
      })
  })
  if (result.ok) return { reader, result }
  const reason = result.firstBad?.reason ?? 'the reason is unknown.'
  throw new EscrowError('ledger_corrupt', `${basename(layout.ledgerFile.name)} is damaged: ${reason}`, {
    hint: "'escrow verify' says more. Restore the file, then try again.",
  })
}

/** The complete lines from a byte offset on, without their LF, and without any check. */
export function* rawLines(file: SharedFile, from: number): Generator<Buffer> {
  const fd = openIfThere(file)
  if (fd === undefined) return
  try {
    for (const { bytes, terminated, oversize } of readLines(fd, from)) {
      if (!terminated || oversize) return
      yield bytes
    }
  } finally {
    closeSync(fd)
  }
}
