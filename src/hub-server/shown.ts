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
  { changes }: SubmissionDetails,
  contents: Stores['contents'],
): Promise<readonly ShownChange[]> {
  const shown: ShownChange[] = []
  for (const change of changes) shown.push(await showChange(change, contents))
  return shown
}

async function showChange(change: SubmittedChange, contents: Stores['contents']): Promise<ShownChange> {
  if (change.shown === undefined)
    return { change, hunks: [], isWhole: false, note: 'It is too large to show here. Approve it on its machine.' }
  const [before, after] = [await readSide(change.shown.before, contents), await readSide(change.shown.after, contents)]
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

async function readSide(digest: string | null, contents: Stores['contents']): Promise<Uint8Array | null> {
  if (digest === null) return null
  const bytes = await contents.get(digest)
  if (bytes === undefined) throw new TypeError('A content of a submission is missing.')
  return bytes
}
