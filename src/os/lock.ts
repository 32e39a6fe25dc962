import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LockOptions } from 'proper-lockfile'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { newId } from '../core/ids.js'
import { isAlive, isDead, MAX_CARD_BYTES, type ProcessIdentity, thisProcess } from './process.js'
import { readSmall } from './read.js'
import { createFile, ensurePrivateDir, lockCalls, removeEmptyDir, removeName, renameSync } from './write.js'

/**
 * Runs `work` under a process lock of the workspace (proper-lockfile, `<locks>/<name>.lock`).
 *
 * Safety does not depend on the lock, which can let two holders in. Work under it is published by `link`, so a second
 * holder finds the name taken. The lock only makes retries rare. The holder's card shows at once that it is dead. Where it
 * cannot, such as for one on another machine, the lock is free once it was not renewed for {@link STALE_MS}.
 *
 * No decision compares times of the wall clock, which a person or a time server can move by hours: a waiter measures for how
 * long it has seen the lock unchanged.
 *
 * Taking the lock, synchronous work, and releasing it are one synchronous run: no other task of this process can
 * interrupt it and keep the others waiting.
 * @param work gets `lost()`, which is true once the lock was lost; it checks before it publishes, or see {@link assertHeld}
 * @throws EscrowError `ledger_unavailable` if locks cannot be made. ELOCKED when a living holder keeps it longer
 * than {@link WAIT_MS}.
 */
export async function withProcessLock<T>(
  locks: string,
  name: string,
  work: (lost: () => boolean) => Promise<T> | T,
  limits: Partial<LockLimits> = {},
): Promise<T> {
  const { staleMs, waitMs, isKeptByLiving } = { ...LIMITS, ...limits }
  makeLocks(locks)
  const file = join(locks, name)
  // Loaded on first use: most runs of the command take no lock.
  const { lockSync } = await import('proper-lockfile')
  const wait = new LockWait(file)
  for (let polls = 0; ; polls++) {
    // Mostly a stat is enough: trying the lock, or judging its holder, costs a hundred times as much.
    const isTried = wait.look() || polls % POLLS === 0
    const held = isTried ? tryAcquire(lockSync, file, wait.waited > waitMs) : undefined
    if (held !== undefined) return runHolding(held, work)
    if (!isTried || !freeOver(file, wait.unchanged, staleMs, isKeptByLiving))
      await sleep(waitTime(wait.waited) * (0.5 + Math.random()))
  }
}

/**
 * Call it before a write that replaces what another process may have written since the lock was lost.
 * @param what the thing that the lock is for
 * @throws EscrowError `session_busy`
 */
export function assertHeld(lost: () => boolean, what: string): void {
  if (!lost()) return
  const message = `Another process took over ${what} while this one was stopped. Nothing was written.`
  throw new EscrowError('session_busy', message, { hint: 'Try again.' })
}

/** Measures a wait for a lock, by the monotonic clock. */
class LockWait {
  /** Milliseconds since the beginning. */
  waited = 0
  /** Milliseconds for which the lock has not been renewed, or taken by another. */
  unchanged = 0
  #state = ''
  #at = performance.now()

  constructor(private readonly file: string) {}

