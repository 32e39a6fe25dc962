import { lstatSync, readdirSync } from 'node:fs'
import type { Overlay, RelPath } from '../../overlay/index.js'
import { chmodSync, removeEmptyDir, removeTree, removeTreeAt } from '../host/write.js'
import type { Effect } from './effects.js'

/** What is left in the layer commands write to, once the effects of one are dealt with. */

/** What was taken in or refused is no longer the layer's; a directory stays for what is kept in it. */
export function clearAway(effects: readonly Effect[], written: string): RelPath[] {
  const left: RelPath[] = []
  for (const { path, kind } of [...effects].sort((a, b) => (a.path < b.path ? 1 : -1))) {
    if (kind === 'unnamed') removeUnnamed(`${written}/${path}`)
    else if (kind !== 'dir') removeTree(`${written}/${path}`)
    else if (!removeEmptyDir(`${written}/${path}`)) left.push(path)
  }
  return left.reverse()
}

/** What a tool has removed since, or given another mode, is so for the next command: the layer must not say otherwise. */
export function bringUp(left: readonly RelPath[], overlay: Overlay, written: string): void {
  for (const path of left) {
    if (lstatSync(`${written}/${path}`, { throwIfNoEntry: false }) === undefined) continue
    if (overlay.typeOf(path) === 'dir') chmodSync(`${written}/${path}`, (overlay.lstat(path)?.mode ?? 0o755) & 0o7777)
    else removeTree(`${written}/${path}`)
  }
}

/** Takes names that no path leads to out of a directory of the layer. */
function removeUnnamed(host: string): void {
  for (const name of readdirSync(host, { encoding: 'buffer' })) {
    const isTold = Buffer.from(name.toString('utf8')).equals(name)
    if (!isTold) removeTreeAt(Buffer.concat([Buffer.from(`${host}/`), name]))
  }
}
