import { type StagedChange, sameState } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { type Bases, baseDiff } from './change-set.js'
import { type CommitSlice, commitSliceOf, refOf } from './judge.js'
import type { ReviewLog } from './log.js'
import { entryOf, type ReviewEntry, type ReviewRecord } from './record.js'
import { recordsOfRest } from './split-hunk.js'
import { carriedOver } from './verdict-record.js'
import type { CurrentVerdicts, VerdictState } from './verdicts.js'

/** What a commit would take of a stage. */
export function commitSlicesOf(staged: readonly StagedChange[], verdicts: VerdictState, deps: Bases): CommitSlice[] {
  return staged.flatMap((change) => commitSliceOf(change, verdicts.of(change), () => baseDiff(change, deps)) ?? [])
}

/** What the review log is to have of a commit. What is left of the words on its files comes first: once the commit itself is there, all is. */
export function recordsOfSlices(
  tx: string,
  landings: readonly CommitSlice[],
  verdicts: VerdictState,
  splits: ReadonlySet<string>,
): ReviewRecord[] {
  const rest = landings.flatMap((landing) => {
    const standing = verdicts.of(landing.of)
    return [...carriedOver(landing, standing), ...recordsOfRest(landing, standing, splits)]
  })
  const at = new Date().toISOString()
  return [...rest, { kind: 'committed', tx, id: newId(), at, entries: landings.map(consumedEntry) }]
}

/** How often the writing of one record may be overtaken by other reviewers. */
const TRIES = 20

/**
 * Writes down what a commit has landed. Whoever looks at the session may have done so before its committer came to it, and
 * people may have spoken since: a second time it would use up their words.
 * @throws EscrowError `session_busy` where others write without a pause; who looks next does it.
 */
export async function writeCommitted(log: ReviewLog, tx: string, records: readonly ReviewRecord[]): Promise<void> {
  for (const record of records) {
    let isWritten = false
    for (let turn = 0; turn < TRIES && !isWritten; turn++) {
      const known = log.read()
      if (known.some((each) => each.kind === 'committed' && each.tx === tx)) return
      isWritten = await log.appendAfter(known, record, async () => undefined)
    }
    if (!isWritten) throw new EscrowError('session_busy', `What commit ${tx} landed could not be written down.`)
  }
}

function consumedEntry({ of, part }: CommitSlice): ReviewEntry {
  return { ...entryOf(of), ...(part && { hunks: part.landed.map(refOf) }) }
}

/**
 * @param was by which the landings were found
 * @throws EscrowError `stale_file` where a reviewer has spoken otherwise since: of what is to land, or of what is to be left of its file.
 */
export function refuseRespoken(
  landings: readonly CommitSlice[],
  was: VerdictState,
  now: VerdictState,
  deps: Bases,
): void {
  const refused = landings.flatMap((landing) => {
    const { of, change, part } = landing
    const [next] = commitSlicesOf([of], now, deps)
    const isSame = next !== undefined && sameState(next.change.after, change.after)
    const left = part?.left.map(({ id }) => id) ?? []
    if (isSame && left.every((id) => wordOn(id, was.of(of)) === wordOn(id, now.of(of)))) return []
    const message = `A reviewer has said otherwise of ${change.path} while it was being committed.`
    return [{ path: change.path as string, reason: 'stale_file', message }]
  })
  if (refused.length === 0) return
  const message = `Nothing was committed. ${refused.map((each) => each.message).join(' ')}`
  throw new EscrowError('stale_file', message, { refused, hint: 'Look at the changes again, then commit.' })
}

function wordOn(id: string, { file, hunks }: CurrentVerdicts): string | undefined {
  return (hunks.get(id) ?? file)?.id
}