  /** Looks at the lock. Returns whether it is free. */
  look(): boolean {
    const now = performance.now()
    // A gap can be the sleep of the machine, in which the holder could not renew its lock either.
    const passed = Math.min(now - this.#at, GAP_MS)
    this.#at = now
    this.waited += passed
    const stats = lstatSync(`${this.file}.lock`, { throwIfNoEntry: false })
    const state = stats === undefined ? '' : `${stats.ino} ${stats.mtimeMs} ${stats.ctimeMs}`
    this.unchanged = state === this.#state ? this.unchanged + passed : 0
    this.#state = state
    return stats === undefined
  }
}

/** The longer a process has waited, the shorter its pauses are, so that it mostly gets the lock first. */
function waitTime(waited: number): number {
  return Math.max(SHORTEST_NAP_MS, LONGEST_NAP_MS * (1 - waited / EAGER_AFTER_MS))
}

function makeLocks(locks: string): void {
  try {
    ensurePrivateDir(locks)
  } catch (error) {
    const message = `Process locks cannot be kept in ${locks}: ${errorText(error)}`
    const hint = 'Make it a directory that this process can write to, or set XDG_STATE_HOME to one.'
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

export interface LockLimits {
  /** Milliseconds after which a lock that nobody renews is free. */
  readonly staleMs: number
  /** Milliseconds to wait for a living holder. */
  readonly waitMs: number
  /** Whether a process of this machine that provably lives keeps the lock, however long it is stopped. */
  readonly isKeptByLiving: boolean
}

const STALE_MS = 10_000
const WAIT_MS = 30_000
const LIMITS: LockLimits = { staleMs: STALE_MS, waitMs: WAIT_MS, isKeptByLiving: false }
/** A holder renews its lock this often. */
const RENEW_MS = 5_000
/** The most milliseconds that one look at the lock adds to a wait. */
const GAP_MS = 500
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
function tryAcquire(lockSync: LockSync, file: string, isOver: boolean): Held | undefined {
  const hold = new Hold(file)
  try {
    // proper-lockfile judges the age by the wall clock, so here no lock is ever stale to it.
    const unlock = lockSync(file, {
      realpath: false,
      stale: Number.MAX_SAFE_INTEGER,
      update: RENEW_MS,
      onCompromised: () => hold.end(),
      fs: lockCalls(() => !hold.isLost()),
    })
    const free = () => letGo(unlock)
    hold.sign(free)
    return { isLost: () => hold.isLost(), release: () => hold.release(free) }
  } catch (error) {
    if (codeOf(error) !== 'ELOCKED' || isOver) throw error
    return undefined
  }
}

/**
 * What this process knows of the lock that it took. A process that was stopped for longer than {@link STALE_MS} goes on in the middle
 * of its work, before any timer: only the card shows that another process has taken the lock.
 */
class Hold {
  #nonce: string | undefined
  #isOver = false

  constructor(private readonly file: string) {}

  /** Signs the lock that this process has just taken, or lets it go. */
  sign(free: () => void): void {
    try {
      this.#nonce = signCard(this.file)
    } catch (error) {
      free()
      throw error
    }
  }

  isLost(): boolean {
    this.#isOver ||= this.#nonce !== undefined && !isSignedBy(this.file, this.#nonce)
    return this.#isOver
  }

  /** proper-lockfile has found that the lock is not its own. */
  end(): void {
    this.#isOver = true
  }

  /** A lost lock belongs to another process by now: only its renewal ends. */
  release(free: () => void): void {
    if (!this.isLost()) {
      this.#nonce = undefined
      removeName(cardOf(this.file))
    }
    free()
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
  try {
    renameSync(draft, cardOf(file))
  } catch (error) {
    removeName(draft)
    throw error
  }
  return nonce
}

function readCard(file: string): Card | undefined {
  try {
    return JSON.parse(readSmall(cardOf(file), MAX_CARD_BYTES)) as Card
  } catch {
    return undefined
  }
}

/** A card that cannot be read now, for want of a descriptor for example, counts as that of `nonce`. */
function isSignedBy(file: string, nonce: string): boolean {
  try {
    return (JSON.parse(readSmall(cardOf(file), MAX_CARD_BYTES)) as Card).nonce === nonce
  } catch (error) {
    return codeOf(error) !== 'ENOENT'
  }
}

/**
 * Frees the lock of a provably dead holder, and one that nobody has renewed for too long. Removes the card first, so that only one
 * of many waiters frees it.
 */
function freeOver(file: string, unchanged: number, staleMs: number, isKeptByLiving: boolean): boolean {
  const card = readCard(file)
  if (!card) return unchanged > UNSIGNED_MS && readCard(file) === undefined && removeEmptyDir(`${file}.lock`)
  if (unchanged <= staleMs && !isDead(card)) return false
  if (isKeptByLiving && isAlive(card)) return false
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
