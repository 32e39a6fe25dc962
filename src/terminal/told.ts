import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { DENIAL_CODES, type Denial, type DenialReason } from '../core/denials.js'
import { appendOnto } from '../host/write.js'

/**
 * How what runs in a session's mount tells the session's owner of a refusal. It has no ledger to write and can open no socket; it can add lines
 * to one file, which the owner reads. Who is in there can add any line: it is the word of the one who was refused, and recorded as that.
 */

/** The file, as a command sees it. */
export const TOLD_AT = '/run/escrow/told'

/** Bytes of a line, so that lines written side by side do not mix. */
const LINE = 4_096
/** Characters of each part of it. */
const PART = 600
/** Bytes looked at in one reading. */
const READ = 256 * 1024
/** Records made of one command's lines. */
const MOST = 1_000

/** Inside of a mount: false where there is nobody to tell. */
export function tellOwner({ reason, message, file, intentId, tool }: Denial): boolean {
  const cut = (text: string | undefined) => text?.slice(0, PART)
  const told = { reason, message: cut(message), file: cut(file), intentId: cut(intentId), tool: cut(tool) }
  const line = `${JSON.stringify(told)}\n`
  if (Buffer.byteLength(line) > LINE) return false
  try {
    appendOnto(TOLD_AT, line, 0o600)
    return true
  } catch {
    return false
  }
}

/** What was told since the last call, read from outside of the mount. */
export function toldReader(file: string): () => Denial[] {
  let from = 0
  let count = 0
  return () => {
    const text = readFrom(file, (size) => {
      if (size < from) from = 0
      return from
    })
    const end = text.lastIndexOf(0x0a) + 1
    // What is longer than any line of ours is passed over.
    from += end === 0 && text.length === READ ? READ : end
    const lines = text.toString('utf8', 0, end).split('\n').slice(0, -1)
    const denials = lines.flatMap((line) => denialIn(line) ?? []).slice(0, Math.max(0, MOST - count))
    count += denials.length
    return denials
  }
}

function readFrom(file: string, place: (size: number) => number): Buffer {
  let fd: number
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    // It goes with its namespace.
    if (['ENOENT', 'ESRCH'].includes(codeOf(error) ?? '')) return Buffer.alloc(0)
    throw error
  }
  try {
    const bytes = Buffer.alloc(READ)
    return bytes.subarray(0, readSync(fd, bytes, 0, READ, place(fstatSync(fd).size)))
  } finally {
    closeSync(fd)
  }
}

function denialIn(line: string): Denial | undefined {
  let told: unknown
  try {
    told = JSON.parse(line)
  } catch {
    return undefined
  }
  if (typeof told !== 'object' || told === null) return undefined
  const { reason, message, file, intentId, tool } = Object.fromEntries(Object.entries(told))
  if (!isReason(reason) || !isPart(message)) return undefined
  return {
    ...{ reason, message },
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
