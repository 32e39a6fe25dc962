import {
  type Lower,
  openLower,
  openStageLog,
  type Replay,
  replay,
  Stage,
  type StageFiles,
  type StageLog,
} from '../../overlay/index.js'
import type { Durability } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { Layout } from '../core/layout.js'

/** The default limit of staged content that a session holds in memory, in bytes. */
export const MEMORY = 256 << 20

/** A session's stage, replayed from its log, and the disk below it. `ownStage` makes the store over it. */
export interface OpenedStage {
  readonly layout: Layout
  readonly sessionId: string
  readonly stage: Stage
  readonly lower: Lower
  readonly files: StageFiles
  /** The content of the log and its pack; undefined if nothing is kept on disk. */
  readonly found: Replay | undefined
  /** The log, open for appending; undefined for a reader, and if nothing is kept on disk. */
  readonly log: StageLog | undefined
}

export interface OpenOptions {
  readonly durability: Durability
  /** The limit of staged content in memory, in bytes ({@link MEMORY} by default). The pack on disk holds the rest. */
  readonly memory?: number
}

/**
 * Opens a stage for its owner. The session's directory must exist, unless durability is `memory`.
 * @throws EscrowError `ledger_unavailable` for a log that cannot be read
 */
export function openStage(layout: Layout, sessionId: string, { durability, memory }: OpenOptions): OpenedStage {
  const stage = new Stage()
  const files = filesOf(layout, sessionId)
  const found = durability === 'memory' ? undefined : replayOrExplain(stage, files, true)
  const log = found && openStageLog(files, found, durability === 'power')
  if (log) stage.upper.spillAbove(memory ?? MEMORY, (bytes) => log.keep(bytes))
  return { layout, sessionId, stage, lower: openLower(layout.root), files, found, log }
}

/**
 * Opens a stage for reading. Does not write its log.
 * @throws EscrowError `ledger_unavailable` for a log that cannot be read
 */
export function openStageToRead(layout: Layout, sessionId: string): OpenedStage {
  const stage = new Stage()
  const files = filesOf(layout, sessionId)
  const found = replayOrExplain(stage, files, false)
  return { layout, sessionId, stage, lower: openLower(layout.root), files, found, log: undefined }
}

function filesOf(layout: Layout, sessionId: string): StageFiles {
  const { stageLog, pack } = layout.session(sessionId)
  return { log: stageLog, pack }
}

function replayOrExplain(stage: Stage, files: StageFiles, isOwner: boolean): Replay {
  try {
    return replay(files, stage, isOwner)
  } catch (error) {
    throw new EscrowError('ledger_unavailable', errorText(error), { cause: error })
  }
}
