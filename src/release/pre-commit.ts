import { runCheck, scratchStage } from '../acceptance/index.js'
import type { CommitEntry } from '../commit/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { PreparedGit } from '../git/index.js'
import type { ReviewedSession } from './reviewed-session.js'

/**
 * Runs the hook with the index that the commit will have. $COMMIT: the new git commit. The contents were reviewed as
 * they are, so the commit is refused if the hook stages others.
 */
const script = (commit: string) => `
tree=$(git rev-parse '${commit}^{tree}') && git read-tree "$tree" || exit 1
git hook run --ignore-missing pre-commit || exit 1
[ "$(git write-tree)" = "$tree" ] && exit 0
git diff-index --cached --name-only "$tree"
echo 'it staged other contents of these files than those that were approved.'
exit 1`

/** Seconds after which the hook is stopped. */
const TIMEOUT = 600

interface PreCommit {
  readonly entries: readonly CommitEntry[]
  readonly git: PreparedGit | undefined
  readonly signal: AbortSignal | undefined
}

/**
 * Runs the repository's `pre-commit` hook as checks run: contained, on the disk with the approved changes, in a mount that is thrown
 * away. Approved changes may have changed the programs that it starts.
 * @throws EscrowError `unsupported` with the hook's output if it refuses the commit
 */
export async function runPreCommit(session: ReviewedSession, { entries, git, signal }: PreCommit): Promise<void> {
  const commit = git?.preCommit === true ? git.landing?.commits.at(-1) : undefined
  if (commit === undefined) return
  const { layout, sessionId, policy } = session
  const overlay = scratchStage(layout.root, entries)
  const place = { root: layout.root, sessionId, intentId: '', policy, overlay }
  const { exitCode, output, ended } = await runCheck(
    place,
    { run: script(commit), timeout: TIMEOUT },
    { ...defined({ signal }) },
  )
  if (exitCode === 0) return
  const why = ended === 'timeout' ? `it took longer than ${TIMEOUT / 60} minutes` : lastLineOf(output)
  throw new EscrowError('unsupported', `The pre-commit hook refused the commit, so nothing was committed: ${why}`, {
    hint: 'Let the agent correct it, or commit without --hooks.',
    output,
  })
}

function lastLineOf(output: string): string {
  return output.trimEnd().split('\n').at(-1) || 'it printed nothing.'
}
