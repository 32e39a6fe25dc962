import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newId } from '../core/ids.js'
import { isDead, type ProcessIdentity, thisProcess } from './process.js'
import { createDurable, ensureDir, publish, removeName } from './write.js'

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
 * Resolves to undefined when it is still held then.
 */
export async function takeOwnership(file: string, waitMs: number): Promise<Lease | undefined> {
  ensureDir(dirname(file))
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
  const holder = readHolder(file)
  return holder !== undefined && !isDead(holder)
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
  if (readHolder(file)?.nonce === nonce) removeName(file)
}

/** Graves of owners before us: nobody needs them once the place is taken anew. */
function sweep(file: string): void {
  const prefix = `${basename(file)}.bury.`
  for (const name of readdirSync(dirname(file))) if (name.startsWith(prefix)) removeName(join(dirname(file), name))
}

function readHolder(file: string): Holder | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Holder
  } catch {
    return undefined
  }
}
