import { randomBytes } from 'node:crypto'
import type { Stats } from 'node:fs'
import { childOf, codeOf, type Overlay, type RelPath } from '../../overlay/index.js'
import { createFile, makeDir, makeSymlink, removeEmptyDir, removeName, renameSync } from '../os/write.js'
import { isInUse, type LiveLayer, liveLayer } from './layer.js'

/**
 * Brings a path in a running command's mount up to the stage. The command can replace any directory by a link meanwhile, so
 * directories are kept open, and files are replaced by a rename.
 * @param merged the workspace as the command sees it.
 * @returns false if the command's own changes prevent it.
 */
export function updateMount(merged: string, overlay: Overlay, path: RelPath): boolean {
  const tree = liveLayer(merged)
  try {
    update(tree, overlay, path)
    return true
  } catch (error) {
    if (isInUse(error) || ['EEXIST', 'EISDIR', 'ENOTEMPTY'].includes(codeOf(error) ?? '')) return false
    throw error
  } finally {
    tree.close()
  }
}

function update(tree: LiveLayer, overlay: Overlay, path: RelPath): void {
  const type = overlay.typeOf(path)
  if (type === undefined) removeBelow(tree, path)
  else if (type === 'dir') updateDirectory(tree, overlay, path, tree.lstat(path))
  else replaceEntry(tree, overlay, path)
}

function replaceEntry(tree: LiveLayer, overlay: Overlay, path: RelPath): void {
  if (tree.lstat(path)?.isDirectory()) removeBelow(tree, path)
  const beside = `${path}.${randomBytes(6).toString('hex')}` as RelPath
  if (overlay.typeOf(path) === 'symlink') makeSymlink(overlay.readlink(path), tree.at(beside))
  else createFile(tree.at(beside), overlay.read(path), (overlay.lstat(path)?.mode ?? 0o644) & 0o777, false)
  try {
    renameSync(tree.at(beside), tree.at(path))
  } finally {
    removeName(tree.at(beside))
  }
}

function updateDirectory(tree: LiveLayer, overlay: Overlay, path: RelPath, there: Stats | undefined): void {
  if (there?.isDirectory()) return
  if (there) removeName(tree.at(path))
  makeDir(tree.at(path), (overlay.lstat(path)?.mode ?? 0o755) & 0o777)
  for (const { name } of overlay.readdir(path)) update(tree, overlay, childOf(path, name))
}

/** Removes name by name through open directories: a path through a directory that became a link would lead out of the mount. */
function removeBelow(tree: LiveLayer, path: RelPath): void {
  const there = lstatBelow(tree, path)
  if (there === undefined) return
  if (!there.isDirectory()) {
    removeName(tree.at(path))
    return
  }
  for (const name of tree.names(path)) removeBelow(tree, childOf(path, name))
  removeEmptyDir(tree.at(path))
}

/** Undefined if the name or its directory is missing. */
function lstatBelow(tree: LiveLayer, path: RelPath): Stats | undefined {
  try {
    return tree.lstat(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}
