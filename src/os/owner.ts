import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { isDead, isOutOfSight, MAX_CARD_BYTES, type ProcessIdentity, thisProcess } from './process.js'
import { readSmall } from './read.js'
import { createDurable, ensurePrivateDir, publish, removeName } from './write.js'

/**
 * A file that names the process that owns something. It is taken by `link`, and stolen only from a provably dead owner,
 * never by age: others wait for a stopped process.
 */
export interface Lease {
  release(): void
}

interface Holder extends ProcessIdentity {
  readonly nonce: string
}

const POLL_MS = 25

/**
 * Takes the ownership of `file`. Waits up to `waitMs` for a living owner, and resolves to undefined when it still holds
 * it then. Throws `session_busy` when the file does not name its owner.
 */
export async function takeOwnership(file: string, waitMs: number): Promise<Lease | undefined> {
  const nonce = newId()
  const card = `${file}.${nonce}`
  const deadline = performance.now() + waitMs
  writeCard(card, nonce)
  try {
    for (;;) {
      if (publishCard(card, file, nonce)) {
        sweep(file)
        return { release: () => release(file, nonce) }
      }
      if (bury(file, card)) continue
      if (performance.now() >= deadline) return undefined
      await sleep(POLL_MS)
    }
  } finally {
    removeName(card)
  }
}

/** The owner may remove the directory, with the cards of those that wait. */
function publishCard(card: string, file: string, nonce: string): boolean {
  try {
    return publish(card, file)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    writeCard(card, nonce)
    return publish(card, file)
  }
}

function writeCard(card: string, nonce: string): void {
  ensurePrivateDir(dirname(card))
  createDurable(card, JSON.stringify({ ...thisProcess(), nonce } satisfies Holder))
}

/** Returns whether a living process, or one whose state is unknown, holds it. */
export function isOwned(file: string): boolean {
  try {
    const holder = readHolder(file)
    return holder !== undefined && !isDead(holder)
  } catch (error) {
    // Damaged: no process can be shown to be dead.
    if (error instanceof EscrowError) return true
    throw error
  }
}

/** The owner of a file that this process cannot look for: only a person knows whether it lives. */
export function ownerOutOfSight(file: string): ProcessIdentity | undefined {
  const holder = readHolder(file)
  return holder !== undefined && isOutOfSight(holder) ? holder : undefined
}

/**
 * Removes a dead owner's file. Only the process that links the owner's grave may do it. If that process dies too, its
 * own grave is removed in the same way. Returns true when the caller should try again at once.
 */
function bury(file: string, card: string): boolean {
  const holder = readHolder(file)
  if (!holder) return true
  if (!isDead(holder)) return false
  let grave = `${file}.bury.${holder.nonce}`
  while (!publish(card, grave)) {
    const digger = readHolder(grave)
    if (!digger || !isDead(digger)) return false
    grave = `${file}.bury.${digger.nonce}`
  }
  if (readHolder(file)?.nonce === holder.nonce) removeName(file)
  return true
}

function release(file: string, nonce: string): void {
  if (nonceOf(file) === nonce) removeName(file)
}

/** The owner's nonce. A damaged card is left for a person to check. */
function nonceOf(file: string): string | undefined {
  try {
    return readHolder(file)?.nonce
  } catch (error) {
    if (error instanceof EscrowError) return undefined
    throw error
  }
}

/** Removes the graves of earlier owners, which nobody needs once the file is owned again. */
function sweep(file: string): void {
  const prefix = `${basename(file)}.bury.`
  for (const name of readdirSync(dirname(file))) if (name.startsWith(prefix)) removeName(join(dirname(file), name))
}

/** Undefined when nobody holds it. Cards are complete when they get their name, so an unreadable one names no owner. */
function readHolder(file: string): Holder | undefined {
  let text: string
  try {
    text = readSmall(file, MAX_CARD_BYTES)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    if (codeOf(error) === 'EINVAL' || codeOf(error) === 'EFBIG') throw damagedOwner(file)
    throw error
  }
  const holder = parse(text)
  if (isHolder(holder)) return holder
  throw damagedOwner(file)
}

function damagedOwner(file: string): EscrowError {
  return new EscrowError('session_busy', `The process that holds this session is unknown: ${file} is damaged.`, {
    hint: 'If no process works in the session, remove that file.',
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isHolder(value: unknown): value is Holder {
  if (typeof value !== 'object' || value === null) return false
  const card = value as Readonly<Record<string, unknown>>
  const isText = ['host', 'boot', 'pidNamespace', 'start'].every((key) => typeof card[key] === 'string')
  // The nonce becomes part of a file name.
  return isText && Number.isSafeInteger(card.pid) && typeof card.nonce === 'string' && /^[\w-]+$/.test(card.nonce)
}
