import type { StageDiff, StagedChange } from '../../overlay/index.js'
import { idOf } from '../core/ids.js'
import { freePathsOf } from '../policy/index.js'
import { type ApprovedLanding, amendmentState } from '../review/index.js'
import { classCache, declarationsOf, type StageStore } from '../stage/index.js'
import { splitDraft } from '../trace/index.js'
import { readBases } from './commit-bases.js'
import { commitDraft } from './commit-record.js'
import { digestOfPolicy } from './commit-session.js'
import type { ReviewedSession } from './reviewed-session.js'

/**
 * Appends the record of changes that a landing queue put on a git branch: who wrote their lines, and who approved them. Only this machine
 * knows that, while they are staged. A second call for the same changes and commit appends nothing, so it may follow a crash.
 * @param reading the stage, and its comparison with the disk
 */
export async function recordLanding(
  session: ReviewedSession,
  { store, diff }: { readonly store: StageStore; readonly diff: StageDiff },
  landed: readonly StagedChange[],
  { at, approvals }: ApprovedLanding,
): Promise<void> {
  const { layout, sessionId, ledger } = session
  // Reads what other processes have appended: the attribution begins at the lines that the ledger has.
  await ledger.head()
  const amendments = amendmentState(session.log.read())
  const { mutations, files, lines } = await readBases(store, diff, landed, {
    undone: undefined,
    free: freePathsOf(session.intents.state()),
    amendments,
    ledger,
    declarations: declarationsOf(store),
    classes: classCache(layout),
  })
  const draft = commitDraft(session, {
    approved: landed,
    mutations,
    attribution: { files, lines },
    tx: undefined,
    undone: undefined,
    approvals,
    amendments,
    evidence: [],
    checklist: [],
    policy: digestOfPolicy(layout),
    git: undefined,
    landed: at,
  })
  const paths = landed.map(({ path }) => path)
  for (const [number, part] of splitDraft(draft).entries())
    await ledger.appendOnce({ ...part, id: idOf(sessionId, at.commit, ...paths, String(number)) })
}
