import { childOf, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import { ORCHESTRATION } from '../core/layout.js'

/** The paths that a person's policy rules hide from reading. */
export function closedByRules(overlay: Overlay, mayRead: (path: RelPath) => boolean): RelPath[] {
  const closed: RelPath[] = []
  const walk = (dir: RelPath): void => {
    for (const { name, type } of overlay.readdir(dir)) {
      const path = childOf(dir, name)
      if (path === ORCHESTRATION || name === '.git') continue
      if (!mayRead(path)) closed.push(path)
      else if (type === 'dir') walk(path)
    }
  }
  walk(ROOT)
  return closed
}
