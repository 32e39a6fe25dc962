import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import { fieldsOf, Git, type GitEntry, indexInfo } from '../git/index.js'
import type { Repository } from '../hub/index.js'
import { createFile, ensurePrivateDir, makeTempDir, removeTree } from '../os/write.js'

/** No hook runs, and git refuses names that mean `.git` on any disk. */
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.protectHFS=true',
  'core.protectNTFS=true',
  'core.attributesFile=/dev/null',
  'core.fileMode=true',
  'core.symlinks=true',
  'submodule.recurse=false',
  'push.recurseSubmodules=no',
  'push.gpgSign=false',
  'log.showSignature=false',
  'grep.patternType=basic',
  'trailer.separators=:',
]
/** The allowed protocols. With none of them can an address make git start a program. */
const PROTOCOLS = ['https', 'http', 'ssh', 'git', 'file']
const TIP = 'refs/escrow/tip'
/** In the checked-out tree each file has the bytes of its blob: no filter runs, and no line end changes. */
const NO_FILTERS = '* -text -eol -filter -ident -working-tree-encoding\n'

export type Pushed =
  | { readonly is: 'done' }
  | { readonly is: 'lost' }
  | { readonly is: 'declined'; readonly why: string }

/** How a repository computes the ids of its objects. */
type ObjectFormat = 'sha1' | 'sha256'

function formatOf(id: string): ObjectFormat {
  return id.length > 40 ? 'sha256' : 'sha1'
}

/** The author and committer of a commit. */
export interface Committer {
  readonly author: string
  readonly name: string
  readonly email: string
}

/** A bare repository of the worker's own, with the branch that a workspace lands on. */
export class Clone {
  readonly #git: Git
  readonly #dir: string
  /** The prefix of the workspace's paths in the repository. */
  readonly #prefix: string
  /** The options for signing from the settings of the worker's git, read once. */
  #sign: readonly string[] | undefined
  /** The name and address of the worker's git, read once. */
  #user: { readonly name: string | undefined; readonly email: string | undefined } | undefined

  private constructor(
    dir: string,
    private readonly repository: Repository,
  ) {
    this.#dir = dir
    this.#prefix = repository.directory === '' ? '' : `${repository.directory}/`
    this.#git = new Git(dir, SETTINGS, PROTOCOLS)
  }

