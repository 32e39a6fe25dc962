import { GITLINK, type GitEntry } from '../git/index.js'
import { foldName } from './path-problem.js'

/** The mode of a symbolic link. */
const LINK = '120000'

/** The files of a commit, with the changes of the landings that were applied to it. */
export class BranchTree {
  /** The number of files at or below each name, by the folded name, then by the exact name. */
  readonly #names = new Map<string, Map<string, number>>()
  readonly #entries = new Map<string, GitEntry>()

  constructor(entries: ReadonlyMap<string, GitEntry>) {
    for (const [path, entry] of entries) this.#put(path, entry)
  }

  get(path: string): GitEntry | undefined {
    return this.#entries.get(path)
  }

  isDirectory(path: string): boolean {
    return !this.#entries.has(path) && this.#names.get(foldName(path))?.has(path) === true
  }

  /** Returns why a file may not be changed or created at a path; undefined if it may. */
  problem(path: string): string | undefined {
    const exact = this.#entries.get(path)
    if (exact?.mode === GITLINK) return 'it is a submodule'
    if (exact?.mode === LINK) return 'it is a symbolic link on the branch'
    for (const name of prefixesOf(path)) {
      const entry = name === path ? undefined : this.#entries.get(name)
      if (entry?.mode === GITLINK) return `it is in the submodule ${name}`
      if (entry !== undefined) return `${name} is not a directory on the branch`
      const other = [...(this.#names.get(foldName(name))?.keys() ?? [])].find((each) => each !== name)
      if (other !== undefined) return `a disk that ignores case cannot hold it beside ${other}`
    }
    return this.isDirectory(path) ? 'it is a directory on the branch' : undefined
  }

  /** Applies all changes, removals first, or none. Returns the reason if it applied none. */
  apply(changes: ReadonlyMap<string, GitEntry | undefined>): { path: string; why: string } | undefined {
    const before = [...changes.keys()].map((path) => [path, this.#entries.get(path)] as const)
    for (const path of changes.keys()) this.#remove(path)
    for (const [path, entry] of changes) {
      if (entry === undefined) continue
      const why = this.problem(path)
      if (why !== undefined) {
        for (const each of changes.keys()) this.#remove(each)
        for (const [each, old] of before) if (old !== undefined) this.#put(each, old)
        return { path, why }
      }
      this.#put(path, entry)
    }
    return undefined
  }

  #put(path: string, entry: GitEntry): void {
    this.#entries.set(path, entry)
    for (const name of prefixesOf(path)) {
      const spellings = this.#names.get(foldName(name)) ?? new Map<string, number>()
      spellings.set(name, (spellings.get(name) ?? 0) + 1)
      this.#names.set(foldName(name), spellings)
    }
  }

  #remove(path: string): void {
    if (!this.#entries.delete(path)) return
    for (const name of prefixesOf(path)) {
      const spellings = this.#names.get(foldName(name))
      const left = (spellings?.get(name) ?? 0) - 1
      if (left > 0) spellings?.set(name, left)
      else spellings?.delete(name)
    }
  }
}

/** The directories above a path, and the path. */
function prefixesOf(path: string): string[] {
  const segments = path.split('/')
  return segments.map((_, at) => segments.slice(0, at + 1).join('/'))
}
