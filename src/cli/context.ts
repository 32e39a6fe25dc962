import type { Command } from 'commander'
import type picocolors from 'picocolors'
import type { Capability, InitOptions, SigningKey, Workspace } from '../index.js'
import type { ClientFile, ClientOptions, ForeignSetting, FoundClient, HostName, OldState } from '../surface/index.js'
import type { Asking } from './prompts.js'

export type Colors = ReturnType<typeof picocolors.createColors>

/** Exit codes of `escrow`; `--help` documents them. */
export const EXIT = { ok: 0, refused: 1, usage: 2, badLedger: 3, noWorkspace: 4 } as const
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

/** Where a run reads and writes: the terminal, or a test. */
export interface Io {
  out(text: string): void
  err(text: string): void
  readonly cwd: string
  /** What comes in is typed: a person sits there. */
  readonly terminal: boolean
  /** Colours only where a person sees them. */
  readonly color: boolean
  readonly version: string
  /** Asks the person at the terminal; absent where there is none. */
  readonly ask?: () => Promise<Asking>
  /** Shows a text page by page; absent where nobody looks on. */
  readonly page?: (text: string) => Promise<void>
  /** Columns of the terminal; absent where there is none. */
  readonly columns?: number
  /** The command's own file, absolute; absent where it runs within another program. */
  readonly entry?: string
}

/** What the commands need of the library; loaded when a command runs, so that `--help` is quick. */
export interface Library {
  openWorkspace(root: string): Promise<Workspace>
  makeSigningKey(): SigningKey
  makeReviewerKey(): SigningKey
  /** By which clients of the workspace may ask a served hook. */
  hookToken(root: string): string
  admitAgent(): void
  admitReviewer(root: string, options: { readonly terminal: boolean }): void
  admitTruster(root: string, options: { readonly terminal: boolean }, isFirstByDigest: boolean): void
  checkContainment(): Promise<readonly Capability[]>
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

/** What a command is given to do its work. */
export interface Context {
  readonly io: Io
  readonly colors: Colors
  /** The arguments, as they were typed. */
  readonly argv: readonly string[]
  /** The directory of `-C`, absolute. */
  directory(): string
  /** The workspace the directory lies in. Throws {@link NoWorkspace}. */
  root(): string
  library(): Promise<Library>
  /** Prints what may be long: by the pager where a person looks on. */
  page(text: string): Promise<void>
  /** Opens the workspace the directory lies in, and closes it in the end. Throws {@link NoWorkspace}. */
  withWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /** As {@link withWorkspace}, for what begins an agent's work: refused in an agent's session, which has begun. */
  asAgent<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /** As {@link withWorkspace}, for what a person decides: refused in an agent's session, and where policy wants a person and there is none. */
  asReviewer<T>(work: (workspace: Workspace) => Promise<T>): Promise<T>
  /** Every command with all it takes. Loads each one. */
  wholeProgram(): Promise<Command>
  /** How the run is to end, a code of {@link EXIT} or that of a program it ran; 0 unless a command says otherwise. */
  exit(code: number): void
}

/** No `.orchestration` in the directory or above it. */
export class NoWorkspace extends Error {
  override readonly name = 'NoWorkspace'
  constructor(directory: string) {
    super(`No escrow workspace in '${directory}' or any directory above it: there is no .orchestration.`)
  }
}
