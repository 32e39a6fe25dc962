import type { Change, CommitResult, Review, Reviewer, Workspace } from '../../index.js'
import type { UriLike, VscodeLike } from './api.js'
import { displayKey, plainName, type Side, stagedSides } from './staged-sides.js'

/** The review of a session's staged changes in the editor. */
export interface StagedReview {
  /** Shows all staged changes in one multi-file diff editor. Resolves to their number. */
  show(sessionId: string): Promise<number>
  /**
   * Shows the changes and asks for a verdict in a modal. An approval covers all shown changes and commits them; a rejection
   * passes a reason to the agent. Undefined if the person did neither. Rejects as `commit` does.
   */
  decide(sessionId: string, by?: Reviewer): Promise<CommitResult | 'rejected' | undefined>
  dispose(): void
}

/** Creates a review in VS Code. It takes verdicts only in its modal. */
export function stagedReview<Uri extends UriLike>(
  vscode: VscodeLike<Uri>,
  workspace: Pick<Workspace, 'root' | 'review'>,
): StagedReview {
  const sides = stagedSides(vscode, () => [workspace])

  async function open(sessionId: string): Promise<{ review: Review; changes: Change[] }> {
    const review = await workspace.review(sessionId)
    const set = await review.changes()
    const { changes } = set
    const side = (change: Change, which: Side): Uri | undefined => {
      const { path, [which]: digest } = change
      if (digest === null) return undefined
      const of = { root: workspace.root, session: sessionId, path, side: which }
      return sides.uri({ ...of, digest, shown: displayKey(set, path) })
    }
    const files = changes.filter(({ kind }) => kind !== 'mkdir')
    const resources = files.map((change) => [
      vscode.Uri.file(`${workspace.root}/${change.path}`),
      side(change, 'before'),
      side(change, 'after'),
    ])
    if (changes.length > 0) await vscode.commands.executeCommand('vscode.changes', `Staged by ${sessionId}`, resources)
    return { review, changes }
  }

  return {
    show: async (sessionId) => (await open(sessionId)).changes.length,
    async decide(sessionId, by) {
      const { review, changes } = await open(sessionId)
      if (changes.length === 0) return undefined
      const options = { modal: true, detail: changes.map(describeChange).join('\n') }
      const question = `Approve and commit ${changes.length} staged change${changes.length === 1 ? '' : 's'}?`
      const chosen = await vscode.window.showWarningMessage(question, options, APPROVE, REJECT)
      if (chosen === APPROVE) {
        await review.approve(undefined, by)
        return review.commit()
      }
      if (chosen !== REJECT) return undefined
      const why = await vscode.window.showInputBox({
        prompt: 'Why? The agent reads it at its next call.',
        ignoreFocusOut: true,
      })
      if (!why) return undefined
      await review.reject(
        changes.map(({ path }) => path),
        why,
        by,
      )
      return 'rejected'
    },
    dispose: () => sides.dispose(),
  }
}

const APPROVE = 'Approve and commit'
const REJECT = 'Reject'

/** A name must not look like another line, nor reverse the text direction. */
function describeChange({ path, from, kind, flags }: Change): string {
  const name = from === undefined ? path : `${from} -> ${path}`
  return plainName([`${kind} ${name}`, ...flags].join(', '))
}
