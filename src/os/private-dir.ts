import { lstatSync } from 'node:fs'

/**
 * Whether only this user owns and can write each of the directories. An absent one counts: whoever creates it owns it.
 * @param dirs a directory, and those above it that could be used to replace it
 * @throws an error of `lstat`, except ENOENT
 */
export function arePrivate(...dirs: readonly string[]): boolean {
  return dirs.every((dir) => {
    const stats = lstatSync(dir, { throwIfNoEntry: false })
    if (stats === undefined) return true
    const isOwn = process.geteuid === undefined || stats.uid === process.geteuid()
    return stats.isDirectory() && isOwn && (process.platform === 'win32' || (stats.mode & 0o022) === 0)
  })
}
