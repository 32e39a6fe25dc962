import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { gitFailure } from '../core/git-failure.js'
import { type Ran, runOwn } from '../os/child.js'
import { OFFLINE_GIT } from '../os/git.js'
import { findProgram, ownEnv } from '../os/search-path.js'

/** Milliseconds for one call of git. A filter or a signature may need a person. */
const TIMEOUT_MS = 120_000

/** Settings that replace those that would start a program, make the index depend on one, or give texts another encoding than ours. */
const SETTINGS = [
  'core.fsmonitor=false',
  'core.untrackedCache=false',
  'gc.auto=0',
  'maintenance.auto=false',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
]

export interface GitCall {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string | Uint8Array
  /** `latin1` keeps every byte of the output. */
  readonly encoding?: 'latin1'
  /** The directory to run in; the workspace's root by default. */
  readonly cwd?: string
}

/** The person's own git, in one repository. */
export class Git {
  readonly #program: string
  readonly #env: NodeJS.ProcessEnv

  /**
   * @param more settings that replace ours
   * @param protocols git may fetch and push by these, in a repository of our own; by default by none
   * @throws EscrowError `unsupported` if git is not installed
   */
  constructor(
    readonly root: string,
    private readonly more: readonly string[] = [],
    protocols: readonly string[] = [],
  ) {
    const { path } = findProgram('git')
    if (path === undefined)
      throw new EscrowError('unsupported', 'git is not installed.', { hint: 'Install git, or commit without --git.' })
    this.#program = path
    const network = protocols.length === 0 ? OFFLINE_GIT : { GIT_ALLOW_PROTOCOL: protocols.join(':') }
    this.#env = { ...withoutGitVariables(ownEnv()), ...network }
  }

  /** Runs git and returns its exit code and output. Never throws. */
  run(args: readonly string[], { env = {}, input, encoding, cwd = this.root }: GitCall = {}): Ran {
    const settings = [...SETTINGS, ...this.more].flatMap((setting) => ['-c', setting])
    return runOwn(this.#program, [...settings, ...args], {
      cwd,
      env: { ...this.#env, GIT_LITERAL_PATHSPECS: '1', GIT_TERMINAL_PROMPT: '0', ...env },
      timeout: TIMEOUT_MS,
      ...defined({ input, encoding }),
    })
  }

  /**
   * The output of git, without the line feed at its end.
   * @throws EscrowError `unsupported` with git's own message if it fails
   */
  output(args: readonly string[], call: GitCall = {}): string {
    const { status, stdout, stderr, problem } = this.run(args, call)
    if (status === 0) return stdout.replace(/\n$/, '')
    const { problem: reason, hint = 'Correct what git reports, then try again.' } = gitFailure(stderr)
    const why = (problem ?? (reason || `exit code ${status}`)).replace(/\.?$/, '.')
    throw new EscrowError('unsupported', `git ${args[0]} failed: ${why}`, { hint })
  }

  /** The id of the empty tree, which every repository has. */
  emptyTree(call: GitCall = {}): string {
    return this.output(['hash-object', '-t', 'tree', '--stdin'], call)
  }

  /** @throws EscrowError `unsupported` with git's own message if git refuses the repository, for example because another user owns it */
  requireUsable(): void {
    this.output(['rev-parse', '--git-dir'])
  }

  /** The bytes of a blob. @throws EscrowError `unsupported` if there is none */
  blob(id: string): Buffer {
    const { status, stdout } = this.run(['cat-file', 'blob', id], { encoding: 'latin1' })
    if (status !== 0) throw new EscrowError('unsupported', `git has no content for ${id}.`)
    return Buffer.from(stdout, 'latin1')
  }

  /** The output; undefined if git fails. */
  query(args: readonly string[], call: GitCall = {}): string | undefined {
    const { status, stdout } = this.run(args, call)
    return status === 0 ? stdout.replace(/\n$/, '') : undefined
  }
}

/**
 * Without variables that name another repository, index or work tree, which a hook of git sets for its children, and those that literal
 * paths exclude.
 */
function withoutGitVariables(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isKept = (name: string) =>
    !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|PREFIX|(?:NO)?GLOB_PATH|ICASE_PATH)/.test(
      name,
    )
  return Object.fromEntries(Object.entries(env).filter(([name]) => isKept(name)))
}
