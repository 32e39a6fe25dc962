import { createHash } from 'node:crypto'
import { lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Refusal } from '../core/api-error.js'
import { type GitEntry, indexEntries, sameEntry } from './entries.js'
import type { Git } from './program.js'
import type { Target } from './repository.js'

/**
 * The paths of a commit where a person has edits of their own that git does not have yet: in the working tree, or in the
 * index. The new commit would contain the first and undo the second.
 * @param committed the entries of the branch
 * @param wholeFiles the person wants the first to be committed too
 */
export function ownEdits(
  git: Git,
  target: Target,
  committed: ReadonlyMap<string, GitEntry>,
  paths: readonly string[],
  wholeFiles: boolean,
): Refusal[] {
  const staged = target.isCheckedOut ? indexEntries(git, target.top) : committed
  const onDisk = wholeFiles ? new Map<string, string | undefined>() : idsOnDisk(git, target, paths)
  return paths.flatMap((path) => {
    const name = target.prefix + path
    const was = committed.get(name)
    if (!sameEntry(was, staged.get(name)))
      return [refusal(path, `${path} has other content in git's index, which is not committed.`)]
    if (!wholeFiles && onDisk.get(path) !== was?.id)
      return [refusal(path, `${path} has uncommitted edits that the agent did not make.`)]
    return []
  })
}

function refusal(path: string, message: string): Refusal {
  return { path, reason: 'unsupported', message }
}

/** The ids that git would give the files on disk, filters applied. Undefined if there is no file. */
function idsOnDisk(git: Git, { top, prefix }: Target, paths: readonly string[]): Map<string, string | undefined> {
  const ids = new Map<string, string | undefined>()
  const files: string[] = []
  let isSha256: boolean | undefined
  for (const path of paths) {
    const stats = lstatSync(join(git.root, path), { throwIfNoEntry: false })
    if (stats?.isSymbolicLink()) {
      isSha256 ??= git.output(['hash-object', '--stdin']).length > 40
      ids.set(path, blobId(readlinkSync(join(git.root, path)), isSha256))
    } else if (stats?.isFile()) files.push(path)
  }
  // A line feed would end the name on the standard input.
  const plain = files.filter((path) => !path.includes('\n'))
  const input = plain.map((path) => `${prefix}${path}\n`).join('')
  const lines = input === '' ? [] : git.output(['hash-object', '--stdin-paths'], { cwd: top, input }).split('\n')
  for (const [index, path] of plain.entries()) ids.set(path, lines[index])
  for (const path of files) if (!ids.has(path)) ids.set(path, git.output(['hash-object', '--', path]))
  return ids
}

function blobId(target: string, isSha256: boolean): string {
  const bytes = Buffer.from(target)
  return createHash(isSha256 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}
