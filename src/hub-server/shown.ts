import type { Stores, SubmissionDetails, SubmittedChange } from '../hub/index.js'
import { diffFile } from '../review/index.js'

/** A change with its diff, as far as it can be shown. */
export interface ShownChange {
  readonly change: SubmittedChange
  readonly lines: readonly string[]
  /** In place of lines. */
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
    return { change, lines: [], isWhole: false, note: 'It is too large to show here. Approve it on its machine.' }
  const [before, after] = [await readSide(change.shown.before, contents), await readSide(change.shown.after, contents)]
  const { hunks, binary } = diffFile(before, after, change.path)
  if (binary) return { change, lines: [], isWhole: true, note: 'It is not text.' }
  const lines = hunks.flatMap(({ text }) => text.split('\n').filter((line) => line !== ''))
  if (lines.length > MAX_LINES)
    return {
      change,
      lines: [],
      isWhole: false,
      note: `It has ${lines.length} lines to compare. Decide on its machine.`,
    }
  return { change, lines, isWhole: true }
}

async function readSide(digest: string | null, contents: Stores['contents']): Promise<Uint8Array | null> {
  if (digest === null) return null
  const bytes = await contents.get(digest)
  if (bytes === undefined) throw new TypeError('A content of a submission is missing.')
  return bytes
}
