import { readdirSync } from 'node:fs'
import type { Overlay, RelPath } from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import { chmodSync, removeEmptyDir, removeTree, removeTreeAt } from '../os/write.js'
import type { Effect } from './effects.js'
import { restingPaths } from './layer.js'

/** Cleaning the written layer between two commands. Neither function leaves the layer by a link in it. */

/** Removes handled effects from the layer. @returns the directories that stay because they hold kept files. */
export function clearEffects(effects: readonly Effect[], written: string): RelPath[] {
  const remaining: RelPath[] = []
  const placeOf = restingPaths(written)
  for (const { path, kind } of [...effects].sort((a, b) => (a.path < b.path ? 1 : -1))) {
    const place = placeOf(path)
    if (place === undefined) continue
    if (kind === 'unnamed') removeUnnamed(place)
    else if (kind !== 'dir') removeTree(place)
    else if (!removeEmptyDir(place)) remaining.push(path)
  }
  return remaining.reverse()
}

/** Applies removals and mode changes of the stage to the remaining directories, which would hide them from the next command. */
export function syncLeftovers(left: readonly RelPath[], overlay: Overlay, written: string): void {
  const placeOf = restingPaths(written)
  for (const path of left) {
    const place = placeOf(path)
    // If it is no longer a directory, the next reading of effects reports that change.
    if (place === undefined || lookAt(place)?.isDirectory() !== true) continue
    if (overlay.typeOf(path) === 'dir') chmodSync(place, (overlay.lstat(path)?.mode ?? 0o755) & 0o7777)
    else removeTree(place)
  }
}

/** Removes names that are not valid UTF-8. */
function removeUnnamed(host: string): void {
  if (lookAt(host)?.isDirectory() !== true) return
  for (const name of readdirSync(host, { encoding: 'buffer' })) {
    const isUtf8 = Buffer.from(name.toString('utf8')).equals(name)
    if (!isUtf8) removeTreeAt(Buffer.concat([Buffer.from(`${host}/`), name]))
  }
}