  /** @param work the worker's directory; its content can be removed whenever no worker runs */
  static open(work: string, repository: Repository): Clone {
    const { tenant, workspace, url, branch } = repository
    const name = createHash('sha256')
      .update(JSON.stringify([tenant, workspace, url, branch]))
      .digest('hex')
      .slice(0, 32)
    const dir = join(work, name)
    ensurePrivateDir(dir)
    const clone = new Clone(dir, repository)
    // Without a tip it has nothing to keep, and may have another kind of ids than the server's repository.
    if (existsSync(join(dir, 'HEAD')) && clone.#git.query(['rev-parse', '--verify', '-q', TIP]) !== undefined)
      return clone
    removeTree(dir)
    ensurePrivateDir(dir)
    clone.#init(clone.#serverFormat())
    return clone
  }

  /** Fetches the tip of the branch. @throws EscrowError `unsupported` with what git says */
  fetch(): string {
    const { url, branch } = this.repository
    const refspec = `+refs/heads/${branch}:${TIP}`
    this.#output(['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--', url, refspec])
    return this.#output(['rev-parse', '--verify', `${TIP}^{commit}`])
  }

  /** The landings that the branch has already, each with its commit. */
  landed(tip: string, ids: readonly string[]): Map<string, string> {
    const wanted = ids.flatMap((id) => ['--grep', `^Escrow-Landing: ${id}$`])
    const format = '%H%x00%(trailers:key=Escrow-Landing,valueonly,separator=%x0a)%x00'
    const fields = this.#output(['log', `--format=${format}`, ...wanted, tip, '--']).split('\0')
    const found = new Map<string, string>()
    for (let at = 0; at + 1 < fields.length; at += 2)
      for (const id of (fields[at + 1] ?? '').split('\n'))
        if (ids.includes(id)) found.set(id, (fields[at] ?? '').trim())
    return found
  }

  /** The files of the workspace. @throws EscrowError `unsupported` if the commit does not have its directory */
  entries(commit: string): Map<string, GitEntry> {
    const { directory, branch } = this.repository
    const top = `${commit}:${directory}`
    const list = ['ls-tree', '-r', '-z', top]
    const listed = this.#git.query(list)
    if (listed === undefined && this.#git.query(['cat-file', '-t', top]) !== 'tree')
      throw new EscrowError('unsupported', `${branch} has no directory ${directory}.`)
    const entries = new Map<string, GitEntry>()
    for (const line of fieldsOf(listed ?? this.#output(list))) {
      const [, mode = '', id = '', path = ''] = /^(\d+) \w+ ([0-9a-f]+)\t([\s\S]+)$/.exec(line) ?? []
      entries.set(path, { mode, id })
    }
    return entries
  }

  read(id: string): Uint8Array {
    return this.#git.blob(id)
  }

  /** Stores a content. Returns its id. */
  store(bytes: Uint8Array): string {
    return this.#output(['hash-object', '-w', '--no-filters', '--stdin'], { input: bytes })
  }

  /** The id of a content, without storing it. @param like any id of the repository */
  idOf(bytes: Uint8Array, like: string): string {
    const hash = createHash(formatOf(like))
    return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
  }

  /**
   * Merges three texts by lines.
   * @returns the bytes, and how many places conflict; undefined for contents that are not text
   */
  mergeTexts(
    base: Uint8Array,
    tip: Uint8Array,
    after: Uint8Array,
  ): { merged: Uint8Array; conflicts: number } | undefined {
    const dir = makeTempDir(join(this.#dir, 'merge-'))
    try {
      for (const [name, bytes] of Object.entries({ base, tip, after })) createFile(join(dir, name), bytes, 0o600, false)
      const labels = [`-L${this.repository.branch}`, '-Lbase', '-Lagent']
      const { status, stdout } = this.#git.run(['merge-file', '-p', '-q', ...labels, 'tip', 'base', 'after'], {
        cwd: dir,
        encoding: 'latin1',
      })
      // 128 and above: an error, as for contents that are not text.
      if (status === null || status >= 128) return undefined
      return { merged: Buffer.from(stdout, 'latin1'), conflicts: status }
    } finally {
      removeTree(dir)
    }
  }

  /** Creates a commit of changes on a parent, and changes no branch. Returns the reason if git refuses a path. */
  commit(
    parent: string,
    changes: ReadonlyMap<string, GitEntry | undefined>,
    message: (git: Git) => string,
    { author, name, email }: Committer,
  ): { readonly commit: string } | { readonly refused: string } {
    const dir = makeTempDir(join(this.#dir, 'index-'))
    try {
      const env = { GIT_INDEX_FILE: join(dir, 'index') }
      this.#output(['read-tree', parent], { env })
      const removedFirst = [...changes].sort(([, a], [, b]) => Number(a !== undefined) - Number(b !== undefined))
      const input = removedFirst.map(([path, entry]) => indexInfo(this.#prefix + path, entry, parent.length)).join('')
      const ran = this.#git.run(['update-index', '-z', '--index-info'], { env, input })
      if (ran.status !== 0) return { refused: ran.stderr.trim() }
      const tree = this.#output(['write-tree'], { env })
      const file = join(dir, 'message')
      createFile(file, message(this.#git), 0o600, false)
      this.#sign ??= this.#git.query(['config', '--type=bool', '--get', 'commit.gpgSign']) === 'true' ? ['-S'] : []
      const commit = this.#output(['commit-tree', ...this.#sign, '-p', parent, '-F', file, tree], {
        env: { GIT_AUTHOR_NAME: author, GIT_AUTHOR_EMAIL: email, GIT_COMMITTER_NAME: name, GIT_COMMITTER_EMAIL: email },
      })
      return { commit }
    } finally {
      removeTree(dir)
    }
  }

  /** The name and address in the settings of the worker's own git. */
  user() {
    const setting = (name: string) => this.#git.query(['config', '--get', name])
    this.#user ??= { name: setting('user.name'), email: setting('user.email') }
    return this.#user
  }

  /** The attributes of paths, as a commit sets them, by which git converts bytes in a working tree. */
  attributes(commit: string, paths: readonly string[]): Map<string, string[]> {
    const found = new Map<string, string[]>()
    if (paths.length === 0) return found
    const dir = makeTempDir(join(this.#dir, 'index-'))
    try {
      const env = { GIT_INDEX_FILE: join(dir, 'index') }
      this.#output(['read-tree', commit], { env })
      const input = paths.map((path) => `${this.#prefix}${path}\0`).join('')
      const names = ['filter', 'ident', 'working-tree-encoding', 'text', 'eol']
      const fields = this.#output(['check-attr', '--cached', '-z', '--stdin', ...names], { env, input }).split('\0')
      for (let at = 0; at + 2 < fields.length; at += 3) {
        const [full = '', name = '', value = ''] = fields.slice(at, at + 3)
        const path = full.slice(this.#prefix.length)
        if (value !== 'unspecified' && value !== 'unset') found.set(path, [...(found.get(path) ?? []), name])
      }
      return found
    } finally {
      removeTree(dir)
    }
  }

  /** Checks a commit out into a new directory, exactly as git stores it. The caller removes the directory. @returns the repository's top */
  checkOut(commit: string, dir: string): string {
    const [gitDir, tree] = [join(dir, 'git'), join(dir, 'tree')]
    for (const each of [gitDir, tree]) ensurePrivateDir(each)
    this.#init(formatOf(commit), gitDir)
    ensurePrivateDir(join(gitDir, 'info'))
    createFile(join(gitDir, 'info', 'attributes'), NO_FILTERS, 0o600, false)
    const env = { GIT_DIR: gitDir, GIT_OBJECT_DIRECTORY: join(this.#dir, 'objects'), GIT_WORK_TREE: tree }
    this.#output(['read-tree', commit], { env, cwd: tree })
    this.#output(['checkout-index', '-a', '-f', '-q'], { env, cwd: tree })
    return tree
  }

  /** Moves the branch, if the server still has the tip that the commits were made for. */
  push(tip: string, head: string): Pushed {
    const { url, branch } = this.repository
    const ref = `refs/heads/${branch}`
    const lease = `--force-with-lease=${ref}:${tip}`
    const ran = this.#git.run([
      'push',
      '--porcelain',
      '--no-verify',
      '--no-follow-tags',
      lease,
      '--',
      url,
      `${head}:${ref}`,
    ])
    if (ran.status === 0) return { is: 'done' }
    const line = ran.stdout.split('\n').find((each) => each.startsWith('!')) ?? ''
    const [, , summary = ''] = line.split('\t')
    if (/\[rejected\]|\(stale info\)|cannot lock ref|failed to update ref|fetch first/.test(summary))
      return { is: 'lost' }
    if (summary.startsWith('[remote rejected]')) return { is: 'declined', why: `${summary}\n${ran.stderr}` }
    throw new EscrowError('unsupported', `git push failed: ${(ran.problem ?? ran.stderr).trim()}`)
  }

  /** Makes a bare repository: the clone itself, or one in a directory. */
  #init(format: ObjectFormat, ...dir: string[]): void {
    this.#output(['init', '-q', '--bare', '--template=', `--object-format=${format}`, ...dir])
  }

  /** The kind of ids of the server's repository. */
  #serverFormat(): ObjectFormat {
    const { url, branch } = this.repository
    const [id = ''] = this.#output(['ls-remote', '--', url, `refs/heads/${branch}`]).split('\t')
    return formatOf(id)
  }

  #output(...call: Parameters<Git['output']>): string {
    return this.#git.output(...call)
  }
}
