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
  /** In place of hunks. */
  readonly note?: string
  /** Nobody may approve lines here that the page does not show. */
  readonly isWhole: boolean
}

/** Lines of one file on the page. */
const MAX_LINES = 20_000

/** Reads the contents of a submission and compares them. */
export async function readShown(
  { changes, isOpen }: SubmissionDetails,
  contents: Stores['contents'],
): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = []
  for (const change of changes) shown.push(await showChange(change, contents, isOpen))
  return shown
}

async function showChange(
  change: SubmittedChange,
  contents: Stores['contents'],
  isOpen: boolean,
): Promise<ShownChange> {
  if (change.shown === undefined)
    return { change, hunks: [], isWhole: false, note: 'It is too large to show here. Approve it on its machine.' }
  const [before, after] = [await readSide(change.shown.before, contents), await readSide(change.shown.after, contents)]
  if (before === undefined || after === undefined) {
    if (isOpen) throw new TypeError('A content of an open submission is missing.')
    return { change, hunks: [], isWhole: false, note: 'The hub no longer has its contents.' }
  }
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
  return { change, hunks, isWhole: true }
}

/** Null: there is none on this side. Undefined: it was removed. */
async function readSide(digest: string | null, contents: Stores['contents']): Promise<Uint8Array | null | undefined> {
  return digest === null ? null : contents.get(digest)
}
