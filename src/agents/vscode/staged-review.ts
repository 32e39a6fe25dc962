import { createHash } from 'node:crypto'
import type { Change, CommitResult, Review, Reviewer, Workspace } from '../../index.js'
import type { UriLike, VscodeLike } from './api.js'

/** The scheme of both sides: documents of it cannot be edited, and no file is behind them. */
export const STAGED_SCHEME = 'escrowfs'

/** A session's staged work, reviewed in the editor. */
export interface StagedReview {
  /** Shows all that is staged in one editor of several files. Resolves to how many there are. */
  show(sessionId: string): Promise<number>
  /**
   * Shows it, and asks for a verdict in a modal: a person approves all they were shown, and it is committed, or rejects it with
   * words for the agent. Undefined where neither happened. Rejects as `commit` does.
   */
  decide(sessionId: string, by?: Reviewer): Promise<CommitResult | 'rejected' | undefined>
  dispose(): void
}

/** A person's review in VS Code. A verdict is given in its modal and nowhere else. */
export function stagedReview<Uri extends UriLike>(
  vscode: VscodeLike<Uri>,
  workspace: Pick<Workspace, 'root' | 'review'>,
): StagedReview {
  const provider = {
    provideTextDocumentContent: async ({ path, query }: Uri) => {
      const { session, side, digest } = asked(query)
      return textOf(await (await workspace.review(session)).content(path.slice(1), side), digest)
    },
  }
  const registered = vscode.workspace.registerTextDocumentContentProvider(STAGED_SCHEME, provider)

  async function open(sessionId: string): Promise<{ review: Review; changes: Change[] }> {
    const review = await workspace.review(sessionId)
    const { changes } = await review.changes()
    const side = (change: Change, which: Side): Uri | undefined => {
      const digest = change[which]
      if (digest === null) return undefined
      const query = JSON.stringify({ session: sessionId, side: which, digest })
      return vscode.Uri.from({ scheme: STAGED_SCHEME, path: `/${change.path}`, query })
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
      const options = { modal: true, detail: changes.map(told).join('\n') }
      const question = `Let ${changes.length} staged change${changes.length === 1 ? '' : 's'} land?`
      const chosen = await vscode.window.showWarningMessage(question, options, APPROVE, REJECT)
      if (chosen === APPROVE) {
        await review.approve(undefined, by)
        return review.commit()
      }
      if (chosen !== REJECT) return undefined
      const why = await vscode.window.showInputBox({ prompt: 'Why? The agent is told.', ignoreFocusOut: true })
      if (!why) return undefined
      await review.reject(
        changes.map(({ path }) => path),
        why,
        by,
      )
      return 'rejected'
    },
    dispose: () => void registered.dispose(),
  }
}

const APPROVE = 'Approve and commit'
const REJECT = 'Reject'

type Side = 'before' | 'after'

/** A name must not look like another line, nor turn the text around. */
function told({ path, from, kind, flags }: Change): string {
  const name = from === undefined ? path : `${from} -> ${path}`
  return [`${kind} ${name}`, ...flags].join(', ').replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd')
}

function asked(query: string): { session: string; side: Side; digest: string } {
  const { session, side, digest }: Record<string, unknown> = JSON.parse(query)
  return { session: String(session), side: side === 'before' ? 'before' : 'after', digest: String(digest) }
}

/** What is not what the review was about is not shown as if it were. */
function textOf(content: Uint8Array | undefined, digest: string): string {
  const found = `sha256:${createHash('sha256')
    .update(content ?? '')
    .digest('hex')}`
  if (content === undefined || found !== digest) return 'This has changed since the review was opened. Open it again.\n'
  return content.includes(0) ? `Binary, ${content.length} bytes, ${digest}\n` : new TextDecoder().decode(content)
}
