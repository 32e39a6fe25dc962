import { join } from 'node:path'
import type { FileState, StagedChange } from '../../overlay/index.js'
import type { Patch } from '../core/commit-api.js'
import { defined } from '../core/defined.js'
import type { Layout } from '../core/layout.js'
import type { Reviewer } from '../core/people.js'
import { indexInfo, isFile } from './entries.js'
import { identity } from './identity.js'
import { messageOf } from './message.js'
import type { GitGroup } from './prepare.js'
import { Git } from './program.js'
import { prefixOf } from './repository.js'
import { Scratch } from './scratch.js'

export interface PatchRequest {
  readonly layout: Layout
  readonly groups: readonly GitGroup[]
  /** The author of the patches. */
  readonly author: Reviewer
  /** The bytes that a change is based on; null if there are none. */
  readonly before: (change: StagedChange) => Uint8Array | null
}

/** Settings and attributes of this machine must not change a patch: it contains the staged bytes, in git's own form. */
const PLAIN = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
}
/** A patch has an author's address. This one cannot receive mail. */
const NO_ADDRESS = 'unknown@localhost'

/**
 * Formats staged changes as a series of patches, one for each group. It uses a temporary repository with the changed files alone,
 * so it needs no repository around the workspace and changes none. Paths are relative to the repository's top, or to the
 * workspace if it is in none.
 * @throws EscrowError `unsupported` if git is not installed or fails
 */
export function formatPatches({ layout, groups, author, before }: PatchRequest): Patch[] {
  const prefix = prefixOf(new Git(layout.root))
  const scratch = Scratch.in(layout.state)
  try {
    const series = new PatchSeries(scratch, prefix, author)
    series.commitBase(
      groups.flatMap(({ changes }) => changes),
      before,
    )
    for (const group of groups) series.commit(group)
    return series.format()
  } finally {
    scratch.remove()
  }
}

function modeOf({ type, mode }: FileState): string {
  if (type === 'symlink') return '120000'
  return mode & 0o100 ? '100755' : '100644'
}

/** One side of a change. */
interface FileVersion {
  readonly path: string
  readonly mode: string
  readonly bytes: Uint8Array
}

/** Commits of a temporary repository: the files before the changes, then one commit for each group. */
class PatchSeries {
  readonly #git: Git
  readonly #env: Readonly<Record<string, string>>
  readonly #hexDigits: number
  readonly #commits: { readonly id: string; readonly subject: string }[] = []

  constructor(
    private readonly scratch: Scratch,
    private readonly prefix: string,
    author: Reviewer,
  ) {
    this.#git = new Git(scratch.dir)
    const repository = join(scratch.dir, 'patches.git')
    this.#git.output(['init', '-q', '--bare', '--template=', repository])
    const person = { ...author, email: author.email ?? NO_ADDRESS }
    this.#env = { ...PLAIN, ...scratch.env, GIT_DIR: repository, ...identity(person) }
    this.#hexDigits = this.#git.emptyTree({ env: this.#env }).length
  }

  commitBase(changes: readonly StagedChange[], before: PatchRequest['before']): void {
    const files = changes.flatMap((change): FileVersion[] => {
      const bytes = isFile(change.before) ? before(change) : null
      return bytes === null || change.before === null
        ? []
        : [{ path: change.from ?? change.path, mode: modeOf(change.before), bytes }]
    })
    this.#stage(files, [])
    this.#commit('The files before the changes\n')
  }

  commit({ message, credits, changes }: GitGroup): void {
    const files = changes.flatMap(({ path, after, content }): FileVersion[] =>
      after === null || !isFile(after) ? [] : [{ path, mode: modeOf(after), bytes: content() }],
    )
    const written = new Set(files.map(({ path }) => path))
    const gone = changes.flatMap(({ path, from, before, after }) => {
      if (!isFile(before)) return []
      return isFile(after) ? (from ?? []) : [from ?? path]
    })
    this.#stage(
      files,
      gone.filter((path) => !written.has(path)),
    )
    this.#commit(messageOf(this.#git, message, credits))
  }

  format(): Patch[] {
    const [base, ...series] = this.#commits
    const last = series.at(-1)
    if (base === undefined || last === undefined) return []
    const args = [
      '-c',
      'core.attributesFile=/dev/null',
      'format-patch',
      '--stdout',
      ...FORMAT,
      `${base.id}..${last.id}`,
    ]
    const text = `${this.#git.output(args, { env: this.#env, encoding: 'latin1' })}\n`
    const ends = [...series.slice(1).map(({ id }) => text.indexOf(`\n${headOf(id)}`) + 1), text.length]
    return series.map(({ subject }, index) => ({
      name: `${String(index + 1).padStart(4, '0')}-${slugOf(subject)}.patch`,
      content: Buffer.from(text.slice(ends[index - 1] ?? 0, ends[index]), 'latin1'),
    }))
  }

  /** Brings the index up to date with files, stored without any filter. */
  #stage(files: readonly FileVersion[], removed: readonly string[]): void {
    const names = files.map(({ bytes }, index) => this.scratch.file(`blob-${index}`, bytes))
    const options = ['hash-object', '-w', '--no-filters', '--stdin-paths']
    const ids = names.length === 0 ? '' : this.#run(options, names.map((name) => `${name}\n`).join(''))
    const entries = ids.split('\n').map((id, index) => ({ mode: files[index]?.mode ?? '', id }))
    const info = [
      ...removed.map((path) => indexInfo(this.prefix + path, undefined, this.#hexDigits)),
      ...files.map(({ path }, index) => indexInfo(this.prefix + path, entries[index], this.#hexDigits)),
    ]
    this.#run(['update-index', '-z', '--index-info'], info.join(''))
  }

  #commit(message: string): void {
    const last = this.#commits.at(-1)
    const parent = last === undefined ? [] : ['-p', last.id]
    const tree = this.#run(['write-tree'])
    const id = this.#run(['commit-tree', ...parent, tree], message)
    this.#commits.push({ id, subject: message.split('\n')[0] ?? '' })
  }

  #run(args: readonly string[], input?: string): string {
    return this.#git.output(args, { env: this.#env, ...defined({ input }) })
  }
}

const FORMAT = [
  '--binary',
  '--full-index',
  '--no-signature',
  '--no-textconv',
  '--no-ext-diff',
  '--no-color',
  '-M',
  '-n',
]

/** The first line of a patch: a mailbox separator with a date that never changes. Source: git-format-patch(1). */
function headOf(id: string): string {
  return `From ${id} Mon Sep 17 00:00:00 2001\n`
}

function slugOf(subject: string): string {
  const slug = subject.replace(/[^A-Za-z0-9]+/g, '-').slice(0, 52)
  return slug.replace(/^-+|-+$/g, '') || 'change'
}
