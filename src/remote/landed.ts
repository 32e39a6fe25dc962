import type { Workspace } from '../core/api.js'
import { isChange } from './incoming.js'
import { type Landed, readLandedOf } from './settings.js'

/** What workers have landed and this machine still has staged: its disk does not have the branch's new commits. */
export async function landedChanges(workspace: Workspace): Promise<Landed[]> {
  const sessions = new Set((await workspace.sessions()).filter(({ changes }) => changes > 0).map(({ id }) => id))
  const found: Landed[] = []
  for (const landed of readLandedOf(workspace.root)) {
    if (!sessions.has(landed.session)) continue
    const staged = (await (await workspace.review(landed.session)).changes()).changes
    const changes = landed.changes.filter(({ key, path }) =>
      staged.some((each) => each.path === path && isChange(each, key)),
    )
    if (changes.length > 0) found.push(Object.assign({}, landed, { changes }))
  }
  return found
}
