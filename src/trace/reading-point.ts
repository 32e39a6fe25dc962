import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import type { Layout } from '../core/layout.js'
import { lookAt, readWhole } from '../os/read.js'
import { lookShared } from '../os/shared-files.js'
import { createFile, ensurePrivateDir, removeName, renameSync } from '../os/write.js'
import type { Tip } from './chain.js'
import type { LineHeads } from './line-heads.js'

/**
 * The end of the last complete read of a long ledger, kept in the state directory, so that the next process reads only
 * the lines after it. It is a cache for exactly one file, and may be deleted at any time. `verify` does not use it.
 */
export interface ReadingPoint {
  readonly tip: Tip
  readonly heads: LineHeads
}

export interface ReadingPoints {
  /** Undefined if there is none, if it is of another file, and for a short ledger. */
  load(): Promise<ReadingPoint | undefined>
  /** Saves a point if the ledger has grown enough since the last one. Ignores disk errors. */
  keep(tip: Tip, heads: LineHeads): void
}

/** Below this size, reading the ledger, or its new part, is faster than a point. */
const STEP_BYTES = 4 * 1024 * 1024

export function readingPoints(layout: Layout): ReadingPoints {
  const file = join(layout.state, 'ledger-point.json')
  let keepAt = STEP_BYTES

  return {
    async load() {
      const stats = lookShared(layout.ledgerFile)
      if (stats === undefined || stats.size < STEP_BYTES) return undefined
      const text = ignoringDiskErrors(() => (lookAt(file) === undefined ? undefined : readWhole(file).toString()))
      if (text === undefined) return undefined
      const { parsePoint } = await import('./reading-point-format.js')
      const point = parsePoint(text)
      if (point === undefined || point.dev !== stats.dev || point.ino !== stats.ino) return undefined
      keepAt = point.tip.end + STEP_BYTES + text.length
      return { tip: point.tip, heads: new Map(point.heads) }
    },
    keep(tip, heads) {
      if (tip.end < keepAt) return
      const stats = lookShared(layout.ledgerFile)
      if (stats === undefined) return
      const text = JSON.stringify({ version: 1, dev: stats.dev, ino: stats.ino, tip, heads: [...heads] })
      // A point with many paths is long: it is written again once the ledger has grown by its length.
      keepAt = tip.end + STEP_BYTES + text.length
      replace(file, layout.state, text)
    },
  }
}

/** Not synced: a point that a power cut damaged is invalid JSON, and the ledger is then read from the start. */
function replace(file: string, directory: string, text: string): void {
  const written = `${file}.${randomUUID()}.tmp`
  ignoringDiskErrors(() => {
    try {
      ensurePrivateDir(directory)
      createFile(written, text, 0o600, false)
      renameSync(written, file)
    } finally {
      removeName(written)
    }
  })
}

function ignoringDiskErrors<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
