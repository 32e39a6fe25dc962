import { diffStage } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import type { GitCommitPer, Patch } from '../core/commit-api.js'
import { formatPatches } from '../git/index.js'
import { gitUser } from '../os/git.js'
import { beforeOf } from '../stage/index.js'
import { readProposals } from '../trace/index.js'
import { groupsOf } from './git-commit.js'
import type { ReviewedSession } from './reviewed-session.js'

/** Formats a session's staged changes as patches: see `Review.patches`. */
export async function patchesOf(session: ReviewedSession, per: GitCommitPer | undefined): Promise<Patch[]> {
  const { layout, sessionId, ledger } = session
  const store = await session.stage()
  const { changes } = diffStage(store.overlay)
  if (changes.length === 0) throw new EscrowError('nothing_selected', `Nothing is staged in session '${sessionId}'.`)
  const staged = new Set<string>(changes.map(({ path }) => path))
  const isProposed = readProposals(layout.root, sessionId).some(({ paths }) => paths.some((path) => staged.has(path)))
  const options = { per: per ?? (isProposed ? 'proposal' : 'intent') } as const
  const groups = groupsOf(session, { changes, approvals: [], head: await ledger.head(), options })
  return formatPatches({ layout, groups, author: gitUser(layout.root), before: (change) => beforeOf(store, change) })
}
