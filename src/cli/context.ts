import type { Command } from 'commander'
import type picocolors from 'picocolors'
import type { Capability, InitOptions, SigningKey, Workspace } from '../index.js'
import type {
  ClientFile,
  ClientOptions,
  EscapeReport,
  ForeignSetting,
  FoundClient,
  FoundRepairs,
  HostName,
  OldState,
  Repair,
  TriedContainment,
} from '../surface/index.js'
import type { Prompts } from './prompts.js'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Exit codes of `escrow`; `--help` documents them. */
export const EXIT = { ok: 0, refused: 1, usage: 2, badLedger: 3, noWorkspace: 4 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Input and output of a run: the terminal, or a test's buffers. */
export interface Io {
  out(text: string): void
  err(text: string): void
  readonly cwd: string
  /** True if stdin is a terminal. */
  readonly terminal: boolean
  /** True if output is coloured. */
  readonly color: boolean
  readonly version: string
  /** Loads the prompts; absent without a terminal. */
  readonly ask?: () => Promise<Prompts>
  /** Shows a text in the pager; absent without a terminal. */
  readonly page?: (text: string) => Promise<void>
  /** Columns of the terminal; absent without one. */
  readonly columns?: number
  /** Absolute path of the command's own file; absent if it runs within another program. */
  readonly entry?: string
}

/** The library functions that commands use. They load when a command runs, which keeps `--help` fast. */
export interface Library {
  openWorkspace(root: string): Promise<Workspace>
  makeSigningKey(): SigningKey
  makeReviewerKey(): SigningKey
  /** The token by which the workspace's clients may ask a served hook. */
  hookToken(root: string): string
  admitAgent(): void
  /** Throws `access_denied` if an agent's session started this process. */
  assertOutsideSession(): void
  /** Throws `access_denied` unless a person may be asked to change this machine. */
  admitPerson(root: string | undefined, options: { readonly terminal: boolean }): void
  admitReviewer(root: string, options: { readonly terminal: boolean }): void
  admitTruster(root: string, options: { readonly terminal: boolean }, isFirstByDigest: boolean): void
  checkContainment(): Promise<readonly Capability[]>
  /** Tries the containments for a workspace's commands, the best first. The last one works, unless none does. */
  triedContainments(root: string | undefined, isAgain: boolean): Promise<readonly TriedContainment[]>
  /** Runs the escape attempts in the containment of the workspace's commands; undefined if there is none. */
  probedEscapes(root: string | undefined): Promise<EscapeReport | undefined>
  /** Finds the repairs that would let this machine contain commands. Changes nothing. */
  findRepairs(root: string | undefined): Promise<FoundRepairs>
  /** Runs the commands of a repair; resolves with whether all succeeded. */
  applyRepair(repair: Repair): Promise<boolean>
  findOldState(root: string): OldState | undefined
  migrateOldState(root: string): string[]
  initWorkspace(root: string, options?: InitOptions): Promise<{ created: string[]; kept: string[] }>
  planClients(root: string, clients: readonly HostName[], options?: ClientOptions): ClientFile[]
  applyClients(root: string, files: readonly ClientFile[]): void
  foreignSettings(root: string): readonly ForeignSetting[]
  findClients(root: string): readonly FoundClient[]
  probeEntry(root: string, client: HostName): Promise<string | undefined>
  installLauncher(entry: string): void
  editText(text: string, name: string): Promise<string>
}

/** The context of a command's action. */
export interface Context {
  readonly io: Io
  readonly colors: Colors
  /** The arguments as typed. */
  readonly argv: readonly string[]
  /**
   * Absolute path of the `-C` directory. Throws {@link UsageError} if it is not a directory. @param isNew it need not
   * exist
   */
  directory(isNew?: boolean): string
  /** The workspace that contains the directory. Throws {@link NoWorkspace}. */
  root(): string
  library(): Promise<Library>
  /** Prints long output: in the pager at a terminal. */
  page(text: string): Promise<void>
  /** Opens the workspace of the directory for the duration of `work`. Throws {@link NoWorkspace}. */
  withWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /** {@link withWorkspace} for commands that start an agent's work. Refused within an agent's session. */
  asAgent<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /**
   * {@link withWorkspace} for a person's decisions. Refused within an agent's session, and if policy requires a person
   * and there is none.
   */
  asReviewer<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /** The program with the arguments and options of every command. Loads each command. */
  buildFullProgram(): Promise<Command>
  /** Sets the exit code: one of {@link EXIT}, or that of a program that ran; 0 by default. */
  exit(code: number): void
}

/** Wrong usage that the parser of options cannot find. The exit code is that of a wrong option. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Thrown if neither the directory nor one above it has `.orchestration`. */
export class NoWorkspace extends Error {
  override readonly name = 'NoWorkspace'
  constructor(directory: string) {
    super(`There is no escrow workspace in '${directory}' or any directory above it (no .orchestration).`)
  }
}
