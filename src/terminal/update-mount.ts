import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { childOf, codeOf, type Overlay, type RelPath } from '../../overlay/index.js'
import { createFile, makeDir, makeSymlink, removeEmptyDir, removeName, renameSync } from '../host/write.js'
import { isInUse, type LiveLayer, liveLayer } from './layer.js'

/**
 * Makes a mount that a command is at work in show what is staged at a path. The command can turn any directory there into a
 * link meanwhile, so each is held, and a file comes by a rename.
 * @param merged the workspace as the command sees it.
 * @returns false where the command is in the way.
 */
export function showIn(merged: string, overlay: Overlay, path: RelPath): boolean {
  const tree = liveLayer(merged)
  try {
    bring(tree, overlay, path)
    return true
  } catch (error) {
    if (isInUse(error) || ['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return false
    throw error
  } finally {
    tree.close()
  }
}

function bring(tree: LiveLayer, overlay: Overlay, path: RelPath): void {
  const type = overlay.typeOf(path)
  if (type === undefined) removeBelow(tree, path)
  else if (type === 'dir') bringDirectory(tree, overlay, path, tree.look(path))
  else bringEntry(tree, overlay, path)
}

function bringEntry(tree: LiveLayer, overlay: Overlay, path: RelPath): void {
  if (tree.look(path)?.isDirectory()) removeBelow(tree, path)
  const beside = `${path}.${randomBytes(6).toString('hex')}` as RelPath
  if (overlay.typeOf(path) === 'symlink') makeSymlink(overlay.readlink(path), tree.at(beside))
  else createFile(tree.at(beside), overlay.read(path), (overlay.lstat(path)?.mode ?? 0o644) & 0o777, false)
  try {
    renameSync(tree.at(beside), tree.at(path))
  } finally {
    removeName(tree.at(beside))
  }
}

function bringDirectory(tree: LiveLayer, overlay: Overlay, path: RelPath, there: Stats | undefined): void {
  if (there?.isDirectory()) return
  if (there) removeName(tree.at(path))
  makeDir(tree.at(path), (overlay.lstat(path)?.mode ?? 0o755) & 0o777)
  for (const { name } of overlay.readdir(path)) bring(tree, overlay, childOf(path, name))
}

/** Name by name: a way through a directory that became a link would lead out of the mount. */
function removeBelow(tree: LiveLayer, path: RelPath): void {
  const there = look(tree, path)
  if (there === undefined) return
  if (!there.isDirectory()) {
    removeName(tree.at(path))
    return
  }
  for (const name of tree.names(path)) removeBelow(tree, childOf(path, name))
  removeEmptyDir(tree.at(path))
}

/** Undefined, too, where its directory is not there. */
function look(tree: LiveLayer, path: RelPath): Stats | undefined {
  try {
    return tree.look(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
