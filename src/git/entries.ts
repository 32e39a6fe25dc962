import type { FileState } from '../../overlay/index.js'
import type { Git, GitCall } from './program.js'

/** One path of an index or a tree: its mode in octal and the id of its object. */
export interface GitEntry {
  readonly mode: string
  readonly id: string
}

/** Whether a text is the full id of a commit or another object, of either hash that git has. */
export function isObjectId(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text)
}

/** The mode of a submodule. */
export const GITLINK = '160000'

/** The entries of an index by path below the repository's top, without those of an unfinished merge. */
export function indexEntries(git: Git, top: string, env: GitCall['env'] = {}): Map<string, GitEntry> {
  const entries = new Map<string, GitEntry>()
  for (const line of fieldsOf(git.output(['ls-files', '-s', '-z'], { cwd: top, env }))) {
    const [, mode = '', id = '', stage, path] = /^(\d+) ([0-9a-f]+) (\d)\t([\s\S]+)$/.exec(line) ?? []
    if (path !== undefined && stage === '0') entries.set(path, { mode, id })
  }
  return entries
}

/** The fields of output that ends each with a NUL. */
export function fieldsOf(output: string): string[] {
  return output.split('\0').filter((field) => field !== '')
}

/** The input of `update-index -z --index-info` for one path; without an entry it is removed. */
export function indexInfo(path: string, entry: GitEntry | undefined, hexDigits: number): string {
  return `${entry?.mode ?? '0'} ${entry?.id ?? '0'.repeat(hexDigits)}\t${path}\0`
}

/** Whether a state is a file or a link: git stores no directories. */
export function isFile(state: FileState | null): boolean {
  return state !== null && state.type !== 'dir'
}

export function sameEntry(one: GitEntry | undefined, other: GitEntry | undefined): boolean {
  return one?.id === other?.id && one?.mode === other?.mode
}

/** One path that differs between two trees. */
export interface TreeDiff {
  readonly path: string
  readonly before: GitEntry | undefined
  readonly after: GitEntry | undefined
}

/**
 * The paths that differ between two trees or commits. A rename is a deletion and a creation.
 * @param from undefined for the empty tree
 * @param options more options of git-diff-tree(1)
 */
export function treeDiff(git: Git, from: string | undefined, to: string, options: readonly string[] = []): TreeDiff[] {
  const args = ['diff-tree', '-r', '-z', '--no-renames', ...options, from ?? git.emptyTree(), to]
  const fields = fieldsOf(git.output(args))
  const found: TreeDiff[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, oldMode = '', mode = '', oldId = '', id = ''] =
      /^:(\d+) (\d+) ([0-9a-f]+) ([0-9a-f]+) /.exec(fields[at] ?? '') ?? []
    found.push({ path: fields[at + 1] ?? '', before: entryOf(oldMode, oldId), after: entryOf(mode, id) })
  }
  return found
}

function entryOf(mode: string, id: string): GitEntry | undefined {
  return mode === '000000' ? undefined : { mode, id }
}
