import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorText } from '../core/error-text.js'
import { newId } from '../core/ids.js'
import { oneLine } from '../core/printable.js'
import { type Database, takeTurn } from '../hub/index.js'
import { stateDir } from '../os/state-dir.js'
import { ensurePrivateDir } from '../os/write.js'
import type { WorkerReport } from './report.js'
import { landTurn } from './turn.js'

export interface WorkerOptions {
  readonly database: Database
  /** A directory for clones. Its content can be removed whenever no worker runs. */
  readonly work: string
  /** Ends the worker. Unfinished landings wait for the next worker. */
  readonly signal: AbortSignal
  readonly report: (report: WorkerReport) => void
  /** Whether to end when nothing waits. */
  readonly once?: boolean
}

/** Where a worker keeps its clones, unless the operator says otherwise. */
export function defaultWork(): string {
  return join(stateDir(), 'landing')
}

/**
 * Milliseconds between two polls for work without a notification, for example when the turn of a dead worker has
 * expired.
 */
const LOOK_MS = 15_000

/** Lands the waiting landings of every workspace of the hub. Any number of workers may run, on any machines. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { database, signal, report } = options
  ensurePrivateDir(options.work)
  const name = oneLine(`${hostname()}-${process.pid}-${newId().slice(0, 8)}`)
  let wake: () => void = () => undefined
  const end = await database.listen(() => wake())
  try {
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const turn = await takeTurn(database, name).catch((error: unknown) => {
        report({ kind: 'problem', message: oneLine(errorText(error)) })
        return undefined
      })
      if (turn !== undefined) {
        await landTurn(options, turn).catch((error: unknown) => {
          // The turn expires, and a worker continues the landings of this one.
          report({ kind: 'problem', workspace: turn.workspace, message: oneLine(errorText(error)) })
        })
      } else if (options.once) return
      else await soon(woken, signal)
    }
  } finally {
    await end()
  }
}

/** Waits for a notification, or until the next poll. */
async function soon(woken: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController()
  const pause = sleep(LOOK_MS, undefined, { signal: AbortSignal.any([signal, over.signal]) })
  await Promise.race([woken, pause.catch(() => undefined)])
  over.abort()
}
