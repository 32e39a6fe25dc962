import { lstatSync, readdirSync } from 'node:fs'
import type { Overlay, RelPath } from '../../overlay/index.js'
import { chmodSync, removeEmptyDir, removeTree, removeTreeAt } from '../os/write.js'
import type { Effect } from './effects.js'

/** Cleaning the written layer between two commands. */

/** Removes handled effects from the layer. @returns the directories that stay because they hold kept files. */
export function clearEffects(effects: readonly Effect[], written: string): RelPath[] {
  const remaining: RelPath[] = []
  for (const { path, kind } of [...effects].sort((a, b) => (a.path < b.path ? 1 : -1))) {
    if (kind === 'unnamed') removeUnnamed(`${written}/${path}`)
    else if (kind !== 'dir') removeTree(`${written}/${path}`)
    else if (!removeEmptyDir(`${written}/${path}`)) remaining.push(path)
  }
  return remaining.reverse()
}

/** Applies removals and mode changes of the stage to the remaining directories, which would hide them from the next command. */
export function syncLeftovers(left: readonly RelPath[], overlay: Overlay, written: string): void {
  for (const path of left) {
    if (lstatSync(`${written}/${path}`, { throwIfNoEntry: false }) === undefined) continue
    if (overlay.typeOf(path) === 'dir') chmodSync(`${written}/${path}`, (overlay.lstat(path)?.mode ?? 0o755) & 0o7777)
    else removeTree(`${written}/${path}`)
  }
}

/** Removes names that are not valid UTF-8. */
function removeUnnamed(host: string): void {
  for (const name of readdirSync(host, { encoding: 'buffer' })) {
    const isUtf8 = Buffer.from(name.toString('utf8')).equals(name)
    if (!isUtf8) removeTreeAt(Buffer.concat([Buffer.from(`${host}/`), name]))
  }
}
