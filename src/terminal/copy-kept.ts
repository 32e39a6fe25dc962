import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { ancestorsOf, childOf, codeOf, type RelPath } from '../../overlay/index.js'
import { lookAt } from '../os/read.js'
import { chmodSync, cloneFile, linkSync, makeDir, makeSymlink, setTimes } from '../os/write.js'
import { restingPaths } from './layer.js'

/** The copying of kept files (for example build output that git ignores) from one place to another. */
export interface KeptCopy {
  /** Source and target directories, as paths of this process. */
  readonly from: string
  readonly to: string
  /** The mode of an ancestor directory. */
  modeOf(dir: RelPath): number
  /** Names that a replaced directory hides in the layers below. */
  hiddenNames(dir: RelPath): readonly string[]
  /** A character device 0/0, in layers that mark a deleted name with it. */
  readonly whiteout?: string
}

/** Copies kept files and trees. Leaves out unreadable files, and all that is below a link in either place. */
export function copyKept(kept: readonly RelPath[], along: KeptCopy): void {
  const [source, target] = [restingPaths(along.from), restingPaths(along.to)]
  for (const path of kept) {
    if (source(path) === undefined) continue
    for (const dir of ancestorsOf(path).reverse()) makeOnce(target(dir), along.modeOf(dir))
    if (target(path) !== undefined) copy(path, along)
  }
}

function makeOnce(host: string | undefined, mode: number): void {
  if (host === undefined || lookAt(host) !== undefined) return
  makeDir(host, mode)
  chmodSync(host, mode)
}

function copy(path: RelPath, along: KeptCopy): void {
  const [from, to] = [`${along.from}/${path}`, `${along.to}/${path}`]
  const stats = lstatSync(from, { throwIfNoEntry: false })
  if (!stats || lstatSync(to, { throwIfNoEntry: false })) return
  if (stats.isSymbolicLink()) makeSymlink(readlinkSync(from), to)
  else if (stats.isFile()) {
    try {
      cloneFile(from, to)
    } catch (error) {
      if (codeOf(error) === 'EACCES') return
      throw error
    }
    chmodSync(to, stats.mode & 0o777)
    setTimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  } else if (stats.isDirectory()) {
    makeDir(to, 0o700)
    for (const name of readdirSync(from)) copy(childOf(path, name), along)
    if (along.whiteout !== undefined)
      for (const name of along.hiddenNames(path)) linkSync(along.whiteout, `${to}/${name}`)
    chmodSync(to, stats.mode & 0o777)
    setTimes(to, stats.atimeMs / 1000, stats.mtimeMs / 1000)
  } else if (stats.isCharacterDevice() && stats.rdev === 0 && along.whiteout !== undefined) linkSync(along.whiteout, to)
}
