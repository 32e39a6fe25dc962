import { join } from 'node:path'
import lockfile from 'proper-lockfile'
import { ensureDir } from './write.js'

/**
 * Runs `work` under a process lock of the workspace (proper-lockfile, `<locks>/<name>.lock`).
 *
 * Safety does not rest on the lock: it has been seen to let two holders in. What is done under it is published by
 * `link`, so a second holder finds the name taken. The lock keeps the common case from retrying.
 * @param aborted is true once the lock was lost; `work` checks it before it publishes.
 */
export async function withProcessLock<T>(
  locks: string,
  name: string,
  work: (lost: () => boolean) => Promise<T> | T,
): Promise<T> {
  ensureDir(locks)
  let compromised = false
  const release = await lockfile.lock(join(locks, name), {
    realpath: false,
    stale: 10_000,
    retries: { retries: 200, factor: 1.2, minTimeout: 2, maxTimeout: 250, randomize: true },
    onCompromised: () => {
      compromised = true
    },
  })
  try {
    return await work(() => compromised)
  } finally {
    // A lost lock is someone else's by now; releasing it rejects, and there is nothing left to do.
    if (!compromised) await release().catch(() => undefined)
  }
}
