import { childOf, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import { ORCHESTRATION } from '../core/layout.js'
import { ifReadable, ifThere } from '../os/read.js'

/**
 * The paths that a person's policy rules hide from reading.
 * @param unreadable gets the directories that this user may not read
 */
export function closedByRules(
  overlay: Overlay,
  mayRead: (path: RelPath) => boolean,
  unreadable: RelPath[] = [],
): RelPath[] {
  const closed: RelPath[] = []
  const walk = (dir: RelPath): void => {
    const entries = ifReadable(() => ifThere(dir, () => overlay.readdir(dir)) ?? [])
    if (entries === undefined) unreadable.push(dir)
    for (const { name, type } of entries ?? []) {
      const path = childOf(dir, name)
      if (path === ORCHESTRATION || name === '.git') continue
      if (!mayRead(path)) closed.push(path)
      else if (type === 'dir') walk(path)
    }
  }
  walk(ROOT)
  return closed
}
