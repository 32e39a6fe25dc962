import type { HomeHost } from '../hosts/index.js'
import type { Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { Reviewer } from './people.js'

/** Options for running a command. */
export interface ExecOptions {
  /** The working directory, relative to the root or absolute. The root by default. */
  readonly cwd?: string
  /** Variables to add to the process's own, without those that hold secrets. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds after which the command is killed. No limit by default. */
  readonly timeout?: number
  /** The input. A stream is read while the command runs. */
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream
  /** Requests network access, which policy or a person must allow (`terminal.network`). */
  readonly network?: boolean
  /**
   * `none` allows an uncontained run, on a copy of the workspace, on a machine that cannot contain commands. Policy can allow the
   * same for every command (`terminal.isolation_none`). On other machines the command is contained anyway.
   */
  readonly isolation?: 'sandbox' | 'none'
  /** The memory limit of its processes together, in bytes. Three quarters of the machine's memory by default. */
  readonly memory?: number
  /** Called with each chunk of output. If it throws, the command is killed, nothing is staged, and the call rejects with that error. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
  /** Kills the command on abort. */
  readonly signal?: AbortSignal
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
  /** A summary of the effects in a few lines, deletions first. */
  readonly summary: string
}

/** How a command is started that runs on by itself. */
export interface StartOptions extends Omit<ExecOptions, 'signal'> {
  /**
   * The client of a model it is: it may write to its own directories in the home directory, by layers that are kept for this workspace's
   * later runs, and read its own login. Its settings there stay as they are.
   * Only for a program that a person has chosen: the login is open to all that it starts.
   */
  readonly client?: HomeHost
  /** It may write in all of the home directory; what it writes there goes when it ends. */
  readonly home?: boolean
  /**
   * Hosts it may reach where `network` is not true, by an HTTP proxy that the usual variables name: `example.com`, `*.example.com`,
   * `example.com:8443`; without a port 443 and 80. Those of the client's own provider need no policy, others as `network` does.
   */
  readonly hosts?: readonly string[]
  /** Milliseconds between the times what it has done is taken into the stage; at its end alone, and by `ingest`, unless told. */
  readonly every?: number
}

/** How a program is run in the terminal of this process: an agent, with all it starts. */
export interface RunOptions
  extends Pick<ExecOptions, 'cwd' | 'env' | 'network' | 'isolation' | 'memory' | 'signal'>,
    Pick<StartOptions, 'client' | 'home' | 'hosts'> {
  /** Milliseconds between the times what it has done is taken into the stage; 2,000 unless told. */
  readonly every?: number
}

/** A command that runs by itself: a server, a watcher. */
export interface RunningCommand {
  /** `c1`, `c2`, …: in its session. */
  readonly id: string
  readonly command: string | readonly string[]
  readonly startedAt: string
  readonly state: 'running' | 'ended'
  /**
   * What it has said since a position, stdout and stderr as they came: the beginning, unless told. The last MiB is held;
   * where what was asked for is there no more, `from` is later.
   */
  read(since?: number): CommandOutput
  /** Sends a signal to it and its processes; SIGTERM unless told. False: it has ended. */
  kill(signal?: NodeJS.Signals): boolean
  /** SIGTERM, and after so many milliseconds (5,000 unless told) the end of it. Resolves as {@link wait}. */
  stop(grace?: number): Promise<CommandResult>
  /**
   * Takes what it has done so far into the stage. Rejects with `stale_file` where a commit has changed what it sees: then
   * nothing is taken in, and what it writes goes to the quarantine when it ends.
   */
  ingest(): Promise<Ingested>
  /** Shows it what has been staged besides since it was started. What it is at work on itself may stay as it sees it. */
  refresh(): Promise<void>
  /** Resolves when it has ended, no process of it is left, and what it did was taken in. */
  wait(): Promise<CommandResult>
}

/** A part of what a running command has said. */
export interface CommandOutput {
  readonly text: string
  /** Bytes said before the text begins. */
  readonly from: number
  /** Where to read on. */
  readonly next: number
}

/** What a running command had done and what became of it. */
export interface Ingested extends Pick<ExecResult, 'effects' | 'refused' | 'kept' | 'summary'> {
  /** What it was writing just then: left for the next time. */
  readonly unsettled: string[]
}

/** The end of a command that ran by itself. */
export interface CommandResult extends Omit<ExecResult, 'stdout' | 'stderr' | 'truncated'> {
  /** Addresses it asked for and could not reach, as `host:port`: they are not among its `hosts`. */
  readonly unreachable?: readonly string[]
  /** Git commits it made. The repository keeps none of them; their messages are in the ledger. */
  readonly commits?: readonly ProposedCommit[]
}

/** A git commit that a program made in the mount. */
export interface ProposedCommit {
  /** Its object name in the mount's repository, which is gone. */
  readonly id: string
  readonly message: string
  /** What it changed, relative to the root. */
  readonly paths: readonly string[]
}

/** How a session runs commands. */
export interface Commands {
  /**
   * Runs a command on the staged workspace; nothing it does reaches the disk. A string is run by `/bin/sh -c`, an array
   * directly. What it did is staged where policy allows a tool's write to, and refused otherwise. Commands of a session
   * run one after the other. Rejects with `unsupported` where commands cannot be contained here (`escrow doctor` says
   * why), `access_denied` where policy does not let this one run so.
   */
  exec(command: string | string[], options?: ExecOptions): Promise<ExecResult>
  /**
   * Starts a command that runs on by itself, contained as {@link exec} contains one, on layers of its own: it sees the stage
   * as it is now, and not what is staged later. It ends with the session. Resolves once it runs.
   */
  start(command: string | string[], options?: StartOptions): Promise<RunningCommand>
  /**
   * Runs a program, an agent say, with this process's own input, output and terminal, contained as {@link start} contains one:
   * all that it and its children do is staged while it runs, and can be reviewed meanwhile. Resolves when it has ended.
   */
  run(command: string | string[], options?: RunOptions): Promise<CommandResult>
  /** The commands that were started, the oldest first, those that have ended among them. */
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
