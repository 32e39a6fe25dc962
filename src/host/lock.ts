import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import lockfile from 'proper-lockfile'
import { codeOf } from '../../overlay/errno.js'
import { newId } from '../core/ids.js'
import { isDead, type ProcessIdentity, thisProcess } from './process.js'
import { createFile, ensureDir, removeEmptyDir, removeName, renameSync } from './write.js'

/**
 * Runs `work` under a process lock of the workspace (proper-lockfile, `<locks>/<name>.lock`).
 *
 * Safety does not rest on the lock: it has been seen to let two holders in. What is done under it is published by
 * `link`, so a second holder finds the name taken. The lock keeps the common case from retrying. proper-lockfile frees
 * the lock of a killed process only after {@link STALE_MS}; its holder's card lets us see at once that it is dead.
 * @param work is told by `lost()` once the lock was lost; it checks before it publishes.
 * @throws ELOCKED when a living holder keeps it longer than {@link WAIT_MS}.
 */
export async function withProcessLock<T>(
  locks: string,
  name: string,
  work: (lost: () => boolean) => Promise<T> | T,
): Promise<T> {
  ensureDir(locks)
  const file = join(locks, name)
  let compromised = false
  const release = await acquire(file, () => {
    compromised = true
  })
  const card = signCard(file)
  try {
    return await work(() => compromised)
  } finally {
    // A lost lock is someone else's by now; releasing it rejects, and there is nothing left to do.
    if (!compromised) {
      if (readCard(file)?.nonce === card) removeName(cardOf(file))
      await release().catch(() => undefined)
    }
  }
}

const STALE_MS = 10_000
const WAIT_MS = 30_000
const LONGEST_NAP_MS = 50

type Release = () => Promise<void>

async function acquire(file: string, onCompromised: () => void): Promise<Release> {
  const deadline = Date.now() + WAIT_MS
  for (let nap = 1; ; nap = Math.min(nap * 1.5, LONGEST_NAP_MS)) {
    try {
      return await lockfile.lock(file, { realpath: false, stale: STALE_MS, retries: 0, onCompromised })
    } catch (error) {
      if (codeOf(error) !== 'ELOCKED' || Date.now() > deadline) throw error
    }
    if (!freeDead(file)) await sleep(nap * (0.5 + Math.random()))
  }
}

interface Card extends ProcessIdentity {
  readonly nonce: string
}

function cardOf(file: string): string {
  return `${file}.holder`
}

/** Says who holds the lock. Renamed into place: a reader sees a whole card or none. */
function signCard(file: string): string {
  const nonce = newId()
  const draft = `${cardOf(file)}.${nonce}`
  createFile(draft, JSON.stringify({ ...thisProcess(), nonce } satisfies Card), 0o600, false)
  renameSync(draft, cardOf(file))
  return nonce
}

function readCard(file: string): Card | undefined {
  try {
    return JSON.parse(readFileSync(cardOf(file), 'utf8')) as Card
  } catch {
    return undefined
  }
}

/** Takes away the lock of a holder that is provably dead. The card goes first: only one of many waiters gets it. */
function freeDead(file: string): boolean {
  const card = readCard(file)
  if (!card || !isDead(card)) return false
  const grave = `${cardOf(file)}.${card.nonce}.${newId()}`
  try {
    renameSync(cardOf(file), grave)
  } catch {
    return false
  }
  const mine = JSON.parse(readFileSync(grave, 'utf8')) as Card
  removeName(grave)
  if (mine.nonce === card.nonce) removeEmptyDir(`${file}.lock`)
  return true
}
