import { createHash } from 'node:crypto'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Refusal } from '../core/api-error.js'
import { lookAt } from '../os/read.js'
import { fieldsOf, type GitEntry, indexEntries, sameEntry } from './entries.js'
import type { Git } from './program.js'
import type { Target } from './repository.js'

/** The paths of a commit where git has something that the commit would replace or undo. */
export interface OwnEdits {
  /** A person has changed them. */
  readonly edited: Refusal[]
  /** They are outside the sparse checkout. */
  readonly sparse: Refusal[]
}

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
): OwnEdits {
  const staged = target.isCheckedOut ? indexEntries(git, target.top) : committed
  const onDisk = wholeFiles ? new Map<string, OnDisk>() : filesOnDisk(git, target, paths)
  const absent = paths.filter((path) => committed.has(target.prefix + path) && !onDisk.has(path))
  const outside = wholeFiles || absent.length === 0 ? new Set<string>() : outsideCheckout(git, target)
  const sparse = new Set(absent.filter((path) => outside.has(target.prefix + path)))
  let countsModes: boolean | undefined
  const edited = paths.flatMap((path) => {
    const name = target.prefix + path
    const was = committed.get(name)
    if (!sameEntry(was, staged.get(name)))
      return [refusal(path, `${path} has other content in git's index, which is not committed.`)]
    if (wholeFiles || sparse.has(path)) return []
    const { id, mode } = onDisk.get(path) ?? {}
    if (id === undefined && was !== undefined)
      return [refusal(path, `${path} is in git, and you have removed it from your disk.`)]
    if (id !== was?.id) return [refusal(path, `${path} has uncommitted edits that the agent did not make.`)]
    if (mode === undefined || mode === was?.mode || was?.mode === LINK) return []
    countsModes ??= git.query(['config', '--type=bool', '--get', 'core.fileMode']) !== 'false'
    if (countsModes) return [refusal(path, `${path} has an uncommitted mode that the agent did not set.`)]
    return []
  })
  return {
    edited,
    sparse: [...sparse].map((path) => refusal(path, `${path} is in git, outside the sparse checkout.`)),
  }
}

/** The names in the index that a sparse checkout leaves out. */
function outsideCheckout(git: Git, { top }: Target): ReadonlySet<string> {
  const lines = fieldsOf(git.output(['ls-files', '-t', '-z'], { cwd: top }))
  return new Set(lines.flatMap((line) => (line.startsWith('S ') ? [line.slice(2)] : [])))
}

function refusal(path: string, message: string): Refusal {
  return { path, reason: 'unsupported', message }
}

const LINK = '120000'

interface OnDisk {
  readonly id: string | undefined
  /** As git has it, of a file alone. */
  readonly mode?: string
}

/** The ids that git would give the files on disk, filters applied, and their modes. */
function filesOnDisk(git: Git, { top, prefix }: Target, paths: readonly string[]): Map<string, OnDisk> {
  const found = new Map<string, OnDisk>()
  const files = new Map<string, string>()
  let isSha256: boolean | undefined
  for (const path of paths) {
    const stats = lookAt(join(git.root, path))
    if (stats?.isSymbolicLink()) {
      isSha256 ??= git.output(['hash-object', '--stdin']).length > 40
      found.set(path, { id: blobId(readlinkSync(join(git.root, path)), isSha256) })
    } else if (stats?.isFile()) files.set(path, stats.mode & 0o100 ? '100755' : '100644')
  }
  // A line feed would end the name on the standard input.
  const plain = [...files.keys()].filter((path) => !path.includes('\n'))
  const input = plain.map((path) => `${prefix}${path}\n`).join('')
  const lines = input === '' ? [] : git.output(['hash-object', '--stdin-paths'], { cwd: top, input }).split('\n')
  const ids = new Map(plain.map((path, index) => [path, lines[index]]))
  for (const [path, mode] of files) {
    const id = ids.has(path) ? ids.get(path) : git.output(['hash-object', '--', path])
    found.set(path, { id, mode })
  }
  return found
}

function blobId(target: string, isSha256: boolean): string {
  const bytes = Buffer.from(target)
  return createHash(isSha256 ? 'sha256' : 'sha1')
    .update(`blob ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')
}
