import { createHash } from 'node:crypto'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { errorText } from '../core/error-text.js'
import { gitFailure } from '../core/git-failure.js'
import { type Ran, runOwn } from '../os/child.js'
import { OFFLINE_GIT } from '../os/git.js'
import { findProgram, ownEnv } from '../os/search-path.js'
import { type ChangedFile, changedFiles } from './changed-files.js'

/** Options that override settings of a repository: they name programs (hook, monitor, pager, signer), or change what git prints. */
const OVERRIDES = [
  '--no-pager',
  '--no-replace-objects',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'log.showSignature=false',
    'safe.bareRepository=explicit',
    'core.quotePath=false',
    'diff.relative=false',
    'trailer.separators=:',
    'advice.graftFileDeprecated=false',
    'core.commentChar=#',
    'i18n.logOutputEncoding=UTF-8',
  ].flatMap((setting) => ['-c', setting]),
]
/** Git refuses or ignores `:(literal,top)` where these are set. */
const PLAIN_PATHS = { GIT_LITERAL_PATHSPECS: '0', GIT_ICASE_PATHSPECS: '0', GIT_GLOB_PATHSPECS: '0' } as const
/** Unlike replacements, grafts (`.git/info/grafts`) have no option that turns them off. */
const NO_GRAFTS = { GIT_GRAFT_FILE: '/dev/null' } as const
const SEPARATOR = '\u0001'
const TIMEOUT_MS = 10 * 60 * 1000

/** The commits of a pull request: from the merge base to its head. Everything is read from git's objects, nothing from the checkout. */
export class PullRequest {
  /** The target branch's own commit. The base is the commit that the pull request began from. */
  readonly target: string
  readonly base: string
  /** The base, and further ones if the branches merged each other: the best common ancestors. */
  readonly bases: readonly string[]
  readonly head: string
  readonly #program: string
  readonly #cwd: string
  readonly #env = { ...ownEnv(), ...OFFLINE_GIT, ...PLAIN_PATHS, ...NO_GRAFTS }

