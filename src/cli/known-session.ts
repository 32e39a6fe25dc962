import type { Session, Workspace } from '../index.js'

/** Works as the owner of a session that is there: one is never made by a mistyped name. Rejects as `review` does for one there is none of. */
export async function atSession<T>(
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
