import type { HomeHost } from '../hosts/index.js'
import type { Refusal } from './api-error.js'
import type { ChangeSet } from './change-api.js'
import type { Reviewer } from './people.js'

/** How a command runs. */
export interface ExecOptions {
  /** The directory it starts in: relative to the root, or absolute; the root unless told. */
  readonly cwd?: string
  /** Variables beside the process's own, of which those that hold secrets are left out; undefined leaves one out. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Milliseconds after which it is ended. */
  readonly timeout?: number
  /** A stream is read while it runs. */
  readonly stdin?: string | Uint8Array | NodeJS.ReadableStream
  /** Asks for the network, which policy or a person must allow (`terminal.network`). */
  readonly network?: boolean
  /**
   * `none`: where it cannot be contained it may run on a copy of the workspace, held in by nothing, as policy may allow
   * (`terminal.isolation_none`). Where it can, it is.
   */
  readonly isolation?: 'sandbox' | 'none'
  /** Bytes its processes may hold at a time; three quarters of the machine's unless told. */
  readonly memory?: number
  /** Told of output as it comes. Where it throws, the command ends, nothing of it is staged, and that error is thrown. */
  readonly onOutput?: (chunk: Uint8Array, stream: 'stdout' | 'stderr') => void
  /** Ends the command. */
  readonly signal?: AbortSignal
}

/** A command that has ended: what it said, and what became of what it did. */
export interface ExecResult {
  /** 128 and the signal's number where a signal ended it; null where it was ended by us. */
  readonly exitCode: number | null
  /** The first 16 MiB of each, as UTF-8; `truncated` where there was more. */
  readonly stdout: string
  readonly stderr: string
  readonly truncated?: true
  /** Why it was ended before its time (`processes`, `memory`: it had too much of them). Its effects up to then count. */
  readonly ended?: 'timeout' | 'aborted' | 'processes' | 'memory'
  /** What it did and was staged. */
  readonly effects: ChangeSet
  /** What it did and was not, path by path: it is kept aside for a person. */
  readonly refused: Refusal[]
  /** What git ignores and was not there before, by its topmost name: left to the session's later commands, never staged. */
  readonly kept: string[]
  /** `none`: it ran on a copy, and could reach all that the user can. */
  readonly isolation: 'sandbox' | 'none'
  /** All of it in words, deletions first: a few lines. */
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

/** One thing a command did that was not staged. */
export interface Quarantined extends Refusal {
  /** A command's directory, file or link that it made or wrote, what it removed (`gone`), or what no stage can hold. */
  readonly kind: 'gone' | 'dir' | 'file' | 'symlink' | 'other' | 'unnamed' | 'git'
  /** When its command ended. */
  readonly at: string
  /** The intent it was done for. */
  readonly intentId?: string
  /** False for what cannot be staged, whatever policy says, and for content that was too much to keep. */
  readonly canBeTaken: boolean
}

/** What commands of a session did and was refused: it waits here for a person. Paths name what is below them too; globs will do. */
export interface Quarantine {
  /** The earliest first. */
  quarantined(): Promise<Quarantined[]>
  /**
   * Stages it for its intent, by the same policy as a tool's write: where the scope has been widened meanwhile, say. It is
   * reviewed like all else. What is refused again stays. Rejects with `session_busy` while another process holds the session.
   * @param intent the id of the intent to stage it for. Without it: the session's own, else the one each effect was done for.
   */
  takeQuarantined(
    paths: string | string[],
    by?: Reviewer,
    intent?: string,
  ): Promise<{ taken: string[]; refused: Refusal[] }>
  /** Lets it go for good; answers what. */
  dropQuarantined(paths: string | string[], by?: Reviewer): Promise<string[]>
}
