import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { DENIAL_CODES, type Denial, type DenialReason } from '../core/denials.js'
import { appendOnto } from '../host/write.js'

/**
 * How what runs in a session's mount tells the session's owner of a refusal. It has no ledger to write and can open no socket; it can add lines
 * to one file, which the owner reads. Who is in there can add any line: it is the word of the one who was refused, and recorded as that.
 */

/** The file, as a command sees it. */
export const SPOOL_AT = '/run/escrow/told'

/** The file, as a command sees it, in which the owner gives an agent's hooks what reviewers say: JSON, written in place. */
export const WORDS_AT = '/run/escrow/words'

/** Bytes of a line, so that lines written side by side do not mix. */
const LINE = 4_096
/** Characters of each part of it. */
const PART = 600
/** Bytes looked at at a time, and in one reading. */
const READ = 256 * 1024
const READ_MOST = 16 * 1024 * 1024
/** Refusals of one mount that are given one by one; of more there is a count. */
export const MAX_SPOOLED = 1_000

/** Inside of a mount: false where there is nobody to tell. */
export function spoolDenial({ reason, message, file, intentId, tool }: Denial): boolean {
  const truncate = (text: string | undefined) => text?.slice(0, PART)
  const told = {
    reason,
    message: truncate(message),
    file: truncate(file),
    intentId: truncate(intentId),
    tool: truncate(tool),
  }
  return append(told)
}

/** Inside of a mount: tells the owner that the model got a reviewer's word. @param key names it, see `undelivered.ts`. */
export function spoolDelivered(key: string): boolean {
  return append({ delivered: key })
}

/** Inside of a mount: what {@link spoolDelivered} reported and the owner may not have read yet. */
export function spooledDeliveries(): ReadonlySet<string> {
  return new Set(spoolReader(SPOOL_AT)().delivered)
}

function append(report: object): boolean {
  const line = `${JSON.stringify(report)}\n`
  if (Buffer.byteLength(line) > LINE) return false
  try {
    appendOnto(SPOOL_AT, line, 0o600)
    return true
  } catch {
    return false
  }
}

/** What was told since the last reading. */
export interface SpooledReports {
  readonly denials: readonly Denial[]
  /** Keys of reviewers' words that the model got. */
  readonly delivered: readonly string[]
  /** Refusals beyond {@link MAX_SPOOLED}. */
  readonly more: number
  /** Bytes that were not looked at: whoever writes so many wants them not to be read. */
  readonly unread: number
}

/** Reads what was told, from outside of the mount. */
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
      const end = Math.min(size, from + READ_MOST)
      while (from < end) {
        const bytes = next(from)
        const whole = bytes.lastIndexOf(0x0a) + 1
        // A line that has only begun is left for the next time; what is longer than any of ours is passed over.
        if (whole === 0 && bytes.length < READ) return
        from += whole === 0 ? READ : whole
        for (const line of bytes.toString('utf8', 0, whole).split('\n')) {
          const report = reportIn(line)
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

function read(file: string, look: (size: number, next: (place: number) => Buffer) => void): void {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    // It goes with its namespace.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return
    throw error
  }
  try {
    const bytes = Buffer.allocUnsafe(READ)
    look(fstatSync(fd).size, (place) => bytes.subarray(0, readSync(fd, bytes, 0, READ, place)))
  } finally {
    closeSync(fd)
  }
}

function reportIn(line: string): Denial | { readonly delivered: string } | undefined {
  let told: unknown
  try {
    told = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof told !== 'object' || told === null) return undefined
  const { reason, message, file, intentId, tool, delivered } = Object.fromEntries(Object.entries(told))
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
  return typeof value === 'string' && value.length <= PART
}
