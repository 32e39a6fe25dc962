import { basename, dirname } from 'node:path'
import { codeOf, fileStampAt, readRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { appendDurable, ensurePrivateDir, syncDir } from '../os/write.js'
import { checkedRecord, type ReviewRecord, reviewRecord } from './record-schema.js'

/** The log of all reviewers' decisions on one session, in any process. */
export interface ReviewLog {
  /** All records so far. Throws `ledger_corrupt` if a complete line is not a record. */
  read(): readonly ReviewRecord[]
  /**
   * Resolves once the record is on disk. Rejects with `ledger_corrupt`, or with `unsupported` for something that is no record, and then
   * appends nothing.
   */
  append(record: ReviewRecord): Promise<void>
  /**
   * Calls `first`, then appends, if nobody has appended since these records were read. Otherwise does neither and resolves to false.
   * Rejects without appending if `first` rejects.
   */
  appendAfter(seen: readonly ReviewRecord[], record: ReviewRecord, first: () => Promise<void>): Promise<boolean>
}

/**
 * The review log in a file, one JSON record a line. A last line without a line end is an append that a crash interrupted. It was never
 * confirmed, so readers ignore it, and the next append truncates it.
 * @param file `sessions/<id>/review.jsonl`; need not exist
 * @param locks the workspace's lock directory
 */
export function openReviewLog(file: string, locks: string): ReviewLog {
  const directory = dirname(file)
  let known: (Scan & { readonly stamp: string | undefined }) | undefined
  const readLog = (): Scan => {
    // An append after a truncation may leave the size unchanged. The times change.
    const stamp = fileStampAt(file)
    if (known === undefined || known.stamp !== stamp) known = { stamp, ...scan(file, known) }
    return known
  }
  const alone = <T>(work: (lost: () => boolean) => Promise<T> | T) =>
    withProcessLock(locks, `review-${basename(directory)}`, work)
  const put = (record: ReviewRecord, lost: () => boolean) => {
    ensurePrivateDir(directory)
    const { lines, size } = readLog()
    assertHeld(lost, 'the review log')
    appendDurable(file, `${JSON.stringify(record)}\n`, lines.length < size ? lines.length : undefined)
    if (size === 0) syncDir(directory)
  }
  return {
    read: () => readLog().records,
    append: (record) => alone((lost) => put(checkedRecord(record), lost)),
    appendAfter: (seen, record, first) =>
      alone(async (lost) => {
        checkedRecord(record)
        const { records } = readLog()
        if (records.length !== seen.length || records.at(-1)?.id !== seen.at(-1)?.id) return false
        await first()
        put(record, lost)
        return true
      }),
  }
}

interface Scan {
  readonly records: readonly ReviewRecord[]
  /** The complete lines, and the total number of bytes. */
  readonly lines: Buffer
  readonly size: number
}

/** @param before the last scan: lines that are unchanged since are not parsed again */
function scan(file: string, before?: Scan): Scan {
  const bytes = contentOf(file)
  const lines = bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1)
  const isLonger = before !== undefined && lines.subarray(0, before.lines.length).equals(before.lines)
  const known = isLonger ? before.records : []
  const more = lines.toString('utf8', isLonger ? before.lines.length : 0).split('\n')
  const records = more.slice(0, -1).map((line, index) => parse(line, known.length + index + 1, file))
  return { records: [...known, ...records], lines, size: bytes.length }
}

function contentOf(file: string): Buffer {
  try {
    return readRegular(file, true)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return Buffer.alloc(0)
    if (codeOf(error) === 'EINVAL') throw noFile(file, error)
    throw error
  }
}

function noFile(file: string, cause: unknown): EscrowError {
  const message = `${file} is not a regular file; no verdict of this session can be trusted.`
  return new EscrowError('ledger_corrupt', message, { hint: 'Move it away, then review the session again.', cause })
}

function parse(line: string, number: number, file: string): ReviewRecord {
  try {
    return reviewRecord.parse(JSON.parse(line))
  } catch (cause) {
    const message = `${file}, line ${number}, is not a review record; no verdict of this session can be trusted.`
    const hint = 'Move the file away and review the session again; what is staged is kept.'
    throw new EscrowError('ledger_corrupt', message, { hint, cause })
  }
}
