import { defined } from '../core/defined.js'
import type { CommitNote, FileVersion } from '../core/file-history.js'
import { isObject } from '../core/is-object.js'
import { LEDGER } from '../core/layout.js'
import { findGit } from '../os/git.js'
import { blobsIn } from '../os/git-batch.js'
import { fieldsOf } from './entries.js'
import { type NoteTree, notesOf, noteTree } from './notes.js'
import { Git } from './program.js'
import { prefixOf } from './repository.js'

/** The limit of versions of one file, and of bytes in all of them. Older versions are left out. */
const MAX_VERSIONS = 400
const MAX_BYTES = 64 * 1024 * 1024

interface Commit {
  readonly id: string
  readonly path: string
  readonly parents: string[]
  /** The newest version in each commit that its commit replaced. */
  readonly replaced: string[]
  readonly message: string
  readonly at: number
}

/** The commits that a commit replaced, by full ids. */
type Replaced = ReadonlyMap<string, readonly string[]>

interface HistoryOptions {
  readonly replaced?: Replaced
  /** The notes of the repository, to read them once for several files. */
  readonly notes?: NoteTree
}

/**
 * The versions of a file in git, the one at HEAD first, across renames. Commits that left the file as it was have none.
 * @param path relative to the root
 * @returns an empty list without git or a repository, or if HEAD has no such file
 */
export function fileHistory(root: string, path: string): FileVersion[] {
  if (findGit(root) === undefined) return []
  const git = new Git(root)
  const head = git.query(['rev-parse', '-q', '--verify', 'HEAD^{commit}'])
  return head === undefined ? [] : versionsOf(git, head, path)
}

/**
 * The versions of a file, the one of a commit first. The versions of a replaced commit are further parents of the
 * version in the commit that replaced it.
 */
export function versionsOf(
  git: Git,
  head: string,
  path: string,
  { replaced = new Map(), notes: tree }: HistoryOptions = {},
): FileVersion[] {
  const commits = commitsOf(git, head, path, replaced)
  const contents = contentsOf(git, commits)
  const withContent = commits.filter((commit) => contents.has(commit))
  const places = new Map(withContent.map((commit, at) => [commit.id, at]))
  const notes =
    withContent.length === 0 ? new Map<string, string>() : notesOf(git, tree ?? noteTree(git), new Set(places.keys()))
  const prefix = notes.size === 0 ? '' : prefixOf(git)
  const placesOf = (ids: readonly string[]) => ids.flatMap((id) => places.get(id) ?? [])
  return withContent.map((commit) => ({
    commit: commit.id,
    path: commit.path,
    content: contents.get(commit) ?? new Uint8Array(),
    parents: placesOf(commit.parents),
    replaced: placesOf(commit.replaced),
    message: commit.message,
    recordIds: () => recordsOf(git, commit),
    at: commit.at,
    ...defined({ note: noteAt(notes.get(commit.id), `${prefix}${commit.path}`) }),
  }))
}

function noteAt(text: string | undefined, path: string): CommitNote | undefined {
  return text === undefined ? undefined : { text, path }
}

/** The commits that changed the file, newest first. Where a commit created it by a rename, those of the old path follow. */
function commitsOf(git: Git, head: string, path: string, replaced: Replaced): Commit[] {
  const found = new Map<string, Commit>()
  const starts: { readonly from: string; readonly path: string; readonly into?: string[] }[] = [{ from: head, path }]
  for (let start = starts.shift(); start !== undefined && found.size < MAX_VERSIONS; start = starts.shift()) {
    const listed = list(git, start.from, start.path, MAX_VERSIONS - found.size)
    const first = listed[0]
    if (first !== undefined) start.into?.push(first.id)
    for (const commit of listed) {
      if (found.has(commit.id)) continue
      found.set(commit.id, commit)
      const { path: at, parents, replaced: into } = commit
      for (const old of replaced.get(commit.id) ?? []) starts.push({ from: old, path: at, into })
      if (parents.length > 0) continue
      for (const parent of parentsOf(git, commit.id)) {
        const from = oldPath(git, parent, commit)
        if (from !== undefined) starts.push({ from: parent, path: from, into: parents })
      }
    }
  }
  return [...found.values()]
}

/** Commits with the parents that git's history simplification leaves them. */
function list(git: Git, from: string, path: string, most: number): Commit[] {
  const format = '--format=%x00%H%x00%P%x00%at%x00%B%x00'
  const args = ['rev-list', '--no-commit-header', '--topo-order', '--parents', `--max-count=${most}`, format]
  const { status, stdout } = git.run([...args, from, '--', path])
  if (status !== 0) return []
  return stdout.split('\0\n').flatMap((entry) => {
    const [, id, parents = '', at = '', message = ''] = entry.split('\0')
    if (id === undefined) return []
    return { id, path, parents: parents.split(' ').filter(Boolean), replaced: [], message, at: Number(at) * 1000 }
  })
}

function parentsOf(git: Git, commit: string): string[] {
  const [, ...parents] = (git.query(['rev-list', '--no-walk', '--parents', commit]) ?? '').split(' ')
  return parents
}

/** The path that a commit took the file from, by git's own search for renames. */
function oldPath(git: Git, parent: string, { id, path }: Commit): string | undefined {
  const args = ['diff-tree', '-r', '-z', '-M', '--diff-filter=R', '--relative', '--name-status', parent, id]
  const fields = fieldsOf(git.query(args) ?? '')
  for (let at = 0; at + 2 < fields.length; at += 3) if (fields[at + 2] === path) return fields[at + 1]
  return undefined
}

/** The ids of the records about the file that a commit added to the ledger, compared with its first parent. */
function recordsOf(git: Git, { id, path }: Commit): string[] {
  const [parent] = parentsOf(git, id)
  const sides = parent === undefined ? ['--root', id] : [parent, id]
  const options = ['-p', '-U0', '--text', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-commit-id']
  const patch = git.query(['diff-tree', ...options, ...sides, '--', LEDGER]) ?? ''
  return patch.split('\n').flatMap((line) => (line.startsWith('+{') ? idOf(line.slice(1), path) : []))
}

/** The id of a record that has lines of a file. */
function idOf(line: string, path: string): string | [] {
  try {
    const record: unknown = JSON.parse(line)
    if (!isObject(record) || typeof record.id !== 'string' || !Array.isArray(record.files)) return []
    return record.files.some((file) => isObject(file) && file.path === path) ? record.id : []
  } catch {
    return []
  }
}

/** The content of each commit's version. Reads them all with one process. */
function contentsOf(git: Git, commits: readonly Commit[]): Map<Commit, Buffer> {
  const found = new Map<Commit, Buffer>()
  const readable = commits.filter(({ path }) => !path.includes('\n'))
  if (readable.length === 0) return found
  const input = Buffer.from(readable.map(({ id, path }) => `${id}:./${path}\n`).join(''))
  const { stdout } = git.run(['cat-file', '--batch'], { input, encoding: 'latin1' })
  const contents = blobsIn(stdout)
  let bytes = 0
  for (const commit of readable) {
    const content = contents.next().value
    if (!content) continue
    bytes += content.length
    if (bytes > MAX_BYTES) break
    found.set(commit, content)
  }
  return found
}
