import type { Session, Workspace } from '../index.js'

/** Runs `work` as the owner of an existing session. Never creates one; rejects as `review` does for an unknown id. */
export async function withSession<T>(
  workspace: Workspace,
  id: string,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  await workspace.review(id)
  const session = await workspace.session({ id })
  try {
    return await work(session)
  } finally {
    await session.close()
  }
}
