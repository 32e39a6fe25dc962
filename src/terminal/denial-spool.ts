import { closeSync, fstatSync, readSync } from 'node:fs'
import { codeOf, openForReading } from '../../overlay/index.js'
import { DENIAL_CODES, type Denial, type DenialReason } from '../core/denials.js'
import { appendOnto } from '../os/write.js'

/**
 * The spool by which programs in a session's mount report denials to the session's owner. They have no ledger to write and can open no
 * socket, but they can append lines to one file that the owner reads. Any program in the mount can append any line, so the ledger marks
 * such records as reported, not observed.
 */

/** The spool, as a command sees it. */
export const SPOOL_AT = '/run/escrow/told'

/** The file in which the owner publishes reviewers' feedback to an agent's hooks, as a command sees it. JSON, written in place. */
export const FEEDBACK_AT = '/run/escrow/words'

/** Largest line in bytes: appends up to a page do not interleave. */
const MAX_LINE = 4_096
/** Largest field in characters. */
const MAX_PART = 600
/** Bytes per read, and per call of a reader. */
const CHUNK = 256 * 1024
const MAX_READ = 16 * 1024 * 1024
/** Denials of one mount that are reported one by one. Further ones are counted. */
export const MAX_SPOOLED = 1_000

/** Inside a mount: reports a denial. Returns false if there is no spool. */
export function spoolDenial({ reason, message, file, intentId, tool }: Denial): boolean {
  const truncate = (text: string | undefined) => text?.slice(0, MAX_PART)
  const report = {
    reason,
    message: truncate(message),
    file: truncate(file),
    intentId: truncate(intentId),
    tool: truncate(tool),
  }
  return append(report)
}

/** Inside a mount: reports that the model received a reviewer's feedback. @param key names the feedback, see `undelivered.ts`. */
export function spoolDelivery(key: string): boolean {
  return append({ delivered: key })
}

/** Inside a mount: the keys that {@link spoolDelivery} has reported, read by the owner or not. */
export function spooledDeliveries(): ReadonlySet<string> {
  return new Set(spoolReader(SPOOL_AT)().delivered)
}

function append(report: object): boolean {
  const line = `${JSON.stringify(report)}\n`
  if (Buffer.byteLength(line) > MAX_LINE) return false
  try {
    appendOnto(SPOOL_AT, line, 0o600)
    return true
  } catch {
    return false
  }
}

/** The reports since the last read. */
export interface SpooledReports {
  readonly denials: readonly Denial[]
  /** Keys of feedback that the model received. */
  readonly delivered: readonly string[]
  /** Number of denials beyond {@link MAX_SPOOLED}. */
  readonly more: number
  /** Bytes that were skipped because they exceed {@link MAX_READ}. */
  readonly unread: number
}

/** Opens a reader of the spool, outside the mount. Each call returns the reports since the last. */
export function spoolReader(file: string): () => SpooledReports {
  let from = 0
  let count = 0
  return () => {
    const denials: Denial[] = []
    const delivered: string[] = []
    const before = count
    let unread = 0
    read(file, (size, next) => {
      if (size < from) from = 0
      const end = Math.min(size, from + MAX_READ)
      while (from < end) {
        const bytes = next(from)
        const whole = bytes.lastIndexOf(0x0a) + 1
        // An incomplete line is left for the next call; a chunk without a line end is not one of our lines and is
        // skipped.
        if (whole === 0 && bytes.length < CHUNK) return
        from += whole === 0 ? CHUNK : whole
        for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
          const report = parseReport(line)
          if (report === undefined) continue
          if ('delivered' in report) {
            if (delivered.length < MAX_SPOOLED) delivered.push(report.delivered)
          } else if (++count <= MAX_SPOOLED) denials.push(report)
        }
      }
      unread = Math.max(0, size - from)
      from = Math.max(from, size)
    })
    return { denials, delivered, more: count - before - denials.length, unread }
  }
}

function read(file: string, scan: (size: number, next: (place: number) => Buffer) => void): void {
  let fd: number
  try {
    fd = openForReading(file, false)
  } catch (error) {
    // The spool is removed with its namespace.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return
    throw error
  }
  try {
    const bytes = Buffer.allocUnsafe(CHUNK)
    scan(fstatSync(fd).size, (place) => bytes.subarray(0, readSync(fd, bytes, 0, CHUNK, place)))
  } finally {
    closeSync(fd)
  }
}

function parseReport(line: string): Denial | { readonly delivered: string } | undefined {
  let report: unknown
  try {
    report = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof report !== 'object' || report === null) return undefined
  const { reason, message, file, intentId, tool, delivered } = Object.fromEntries(Object.entries(report))
  if (typeof delivered === 'string') return { delivered }
  if (!isReason(reason) || !isPart(message)) return undefined
  return {
    reason,
    message,
    ...(isPart(file) && { file }),
    ...(isPart(intentId) && { intentId }),
    ...(isPart(tool) && { tool }),
  }
}

function isReason(value: unknown): value is DenialReason {
  return typeof value === 'string' && Object.hasOwn(DENIAL_CODES, value)
}

function isPart(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_PART
}
