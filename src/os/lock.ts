import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LockOptions } from 'proper-lockfile'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { newId } from '../core/ids.js'
import { isDead, MAX_CARD_BYTES, type ProcessIdentity, thisProcess } from './process.js'
import { readSmall } from './read.js'
import { createFile, ensurePrivateDir, removeEmptyDir, removeName, renameSync } from './write.js'

/**
 * Runs `work` under a process lock of the workspace (proper-lockfile, `<locks>/<name>.lock`).
 *
 * Safety does not depend on the lock, which can let two holders in. Work under it is published by `link`, so a second
 * holder finds the name taken. The lock only makes retries rare. proper-lockfile frees the lock of a killed process
 * after {@link STALE_MS}; the holder's card shows at once that it is dead.
 *
 * Taking the lock, synchronous work, and releasing it are one synchronous run: no other task of this process can
 * interrupt it and keep the others waiting.
 * @param work gets `lost()`, which is true once the lock was lost; it checks before it publishes
 * @throws EscrowError `ledger_unavailable` if locks cannot be made. ELOCKED when a living holder keeps it longer
 * than {@link WAIT_MS}.
 */
export async function withProcessLock<T>(
  locks: string,
  name: string,
  work: (lost: () => boolean) => Promise<T> | T,
): Promise<T> {
  makeLocks(locks)
  const file = join(locks, name)
  // Loaded on first use: most runs of the command take no lock.
  const { lockSync } = await import('proper-lockfile')
  const began = Date.now()
  for (let polls = 0; ; polls++) {
    // Mostly a stat is enough: trying the lock, or judging its holder, costs a hundred times as much.
    const isTried = polls % POLLS === 0 || !isHeld(file)
    const held = isTried ? tryAcquire(lockSync, file, began + WAIT_MS) : undefined
    if (held !== undefined) return runHolding(held, work)
    if (!isTried || !freeDead(file)) await sleep(waitTime(Date.now() - began) * (0.5 + Math.random()))
  }
}

/** The longer a process has waited, the shorter its pauses are, so that it mostly gets the lock first. */
function waitTime(waited: number): number {
  return Math.max(SHORTEST_NAP_MS, LONGEST_NAP_MS * (1 - waited / EAGER_AFTER_MS))
}

function isHeld(file: string): boolean {
  return lstatSync(`${file}.lock`, { throwIfNoEntry: false }) !== undefined
}

function makeLocks(locks: string): void {
  try {
    ensurePrivateDir(locks)
  } catch (error) {
    const message = `Process locks cannot be kept in ${locks}: ${errorText(error)}`
    const hint = 'Make it a directory that this process can write to.'
    throw new EscrowError('ledger_unavailable', message, { hint, cause: error })
  }
}

/** Releases as soon as the work is done: in the same run for synchronous work. */
function runHolding<T>(held: Held, work: (lost: () => boolean) => Promise<T> | T): Promise<T> | T {
  let isWaiting = false
  try {
    const result = work(held.isLost)
    if (!(result instanceof Promise)) return result
    isWaiting = true
    return result.finally(held.release)
  } finally {
    if (!isWaiting) held.release()
  }
}

const STALE_MS = 10_000
const WAIT_MS = 30_000
const SHORTEST_NAP_MS = 3
const LONGEST_NAP_MS = 20
const EAGER_AFTER_MS = 500
/** One in this many checks tries the lock, and judges its holder. */
const POLLS = 10
/**
 * A holder writes its card in the run that takes the lock. A lock this old without a card belongs to a dead process.
 */
const UNSIGNED_MS = 1_000

type LockSync = (file: string, options: LockOptions) => () => void

interface Held {
  isLost(): boolean
  release(): void
}

/** Undefined while another holds it. */
function tryAcquire(lockSync: LockSync, file: string, deadline: number): Held | undefined {
  let compromised = false
  try {
    const onCompromised = () => {
      compromised = true
    }
    const unlock = lockSync(file, { realpath: false, stale: STALE_MS, onCompromised })
    const card = signCard(file)
    const release = () => {
      // A lost lock belongs to someone else by now.
      if (compromised) return
      if (readCard(file)?.nonce === card) removeName(cardOf(file))
      letGo(unlock)
    }
    return { isLost: () => compromised, release }
  } catch (error) {
    if (codeOf(error) !== 'ELOCKED' || Date.now() > deadline) throw error
    return undefined
  }
}

function letGo(unlock: () => void): void {
  try {
    unlock()
  } catch (error) {
    // Another process has taken it in the meantime.
    if (codeOf(error) === undefined) throw error
  }
}

interface Card extends ProcessIdentity {
  readonly nonce: string
}

function cardOf(file: string): string {
  return `${file}.holder`
}

/** Writes who holds the lock. Renamed into place, so that a reader sees a whole card or none. */
function signCard(file: string): string {
  const nonce = newId()
  const draft = `${cardOf(file)}.${nonce}`
  createFile(draft, JSON.stringify({ ...thisProcess(), nonce } satisfies Card), 0o600, false)
  renameSync(draft, cardOf(file))
  return nonce
}

function readCard(file: string): Card | undefined {
  try {
    return JSON.parse(readSmall(cardOf(file), MAX_CARD_BYTES)) as Card
  } catch {
    return undefined
  }
}

/** Frees the lock of a provably dead holder. Removes the card first, so that only one of many waiters frees it. */
function freeDead(file: string): boolean {
  const card = readCard(file)
  if (!card) return isUnsigned(file) && removeEmptyDir(`${file}.lock`)
  if (!isDead(card)) return false
  const grave = `${cardOf(file)}.${card.nonce}.${newId()}`
  try {
    renameSync(cardOf(file), grave)
  } catch {
    return false
  }
  const mine = JSON.parse(readSmall(grave, MAX_CARD_BYTES)) as Card
  removeName(grave)
  if (mine.nonce === card.nonce) removeEmptyDir(`${file}.lock`)
  return true
}

function isUnsigned(file: string): boolean {
  const stats = lstatSync(`${file}.lock`, { throwIfNoEntry: false })
  return stats !== undefined && Date.now() - stats.ctimeMs > UNSIGNED_MS && readCard(file) === undefined
}
