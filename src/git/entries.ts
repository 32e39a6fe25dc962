import type { Git, GitCall } from './program.js'

/** One path of an index or a tree: its mode in octal and the id of its object. */
export interface GitEntry {
  readonly mode: string
  readonly id: string
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
