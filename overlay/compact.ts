import fs from 'node:fs'
import { basename, dirname } from 'node:path'
import { imageOf } from './image.js'
import { roughSizeOf, type Sizes, sizeOf } from './image-size.js'
import { readPacked } from './pack.js'
import type { Stage } from './stage.js'
import type { StageEdit } from './stage-edit.js'
import { FileStageLog, type Replay, type StageFiles, type StageLog, sizeIfThere } from './stage-log.js'

/** When to compact a log and its pack. Sizes are in bytes, and smaller ones are never compacted. */
interface Worth {
  readonly log: number
  readonly pack: number
  /** The least ratio of a size to its live part. */
  readonly times: number
}

const WORTH: Worth = { log: 1 << 20, pack: 16 << 20, times: 2 }

/**
 * Compacts a closed log and its pack, if enough of them is no longer live: writes only the stage with all its snapshots.
 * The new log replaces the old one at once. The old pack stays for concurrent readers until the session is opened again.
 * A failure changes nothing.
 * @returns whether the log was compacted
 */
export function compact(files: StageFiles, stage: Stage, { pack }: Pick<Replay, 'pack'>, worth = WORTH): boolean {
  const now = { log: sizeIfThere(files.log), pack: sizeIfThere(pack) }
  if (now.log < worth.log && now.pack < worth.pack) return false
  const isWorth = (least: Sizes) =>
    now.log >= Math.max(worth.log, worth.times * least.log) ||
    now.pack >= Math.max(worth.pack, worth.times * least.pack)
  try {
    // Snapshots only add to the size of the current stage, which alone decides for most logs.
    if (!isWorth(roughSizeOf(stage)) || !isWorth(sizeOf(stage))) return false
    rewrite(files, stage, pack)
    return true
  } catch {
    // The session's files are unchanged, and the next opener removes the leftovers.
    return false
  }
}

function rewrite(files: StageFiles, stage: Stage, old: string): void {
  const pack = `${files.pack}.${Number(/\.(\d+)$/.exec(old)?.[1] ?? 1) + 1}`
  const path = `${files.log}.new`
  const fresh = new FileStageLog(fs.openSync(path, 'wx', 0o600), path, fs.openSync(pack, 'wx', 0o600), pack, false)
  try {
    fresh.append({ op: 'begin', t: '0', pack: basename(pack) }, undefined)
    for (const { edit, data } of imageOf(stage))
      fresh.append(movedEdit(edit, old, fresh), data && Buffer.concat([...data.chunks()]))
  } finally {
    fresh.close()
  }
  fs.renameSync(path, files.log)
  syncDir(dirname(path))
}

/** The edit with the contents of its bases in the new pack. */
function movedEdit(edit: StageEdit, from: string, to: StageLog): StageEdit {
  if (!edit.bases?.some(([, base]) => base.kept)) return edit
  const bases = edit.bases.map(([path, base]) => {
    const { kept, ...rest } = base
    if (!kept || !base.state) return [path, base] as const
    return [path, { ...rest, kept: to.store(readPacked(from, base.state.digest, kept)).at }] as const
  })
  return { ...edit, bases }
}

function syncDir(dir: string): void {
  const fd = fs.openSync(dir, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}
