import type { HomeHost } from '../hosts/index.js'
import type { Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { Reviewer } from './people.js'
import type { ContainmentName } from './protection.js'

/** Options for running a command. */
export interface ExecOptions {
  /** The working directory, relative to the root or absolute. The root by default. */
  readonly cwd?: string | undefined
  /** Variables to add to the process's own, without those that hold secrets. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Milliseconds after which the command is killed. By default, and from 24.8 days on, there is no limit. */
  readonly timeout?: number | undefined
  /** The input. A stream is read while the command runs. */
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream | undefined
  /** Requests network access, which policy or a person must allow (`terminal.network`). */
  readonly network?: boolean | undefined
  /**
   * `none` allows an uncontained run, on a copy of the workspace, on a machine that cannot contain commands. Policy can allow the
   * same for every command (`terminal.isolation_none`). On other machines the command is contained anyway.
   */
  readonly isolation?: 'sandbox' | 'none' | undefined
  /** The memory limit of its processes together, in bytes. Three quarters of the machine's memory by default. */
  readonly memory?: number | undefined
  /** Called with each chunk of output. If it throws, the command is killed, nothing is staged, and the call rejects with that error. */
  readonly onOutput?: ((chunk: Uint8Array, stream: 'stdout' | 'stderr') => void) | undefined
  /** Kills the command on abort. */
  readonly signal?: AbortSignal | undefined
}

/** The result of a command: its exit code, its output and its effects. */
export interface ExecResult {
  /** 128 plus the signal's number if a signal ended the command. Null if escrowfs killed it. */
  readonly exitCode: number | null
  /** The first 16 MiB of stdout and of stderr, as UTF-8. `truncated` is set if there was more. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
  /** Why escrowfs killed the command. `processes` and `memory`: it exceeded that limit. Its effects until then are kept. */
  readonly ended?: 'timeout' | 'aborted' | 'processes' | 'memory'
  /** The staged effects. */
  readonly effects: ChangeSet
  /** The refused effects, by path. They are in the {@link Quarantine}. */
  readonly refused: Refusal[]
  /** New paths that git ignores, topmost directories only. The session's later commands see them; they are never staged. */
  readonly kept: string[]
  /** `none`: it ran on a copy of the workspace, with all rights of the user. */
  readonly isolation: 'sandbox' | 'none'
  /** The mechanism that contained it; absent on a copy without containment. */
  readonly containment?: ContainmentName
  /**
   * The git commits on the session's current branch that the repository on disk lacks, oldest first, after a command that changed the
   * session's git state. They are proposals: the session's later commands see them, and the repository on disk does not.
   */
  readonly commits?: readonly ProposedCommit[]
  /** The session's other branches, tags and stash that the repository on disk lacks, as far as that branch does not contain them. */
  readonly gitRefs?: readonly KeptRef[]
  /** The addresses it reached, as `host:port`, of a command that may reach some hosts. */
  readonly connections?: readonly ConnectionCount[]
  /** Addresses that it tried and may not reach, as `host:port`. */
  readonly unreachable?: readonly string[]
  /** A summary of the effects in a few lines, deletions first. */
  readonly summary: string
}

/** How often a command connected to an address. */
export interface ConnectionCount {
  /** `host:port`. */
  readonly to: string
  readonly count: number
}

/** Options for starting a background command. */
export interface StartOptions extends Omit<ExecOptions, 'signal'> {
  /**
   * Set if the program is an agent's client. It may then read its own login and write to its own directories in the
   * home directory. The writes go to layers that are kept for this workspace's later runs; its settings cannot be
   * changed. Set it only for a program that a person has chosen, because every process that it starts can read the
   * login.
   */
  readonly client?: HomeHost | undefined
  /** It may write anywhere in the home directory. Those writes are dropped when it ends. */
  readonly home?: boolean | undefined
  /**
   * Hosts it may reach if `network` is not true, through an HTTP proxy that the usual environment variables name:
   * `example.com`, `*.example.com`, `example.com:8443`; an entry without a port allows 443 and 80. The proxy also
   * speaks SOCKS 5. The hosts of the client's own model provider need no permission; policy or a person must allow the
   * others, as for `network`.
   */
  readonly hosts?: readonly string[] | undefined
  /** The interval in milliseconds at which its changes are staged. By default only at its end, and by `ingest`. */
  readonly every?: number | undefined
}

/** Options for running a program, for example an agent, in the terminal of this process. */
export interface RunOptions
  extends Pick<ExecOptions, 'cwd' | 'env' | 'network' | 'isolation' | 'memory' | 'signal'>,
    Pick<StartOptions, 'client' | 'home' | 'hosts'> {
  /** The interval in milliseconds at which its changes are staged; 2,000 by default. */
  readonly every?: number | undefined
}

/** A command that runs in the background: a server, a watcher. */
export interface RunningCommand {
  /** `c1`, `c2`, …: in its session. */
  readonly id: string
  readonly command: string | readonly string[]
  readonly startedAt: string
  readonly state: 'running' | 'ended'
  /**
   * Returns its output since a byte position, by default from the beginning. stdout and stderr are mixed in the order
   * of arrival. Only the last MiB is kept: if `since` is older, `from` of the result is later.
   */
  read(since?: number): CommandOutput
  /** Sends a signal, SIGTERM by default, to it and its processes. Returns false if it has ended. */
  kill(signal?: NodeJS.Signals): boolean
  /** Sends SIGTERM, and kills it after `grace` milliseconds (5,000 by default). Resolves as {@link wait}. */
  stop(grace?: number): Promise<CommandResult>
  /**
   * Stages its changes so far. Rejects with `stale_file` if a commit has changed files that it sees: nothing is staged
   * then, and its changes go to the quarantine when it ends.
   */
  ingest(): Promise<Ingested>
  /** Shows it the changes that others have staged since it started. Files that it is writing may not be updated. */
  refresh(): Promise<void>
  /** Resolves when it has ended, none of its processes is left, and its changes are staged. */
  wait(): Promise<CommandResult>
}

/** A part of a running command's output. */
export interface CommandOutput {
  readonly text: string
  /** The number of bytes before the text. */
  readonly from: number
  /** The position to read from next. */
  readonly next: number
}

/** The changes of a running command, staged or refused. */
export interface Ingested extends Pick<ExecResult, 'effects' | 'refused' | 'kept' | 'summary'> {
  /** Paths that it was writing at that moment. They are staged the next time. */
  readonly unsettled: string[]
}

/** The end of a background command. */
export interface CommandResult extends Omit<ExecResult, 'stdout' | 'stderr' | 'truncated'> {}

/** A branch, a tag or the stash of a session's git state. */
export interface KeptRef {
  /** `refs/heads/…`, `refs/tags/…` or `refs/stash`. */
  readonly ref: string
  /** Its object name. */
  readonly id: string
  /** The first line of its message. */
  readonly subject: string
}

/** A git commit that a session's programs made. */
export interface ProposedCommit {
  /** Its object name in the session's git state. */
  readonly id: string
  readonly message: string
  /** The paths that it changed, relative to the root. */
  readonly paths: readonly string[]
}

/** How a session runs commands. */
export interface Commands {
  /**
   * Runs a command on the staged workspace; nothing it does reaches the disk. A string is run by `/bin/sh -c`, an array
   * directly. Its changes are staged where policy allows a tool's write, and refused otherwise. Commands of a session
   * run one after the other. Rejects with `unsupported` if commands cannot be contained here (`escrow doctor` says
   * why), `access_denied` where policy does not let this one run so.
   */
  exec(command: string | string[], options?: ExecOptions): Promise<ExecResult>
  /**
   * Starts a background command, contained as in {@link exec}, on layers of its own: it sees the stage as it is now, and not
   * what is staged later. It ends with the session. Resolves once it runs.
   */
  start(command: string | string[], options?: StartOptions): Promise<RunningCommand>
  /**
   * Runs a program, for example an agent, in this process's terminal, contained as in {@link start}. Its changes and those of
   * its children are staged while it runs, so that a person can review them meanwhile. Resolves when it has ended.
   */
  run(command: string | string[], options?: RunOptions): Promise<CommandResult>
  /** The background commands, ended ones included, the oldest first. */
  commands(): Promise<RunningCommand[]>
}

/** A refused effect of a command. */
export interface Quarantined extends Refusal {
  /**
   * A directory, file or link that the command created or changed; a path that it removed (`gone`); or an effect that can never be
   * staged (`other`, `unnamed`, `git`).
   */
  readonly kind: 'gone' | 'dir' | 'file' | 'symlink' | 'other' | 'unnamed' | 'git'
  /** When the effect was refused: ISO 8601. */
  readonly at: string
  /** The intent that was active. */
  readonly intentId?: string
  /** False for an effect that cannot be staged under any policy, and for content that was too large to keep. */
  readonly canBeTaken: boolean
}

/**
 * The refused effects of a session's commands, kept for a person to stage or delete. A path selects everything below it too. Globs
 * are allowed.
 */
export interface Quarantine {
  /** Returns the refused effects, oldest first. */
  quarantined(): Promise<Quarantined[]>
  /**
   * Stages refused effects, under the same policy as a tool's write, for example after the intent's scope was extended. They need a
   * review like other changes. Effects that are refused again stay in the quarantine. Rejects with `nothing_selected` if a path
   * matches nothing, and with `session_busy` while another process owns the session.
   * @param intent the id of the intent to stage them for; by default the session's active intent, else the intent of each effect
   */
  takeQuarantined(
    paths: string | string[],
    by?: Reviewer,
    intent?: string,
  ): Promise<{ taken: string[]; refused: Refusal[] }>
  /** Deletes refused effects permanently. Returns their paths. Rejects with `nothing_selected` if a path matches nothing. */
  dropQuarantined(paths: string | string[], by?: Reviewer): Promise<string[]>
}
