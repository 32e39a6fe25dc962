import { setImmediate } from 'node:timers/promises'
import { decidableHunks, type Stores, type SubmissionDetails, type SubmittedChange } from '../hub/index.js'
import { diffFile } from '../review/index.js'

export interface ShownHunk {
  readonly lines: readonly string[]
  /** Undefined: it cannot be decided by itself. */
  readonly id?: string | undefined
}

/** A change with its diff, as far as it can be shown. */
export interface ShownChange {
  readonly change: SubmittedChange
  readonly hunks: readonly ShownHunk[]
  /** The text that is shown in place of hunks. */
  readonly note?: string
  /** Nobody may approve lines here that the page does not show. */
  readonly isWhole: boolean
}

/** Lines of one file on the page. */
const MAX_LINES = 20_000
/** The limit of lines on the page. The last file may exceed it. */
const MAX_PAGE_LINES = 100_000
/** The limit of bytes that are compared for one page. The last file may exceed it. */
const MAX_PAGE_BYTES = 256 * 1024 * 1024

const PAGE_IS_FULL =
  'The page is full. Decide on the changes that it shows, then open it again to see this one. Or decide on its machine.'

/** The lines and bytes of the page so far. A machine chooses what it submits, and all people share the hub. */
interface Used {
  lines: number
  bytes: number
}

/** Reads the contents of a submission and compares them, as far as one page has room. Changes without a verdict come first. */
export async function readShown(
  { changes, isOpen }: SubmissionDetails,
  contents: Stores['contents'],
): Promise<readonly ShownChange[]> {
  const used: Used = { lines: 0, bytes: 0 }
  const shown = new Map<SubmittedChange, ShownChange>()
  const isDecided = ({ verdict }: SubmittedChange) => verdict !== undefined
  for (const change of [...changes.filter((each) => !isDecided(each)), ...changes.filter(isDecided)]) {
    shown.set(change, await showChange(change, contents, isOpen, used))
    // Other requests get a turn.
    await setImmediate()
  }
  return changes.flatMap((change) => shown.get(change) ?? [])
}

async function showChange(
  change: SubmittedChange,
  contents: Stores['contents'],
  isOpen: boolean,
  used: Used,
): Promise<ShownChange> {
  if (change.shown === undefined)
    return { change, hunks: [], isWhole: false, note: 'It is too large to show here. Approve it on its machine.' }
  if (used.lines >= MAX_PAGE_LINES || used.bytes >= MAX_PAGE_BYTES)
    return { change, hunks: [], isWhole: false, note: PAGE_IS_FULL }
  const [before, after] = [await readSide(change.shown.before, contents), await readSide(change.shown.after, contents)]
  if (before === undefined || after === undefined) {
    if (isOpen) throw new TypeError('A content of an open submission is missing.')
    return { change, hunks: [], isWhole: false, note: 'The hub no longer has its contents.' }
  }
  used.bytes += (before?.length ?? 0) + (after?.length ?? 0)
  const diff = diffFile(before, after, change.path)
  if (diff.binary) return { change, hunks: [], isWhole: true, note: 'It is not text.' }
  const single = new Set(decidableHunks(change, diff).map(({ id }) => id))
  const hunks = diff.hunks.map(({ id, text }) => ({
    lines: text.split('\n').filter((line) => line !== ''),
    id: single.has(id) ? id : undefined,
  }))
  const count = hunks.reduce((sum, { lines }) => sum + lines.length, 0)
  if (count > MAX_LINES)
    return {
      change,
      hunks: [],
      isWhole: false,
      note: `It has ${count} lines to compare. Decide on its machine.`,
    }
  used.lines += count
  return { change, hunks, isWhole: true }
}

/** Null: there is none on this side. Undefined: it was removed. */
async function readSide(digest: string | null, contents: Stores['contents']): Promise<Uint8Array | null | undefined> {
  return digest === null ? null : contents.get(digest)
}
