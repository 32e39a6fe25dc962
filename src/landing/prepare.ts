import { digest, EMPTY_DIGEST } from '../../overlay/index.js'
import type { GitEntry } from '../git/index.js'
import type { OpenLanding, QueuedChange, Stores } from '../hub/index.js'
import type { BranchTree } from './branch-tree.js'
import type { Clone } from './clone.js'
import { mergeFile } from './merge-file.js'
import { pathProblem } from './path-problem.js'

/** Changes of a landing that do not fit the branch. */
export interface Unfit {
  /** The message for the agent. */
  readonly reason: string
  readonly paths: readonly string[]
}

/** The entries that a landing changes, without those that the branch already has; undefined for a removed path. */
export type Prepared = { readonly changes: ReadonlyMap<string, GitEntry | undefined> } | { readonly unfit: Unfit }

/** The type bits of git's modes for files. */
const [PLAIN, EXECUTABLE] = ['100644', '100755']

/** Merges a landing into a tree. If one of its changes does not fit, the tree stays as it is. */
export class Preparation {
  readonly #problems: { readonly path: string; readonly text: string }[] = []
  readonly #changes = new Map<string, GitEntry | undefined>()
  readonly #leaving: ReadonlySet<string>

  constructor(
    private readonly clone: Clone,
    private readonly tree: BranchTree,
    private readonly contents: Stores['contents'],
    private readonly landing: OpenLanding,
  ) {
    this.#leaving = new Set(
      landing.changes.flatMap(({ path, from, after }) => (after === null ? [path] : from === undefined ? [] : [from])),
    )
  }

  /** @param commit the tree, for the attributes of paths */
  async run(commit: string): Promise<Prepared> {
    for (const change of this.landing.changes) await this.#take(change)
    if (this.#problems.length === 0) this.#refuseFiltered(commit)
    if (this.#problems.length === 0) {
      const refused = this.tree.apply(this.#changes)
      if (refused !== undefined) this.#refuse(refused.path, `${refused.path} cannot land: ${refused.why}.`)
    }
    if (this.#problems.length === 0) return { changes: this.#changes }
    const reason = this.#problems.map(({ text }) => text).join('\n\n')
    return { unfit: { reason, paths: [...new Set(this.#problems.map(({ path }) => path))] } }
  }

  async #take(change: QueuedChange): Promise<void> {
    const { path, from, kind, link } = change
    // Git has no directories.
    if (kind === 'mkdir' || this.#isOfDirectory(change)) return
    for (const each of from === undefined ? [path] : [path, from]) {
      const why = pathProblem(each) ?? (each === path ? undefined : this.tree.problem(each))
      if (why !== undefined) return this.#refuse(path, `${each} cannot land: ${why}.`)
    }
    if (link) return this.#refuse(path, `${path} is a symbolic link. A person commits those on the machine.`)
    const why = this.#leaving.has(path) && change.after !== null ? undefined : this.#standing(path)
    if (why !== undefined) return this.#refuse(path, `${path} cannot land: ${why}.`)
    await this.#merge(change)
  }

  /** Why the branch's own file at a path may not be replaced. */
  #standing(path: string): string | undefined {
    return this.tree.get(path) === undefined ? undefined : this.tree.problem(path)
  }

  /** Whether a change is of a directory alone: its permissions, or that it was removed. */
  #isOfDirectory({ path, before, after }: QueuedChange): boolean {
    const isEmpty = (digest: string | null) => digest === null || digest === EMPTY_DIGEST
    if (!isEmpty(before) || !isEmpty(after) || before === null) return false
    return this.tree.isDirectory(path) || (after === null && this.tree.get(path) === undefined)
  }

  async #merge(change: QueuedChange): Promise<void> {
    const { path, from } = change
    const { own } = this.landing
    if (from !== undefined && this.#isMoved(change)) return
    const [base, after] = [await this.#content(change.before), await this.#content(change.after)]
    const source = this.#tip(from ?? path, base)
    const problem = mergeFile(from ?? path, { base, tip: source, after, own: own.get(from ?? path) }, (...texts) =>
      this.clone.mergeTexts(...texts),
    )
    if (problem !== undefined) return this.#refuse(path, problem)
    if (from !== undefined) {
      const target = this.#leaving.has(path) ? null : this.#tip(path)
      const inTheWay = mergeFile(path, { base: null, tip: target, after, own: own.get(path) }, () => undefined)
      if (inTheWay !== undefined) return this.#refuse(path, inTheWay)
      if (!this.#changes.has(from)) this.#set(from, undefined)
    }
    if (after === null) {
      if (!this.#changes.has(path)) this.#set(path, undefined)
    } else this.#set(path, { mode: this.#modeOf(change), id: this.clone.store(after) })
  }

  /** Whether the branch already has a rename. */
  #isMoved({ path, from = path, after }: QueuedChange): boolean {
    const [source, target] = [this.#tip(from), this.#tip(path)]
    return source === null && target !== null && digest(target) === after
  }

  #set(path: string, entry: GitEntry | undefined): void {
    const now = this.tree.get(path)
    if (now?.id === entry?.id && now?.mode === entry?.mode) this.#changes.delete(path)
    else this.#changes.set(path, entry)
  }

  #modeOf({ path, from, mode }: QueuedChange): string {
    const now = this.tree.get(from ?? path)?.mode
    const isExecutable = (bits: number | null | undefined) => ((bits ?? 0) & 0o100) !== 0
    const hasChanged = mode !== undefined && isExecutable(mode.before) !== isExecutable(mode.after)
    if (now !== undefined && !hasChanged) return now
    return isExecutable(mode?.after) ? EXECUTABLE : PLAIN
  }

  /**
   * Refuses files that git converts in a working tree: the bytes that were reviewed on a machine are not the bytes to
   * store.
   */
  #refuseFiltered(commit: string): void {
    const written = [...this.#changes].flatMap(([path, entry]) => (entry === undefined ? [] : [{ path, entry }]))
    const attributes = this.clone.attributes(
      commit,
      written.map(({ path }) => path),
    )
    for (const { path, entry } of written) {
      const set = attributes.get(path) ?? []
      const convertsLines = set.some((name) => name === 'text' || name === 'eol')
      const converts = set.find((name) => name !== 'text' && name !== 'eol')
      if (converts !== undefined)
        this.#refuse(path, `${path} has the git attribute ${converts}. A person commits it on the machine.`)
      else if (convertsLines && Buffer.from(this.clone.read(entry.id)).includes('\r\n'))
        this.#refuse(path, `${path} has line ends that git converts. A person commits it on the machine.`)
    }
  }

  /** Reads a file of the branch. @param guess its likely content: if the object id matches, git is not asked for it */
  #tip(path: string, guess: Uint8Array | null = null): Uint8Array | null {
    const entry = this.tree.get(path)
    if (entry === undefined) return null
    return guess !== null && this.clone.idOf(guess, entry.id) === entry.id ? guess : this.clone.read(entry.id)
  }

  async #content(digest: string | null): Promise<Uint8Array | null> {
    if (digest === null) return null
    if (digest === EMPTY_DIGEST) return new Uint8Array()
    const bytes = await this.contents.get(digest)
    if (bytes === undefined) throw new TypeError('A content of a landing is missing.')
    return bytes
  }

  #refuse(path: string, text: string): void {
    this.#problems.push({ path, text })
  }
}
