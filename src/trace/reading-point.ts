import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import type { Layout } from '../core/layout.js'
import { lookAt, readWhole } from '../host/read.js'
import { lookShared } from '../host/shared-files.js'
import { createFile, ensurePrivateDir, removeName, renameSync } from '../host/write.js'
import type { Tip } from './chain.js'
import type { LineHeads } from './line-heads.js'

/**
 * Where the last complete reading of a long ledger ended, kept in the state directory. The next process reads only what
 * follows. The point is a cache: it counts only for the very file it was made of, and it may be deleted at any time.
 * `verify` never uses it.
 */
export interface ReadingPoint {
  readonly tip: Tip
  readonly heads: LineHeads
}

export interface ReadingPoints {
  /** Undefined where there is none, where it is of another file, and for a short ledger. */
  load(): Promise<ReadingPoint | undefined>
  /** Keeps a point if the ledger has grown enough since the last one. A failure of the disk is ignored. */
  keep(tip: Tip, heads: LineHeads): void
}

/** A ledger, or what was added to it, is read faster than a point is worth below this. */
const STEP_BYTES = 4 * 1024 * 1024

export function readingPoints(layout: Layout): ReadingPoints {
  const file = join(layout.state, 'ledger-point.json')
  let keepAt = STEP_BYTES

  return {
    async load() {
      const stats = lookShared(layout.ledgerFile)
      if (stats === undefined || stats.size < STEP_BYTES) return undefined
      const text = unlessTheDiskFails(() => (lookAt(file) === undefined ? undefined : readWhole(file).toString()))
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
      // A point with many paths is long: it is written again once the ledger has grown by as much.
      keepAt = tip.end + STEP_BYTES + text.length
      replace(file, layout.state, text)
    },
  }
}

/** Not synced: a point that a power cut damaged is not valid JSON, so the ledger is read from its beginning. */
function replace(file: string, directory: string, text: string): void {
  const written = `${file}.${randomUUID()}.tmp`
  unlessTheDiskFails(() => {
    try {
      ensurePrivateDir(directory)
      createFile(written, text, 0o600, false)
      renameSync(written, file)
    } finally {
      removeName(written)
    }
  })
}

function unlessTheDiskFails<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}
