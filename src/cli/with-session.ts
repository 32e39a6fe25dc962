import type { Session, Workspace } from '../index.js'
import { runThenClose } from './run-then-close.js'

/** Runs `work` as the owner of an existing session. Never creates one; rejects as `review` does for an unknown id. */
export async function withSession<T>(
  workspace: Workspace,
  id: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  await workspace.review(id)
  const session = await workspace.session({ id })
  return runThenClose(
    () => work(session),
    () => session.close(),
  )
}
