import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import type { FileAttribution, RecordDraft } from './draft-schema.js'
import { MAX_LINE } from './lines.js'
import type { FileLines } from './own-record.js'

/** The size limit of one part, by the estimate in {@link sizeOf}. */
const PART_BYTES = MAX_LINE / 2

/**
 * Splits a draft of many files into several, each well below the length of a ledger line. The parts share all fields
 * but their id and their lists, and each has its number and their total.
 * @throws EscrowError `limit_exceeded` for a file with too many lines for one record
 */
export function splitDraft(draft: RecordDraft): RecordDraft[] {
  const parts = chunksOf(draft)
  if (parts.length === 1) return [draft]
  return parts.map((part, index) => ({
    ...draft,
    ...part,
    id: index === 0 ? draft.id : newId(),
    data: { ...draft.data, part: index + 1, parts: parts.length },
  }))
}

type Chunk = Pick<RecordDraft, 'files' | 'changes' | 'lines'>

/** A change belongs to the part with its file's lines. */
function chunksOf(draft: RecordDraft): Chunk[] {
  const files = new Map(draft.files.map((file) => [file.path, file]))
  const followed = new Map(draft.lines?.map((lines) => [lines.path, lines]))
  const shared = JSON.stringify([draft.agent ?? '', draft.intent, draft.session]).length
  const parts: { files: FileAttribution[]; changes: RecordDraft['changes'][number][]; lines: FileLines[] }[] = []
  let room = 0
  for (const change of draft.changes) {
    const file = files.get(change.path)
    const lines = followed.get(change.path)
    const names = 8 * (change.path.length + (change.from?.length ?? 0))
    const size = 1_000 + names + (file ? sizeOf(file, shared) : 0) + (lines ? JSON.stringify(lines).length : 0)
    if (size > PART_BYTES) throw tooLong(change.path)
    if (size > room || parts.length === 0) {
      parts.push({ files: [], changes: [], lines: [] })
      room = PART_BYTES
    }
    room -= size
    parts.at(-1)?.changes.push(change)
    if (file && files.delete(file.path)) parts.at(-1)?.files.push(file)
    if (lines && followed.delete(lines.path)) parts.at(-1)?.lines.push(lines)
  }
  parts[0] ??= { files: [], changes: [], lines: [] }
  for (const file of files.values()) parts[0].files.push(file)
  return parts
}

/** An upper bound: a record has each range twice, and its author with the file. */
function sizeOf(file: FileAttribution, shared: number): number {
  const own = shared + JSON.stringify([file.agent ?? '', file.intent ?? '']).length
  return 1_000 + 12 * file.path.length + 4 * own + 2 * file.ranges.length * (180 + own)
}

function tooLong(path: string): EscrowError {
  return new EscrowError('limit_exceeded', `${path} was changed in more places than one record can list.`, {
    hint: 'Commit the file in several steps, some of its hunks at a time.',
  })
}
