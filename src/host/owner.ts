import { readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { isDead, MAX_CARD_BYTES, type ProcessIdentity, thisProcess } from './process.js'
import { readSmall } from './read.js'
import { createDurable, ensurePrivateDir, publish, removeName } from './write.js'

/**
 * A file that says which process owns something, taken by `link` and stolen only from a provably dead owner: never on
 * age, so a stopped process is waited for, not robbed.
 */
export interface Lease {
  release(): void
}

interface Holder extends ProcessIdentity {
  readonly nonce: string
}

const POLL_MS = 25

/**
 * Takes the ownership of `file`, waiting at most `waitMs` for a living owner.
 * Resolves to undefined when it is still held then. Throws `session_busy` when the file says nothing of its owner.
 */
export async function takeOwnership(file: string, waitMs: number): Promise<Lease | undefined> {
  ensurePrivateDir(dirname(file))
  const nonce = newId()
  const card = `${file}.${nonce}`
  const deadline = Date.now() + waitMs
  createDurable(card, JSON.stringify({ ...thisProcess(), nonce } satisfies Holder))
  try {
    for (;;) {
      if (publish(card, file)) {
        sweep(file)
        return { release: () => release(file, nonce) }
      }
      if (bury(file, card)) continue
      if (Date.now() >= deadline) return undefined
      await sleep(POLL_MS)
    }
  } finally {
    removeName(card)
  }
}

/** Whether a living process (or one we cannot judge) holds it. */
export function isOwned(file: string): boolean {
  try {
    const holder = readHolder(file)
    return holder !== undefined && !isDead(holder)
  } catch (error) {
    // Damaged: nobody can be shown to be dead.
    if (error instanceof EscrowError) return true
    throw error
  }
}

/**
 * Removes a dead owner's file. One process may: the one that links the dead owner's grave. A grave-digger that died is
 * buried the same way. True when the caller should try again at once.
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

/** The owner's nonce. A damaged card is left for a person to look at. */
function nonceOf(file: string): string | undefined {
  try {
    return readHolder(file)?.nonce
  } catch (error) {
    if (error instanceof EscrowError) return undefined
    throw error
  }
}

/** Graves of owners before us: nobody needs them once the place is taken anew. */
function sweep(file: string): void {
  const prefix = `${basename(file)}.bury.`
  for (const name of readdirSync(dirname(file))) if (name.startsWith(prefix)) removeName(join(dirname(file), name))
}

/** Undefined when nobody holds it. A card gets its name when it is whole, so one that cannot be read is no owner's. */
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
  return new EscrowError('session_busy', `Nobody can say who owns this session: ${file} is damaged.`, {
    hint: 'If no process is working on it, remove that file.',
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
  // The nonce becomes part of a file's name.
  return isText && Number.isSafeInteger(card.pid) && typeof card.nonce === 'string' && /^[\w-]+$/.test(card.nonce)
}