  /**
   * @param cwd a directory of the repository
   * @param onto the target branch or commit
   * @param head the last commit of the pull request
   * @throws EscrowError `unsupported` if git is not installed, or does not know the commits and all those since their merge base, or if a name
   * is ambiguous
   */
  constructor(cwd: string, onto: string, head: string) {
    // A git inside the repository could be part of the pull request.
    const { path: program } = findProgram('git')
    if (program === undefined) throw new EscrowError('unsupported', 'There is no git on PATH outside the repository.')
    this.#program = program
    this.#cwd = cwd
    this.head = this.#commitOf(head)
    this.target = this.#commitOf(onto)
    const unrelated = 'The pull request and its target branch have no common ancestor here.'
    this.bases = fieldsOf(this.#output(['merge-base', '--all', this.target, this.head], unrelated), '\n')
    this.base = this.bases[0] ?? ''
    if (this.#isCut()) throw incomplete('This clone is shallow, and lacks commits of the pull request.')
  }

  /** The content of a regular file; undefined if there is none at the path. */
  file(commit: string, path: string): Buffer | undefined {
    const entry = this.#output(['ls-tree', '-z', '--full-tree', commit, '--', `:(literal,top)${path}`])
    const [, mode = '', type, blob = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t/.exec(entry) ?? []
    return type === 'blob' && mode.startsWith('100') ? this.#bytes(['cat-file', 'blob', blob]) : undefined
  }

  /** The newest record of ours in a ledger, as `<seq>:<hash>`. */
  lastHead(commit: string, ledger: string): string | undefined {
    const text = this.file(commit, ledger)?.toString('latin1') ?? ''
    for (const line of text.split('\n').reverse()) {
      const seq = seqOf(line)
      if (seq !== undefined) return `${seq}:${createHash('sha256').update(line, 'latin1').digest('hex')}`
    }
    return undefined
  }

  list(commit: string, directory: string): string[] {
    const below = `:(literal,top)${directory.replace(/\/*$/, '/')}`
    return fieldsOf(this.#output(['ls-tree', '-z', '--name-only', '--full-tree', commit, '--', below]), '\0')
  }

  /** The files below a prefix that the pull request changed. */
  changed(prefix = ''): ChangedFile[] {
    const read = (args: readonly string[], input?: string) => this.#bytes(args, undefined, input)
    try {
      return changedFiles(read, this.base, this.head, prefix)
    } catch (error) {
      throw error instanceof EscrowError ? error : incomplete(errorText(error))
    }
  }

  /** The `Trace-Head:` trailers of each commit. */
  trailers(): Map<string, string[]> {
    const format = `--format=%H${SEPARATOR}%(trailers:key=Trace-Head,valueonly,unfold,separator=%x2C)`
    const listed = fieldsOf(this.#output(['log', format, ...this.#range(), '--']), '\n')
    return new Map(
      listed.map((line) => {
        const [commit = '', heads = ''] = line.split(SEPARATOR)
        const values = heads.split(',').map((each) => each.trim())
        return [commit, values.filter((value) => value !== '')]
      }),
    )
  }

  /**
   * The commits that change a ledger, each with the head after it. A merge changes it if the ledger differs from that of each parent. The
   * commits of a branch are listed although a merge took nothing of it.
   */
  ledgerCommits(ledger: string): { readonly commit: string; readonly isMerge: boolean; readonly head?: string }[] {
    const args = ['log', '--full-history', '--format=%H %P', ...this.#range(), '--', `:(literal,top)${ledger}`]
    return fieldsOf(this.#output(args), '\n').map((line) => {
      const [commit = '', ...parents] = line.split(' ')
      return { commit, isMerge: parents.length > 1, ...defined({ head: this.lastHead(commit, ledger) }) }
    })
  }

  /**
   * Whether a shallow clone lacks commits since the base. Those are not checked, and the true merge base can be one of them. Its oldest
   * commits look like ones without parents.
   */
  #isCut(): boolean {
    if (this.#output(['rev-parse', '--is-shallow-repository']).trim() !== 'true') return false
    return this.#output(['rev-list', '-1', '--max-parents=0', this.target, ...this.#range()]) !== ''
  }

  #range(): string[] {
    return [this.head, ...this.bases.map((base) => `^${base}`)]
  }

  #commitOf(name: string): string {
    const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]
    const commit = this.#output(args, `Git knows no commit ${name} here.`).trim()
    if (this.#isAmbiguous(name)) throw ambiguous(name)
    return commit
  }

  /**
   * Whether several refs have a name, or a ref has the abbreviation of an object's id. Git takes a tag before a branch, so a tag could
   * take the place of the target branch. `HEAD` is always that of the repository.
   */
  #isAmbiguous(name: string): boolean {
    if (name === 'HEAD') return false
    const args = ['-c', 'core.warnAmbiguousRefs=true', 'rev-parse', '--verify', '--end-of-options', `${name}^{commit}`]
    return /^warning: refname '.*' is ambiguous\.$/ms.test(this.#run(args, { LC_ALL: 'C' }).stderr)
  }

  #output(args: readonly string[], problem?: string): string {
    return this.#bytes(args, problem).toString()
  }

  #bytes(args: readonly string[], problem = `git ${args[0]} failed`, input = ''): Buffer {
    const ran = this.#run(args, {}, input)
    if (ran.status === 0) return Buffer.from(ran.stdout, 'latin1')
    const { problem: reason, hint } = gitFailure(Buffer.from(ran.stderr, 'latin1').toString())
    const why = ran.problem ?? reason
    throw incomplete(why === '' ? problem : `${problem.replace(/\.$/, '')}: ${why}`, hint)
  }

  #run(args: readonly string[], more: Readonly<Record<string, string>> = {}, input = ''): Ran {
    const env = { ...this.#env, ...more }
    const run = { cwd: this.#cwd, env, input, timeout: TIMEOUT_MS, encoding: 'latin1' } as const
    return runOwn(this.#program, [...OVERRIDES, ...args], run)
  }
}

function ambiguous(name: string): EscrowError {
  return new EscrowError('unsupported', `${name} is ambiguous: a branch and a tag have this name, for example.`, {
    hint: 'Give the full name: refs/heads/NAME, refs/remotes/origin/NAME or refs/tags/NAME.',
  })
}

const ALL_HISTORY = 'The check needs all of history: clone without --depth and --filter, or fetch with --unshallow.'

function incomplete(problem: string, hint = ALL_HISTORY): EscrowError {
  return new EscrowError('unsupported', problem, { hint })
}

function fieldsOf(text: string, separator: string): string[] {
  return text.split(separator).filter((field) => field !== '')
}

function seqOf(line: string): number | undefined {
  try {
    const seq: unknown = JSON.parse(line)?.metadata?.['dev.escrowfs']?.seq
    return typeof seq === 'number' ? seq : undefined
  } catch {
    return undefined
  }
}
