import { blobsIn } from '../os/git-batch.js'
import { addedLines } from './added-lines.js'

/** Options that override settings and attributes of a repository, which could hide changes: every file is text, without conversion. */
const SHOW_ALL = [
  '--text',
  '--no-ext-diff',
  '--no-textconv',
  '--no-renames',
  '--no-color',
  '--ignore-submodules=none',
  '--submodule=short',
  '--inter-hunk-context=0',
  '-O/dev/null',
]

/** How much one git reads: bytes of files, files, and bytes of their names, which are arguments. */
const BATCH = { bytes: 32 * 1024 * 1024, files: 1_000, names: 64 * 1024 } as const

/** A changed file, with the numbers of its added lines, from 1. */
export interface ChangedFile {
  readonly path: string
  readonly added: readonly number[]
  /** The content of a text file. */
  readonly content?: Buffer
  /** Why there is no content, as words after the path. */
  readonly unread?: 'is not a regular file' | 'is binary' | 'has a name that is not UTF-8'
}

/** Runs git with arguments and an input, and returns its output. Throws if it fails. */
type ReadGit = (args: readonly string[], input?: string) => Buffer

/** A path that differs, as `git diff --raw` lists it. */
interface Entry {
  readonly path: string
  /** Whether the path is UTF-8. Others cannot be arguments. */
  readonly isNamable: boolean
  /** The blobs before and after; without those of links and submodules. */
  readonly blobs: readonly string[]
  /** The blob after, of a regular file. */
  readonly after: string | undefined
  /** How many parts of a patch it has: a change of the type is a deletion and a creation. */
  readonly parts: number
}

/**
 * Reads the files that differ between two commits and were not deleted, with some processes for each batch.
 * @param prefix the beginning of their paths
 * @throws Error if a patch does not have the parts that it should have
 */
export function changedFiles(read: ReadGit, base: string, head: string, prefix: string): ChangedFile[] {
  const raw = read(['diff', '--raw', '-z', '--no-abbrev', '--diff-filter=d', ...SHOW_ALL, base, head, '--'])
  const entries = entriesIn(raw).filter(({ path }) => path.startsWith(prefix))
  return batchesOf(read, entries).flatMap((batch) => {
    const named = batch.filter(({ isNamable }) => isNamable)
    const added = named.length === 0 ? [] : addedIn(read, [base, head], named)
    const lines = new Map(named.map((entry, at) => [entry, added[at] ?? []]))
    const contents = contentsOf(read, batch)
    return batch.map((entry) => {
      const { path, isNamable, after } = entry
      const file = { path, added: lines.get(entry) ?? [] }
      if (!isNamable) return { ...file, unread: 'has a name that is not UTF-8' }
      const content = after === undefined ? undefined : contents.get(after)
      if (content === undefined) return { ...file, unread: 'is not a regular file' }
      return content.includes(0) ? { ...file, unread: 'is binary' } : { ...file, content }
    })
  })
}

function entriesIn(raw: Buffer): Entry[] {
  const fields = raw.toString('latin1').split('\0')
  const found: Entry[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, oldMode = '', mode = '', before = '', after = '', status] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) (\w)/.exec(fields[at] ?? '') ?? []
    const name = Buffer.from(fields[at + 1] ?? '', 'latin1')
    const path = name.toString()
    const [isOldFile, isFile] = [oldMode.startsWith('100'), mode.startsWith('100')]
    found.push({
      path,
      isNamable: Buffer.from(path).equals(name),
      blobs: [...(isOldFile ? [before] : []), ...(isFile ? [after] : [])],
      after: isFile ? after : undefined,
      parts: status === 'T' ? 2 : 1,
    })
  }
  return found
}

/** Divides entries in their order. A file of more than a batch has one of its own. */
function batchesOf(read: ReadGit, entries: readonly Entry[]): Entry[][] {
  const ids = [...new Set(entries.flatMap(({ blobs }) => blobs))]
  const listed = ids.length === 0 ? '' : read(['cat-file', '--batch-check=%(objectsize)'], linesOf(ids)).toString()
  const answers = listed.split('\n')
  // Git answers with words about a blob that a partial clone lacks. Its patch then fails.
  const sizes = new Map(ids.map((id, at) => [id, Number(answers[at]) || 0]))
  const batches: Entry[][] = []
  let [bytes, names] = [0, 0]
  for (const entry of entries) {
    const size = entry.blobs.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0)
    const name = Buffer.byteLength(entry.path)
    const last = batches.at(-1)
    ;[bytes, names] = [bytes + size, names + name]
    if (last !== undefined && bytes <= BATCH.bytes && names <= BATCH.names && last.length < BATCH.files)
      last.push(entry)
    else {
      batches.push([entry])
      ;[bytes, names] = [size, name]
    }
  }
  return batches
}

/** The added lines of each entry. A patch has them in the order of the entries. */
function addedIn(read: ReadGit, [base, head]: readonly [string, string], entries: readonly Entry[]): number[][] {
  const paths = entries.map(({ path }) => `:(literal,top)${path}`)
  const patch = read(['diff', '-U0', '--diff-filter=d', ...SHOW_ALL, base, head, '--', ...paths])
  const parts = addedLines(patch.toString('latin1'))
  if (parts.length !== entries.reduce((sum, each) => sum + each.parts, 0))
    throw new Error('git diff did not print a patch for each changed file.')
  let at = 0
  return entries.map(({ parts: count }) => {
    at += count
    return parts.slice(at - count, at).flat()
  })
}

/** The contents of the entries' regular files, by blob. */
function contentsOf(read: ReadGit, entries: readonly Entry[]): Map<string, Buffer> {
  const found = new Map<string, Buffer>()
  const ids = [...new Set(entries.flatMap(({ after }) => after ?? []))]
  if (ids.length === 0) return found
  const contents = blobsIn(read(['cat-file', '--batch'], linesOf(ids)).toString('latin1'))
  for (const id of ids) {
    const content = contents.next().value
    if (!content) throw new Error(`git has no content for ${id}.`)
    found.set(id, content)
  }
  return found
}

function linesOf(ids: readonly string[]): string {
  return ids.map((id) => `${id}\n`).join('')
}
