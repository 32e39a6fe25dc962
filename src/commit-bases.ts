import type { BigIntStats } from 'node:fs'
import { codeOf, digest, type RelPath, type StageDiff, type StagedChange, sameContent } from '../overlay/index.js'
import { beforeOf } from './change-view.js'
import { type CommitEntry, settledLook } from './commit/index.js'
import type { AgentInfo } from './core/api.js'
import type { FreePaths } from './policy/index.js'
import type { AmendmentState } from './review/amend.js'
import type { StageStore } from './stage-store.js'
import { attributeFile, editedLines, type FileAttribution } from './trace/index.js'
import type { Undone } from './undo-session.js'

interface Attributing {
  readonly undone: Undone | undefined
  readonly free: FreePaths
  readonly amendments: AmendmentState
}

/**
 * Who wrote which lines, and for each old file read for it how it looked then: while it looks so still, the commit need
 * not read it again.
 */
export function readBases(
  store: StageStore,
  diff: StageDiff,
  approved: readonly StagedChange[],
  { undone, free, amendments }: Attributing,
) {
  const files: FileAttribution[] = []
  const looks = new Map<string, BigIntStats>()
  const proved = (path: RelPath, readAt: number | undefined) => {
    const look = readAt === undefined ? undefined : settledLook(diff.look(path), readAt)
    if (look !== undefined) looks.set(path, look)
  }
  for (const change of approved) {
    const { path, from = path, after } = change
    proved(from, diff.readAt(from))
    if (after === null || after.type === 'dir' || undone?.restores(path, after)) continue
    // A path that needs no intent is attributed to nobody.
    if (free.has(path, false)) continue
    const { intentId: intent = null, agent } = change
    const said = {
      path,
      contributor: 'ai',
      intent,
      ...(agent !== undefined && { agent: agent as AgentInfo | null }),
    } as const
    if (change.before !== null && sameContent(change.before, after)) {
      files.push({ ...said, ranges: [] })
      continue
    }
    const readAt = Date.now()
    const before = readBefore(store, change, diff.look(from))
    if (before !== null && digest(before) === change.before?.digest) proved(from, readAt)
    const content = change.content()
    const edited = editedLines(editsOf(store, change, amendments), content)
    files.push(attributeFile({ ...said, before, after: content, edited }))
  }
  return { files, looks }
}

/** Null where nothing stood, or what did cannot be read any more: the check of the bases says what that means. */
function readBefore(store: StageStore, change: StagedChange, look: BigIntStats | undefined): Uint8Array | null {
  if (change.before === null) return null
  try {
    return beforeOf(store, change, look)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return null
  }
}

export function withLook(entry: CommitEntry, look: BigIntStats | undefined): CommitEntry {
  return look === undefined || entry.old?.type !== 'file' ? entry : { ...entry, look }
}

function editsOf({ contents }: StageStore, change: StagedChange, amendments: AmendmentState) {
  return amendments.of(change).flatMap(({ cause, content, entries: [entry] }) => {
    if (cause !== 'edit' || content === undefined || !entry?.after) return []
    return [{ seen: contents.read(entry.after.digest), made: contents.read(content) }]
  })
}
