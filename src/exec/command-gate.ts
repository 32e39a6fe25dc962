import { relative } from 'node:path'
import { type RelPath, ROOT } from '../../overlay/index.js'
import type { ChangeSet, StartOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import type { View } from '../fs/index.js'
import type { HomeHost } from '../hosts/index.js'
import type { PendingFeedback } from '../inbox/index.js'
import { HOOK_PACKAGES, HOST_SETTINGS, type Policy } from '../policy/index.js'
import type { CommandRecord, LedgerOutbox, StageStore } from '../stage/index.js'
import { commandEnv, type Visibility, withoutPush } from '../terminal/index.js'
import type { AdmissionRecord, SessionAdmission } from './admission.js'
import { CommandView, shellOf } from './command-view.js'
import { networkGranted } from './network-grant.js'

/** The parts of a session that commands use. */
export interface ExecDeps {
  readonly id: string
  readonly layout: Layout
  readonly store: StageStore
  readonly view: View
  readonly policy: Policy
  /** The changes since a snapshot, filtered by path. */
  readonly changesSince: (snapshot: string, isWanted?: (path: RelPath) => boolean) => ChangeSet
  /** Reads the commits and reviews of other processes. */
  readonly syncExternal: () => void
  /** Says whether a command may run, and waits for a person if policy asks one. */
  readonly admission: SessionAdmission
  /** Records the denials that a command reports. */
  readonly journal: Pick<LedgerOutbox, 'recordReported' | 'recordUnreported'>
  /** Reviewers' feedback, which a program in the mount may pass to its model. */
  readonly feedback: PendingFeedback
  /** Records a command in the ledger. */
  readonly record: (data: CommandRecord) => Promise<void>
  /** Runs work in the current tool call, or in a new one if there is none or `isNew` is true. */
  readonly inCall: <T>(work: () => Promise<T>, isNew?: boolean) => Promise<T>
  /** The commit or tag object at `HEAD` or a ref of the repository on disk; undefined if it has none. */
  readonly gitRef: (ref: string) => string | undefined
  /** The intent the session works under. */
  readonly state: { readonly intentId: string | undefined }
  /** Throws EscrowError `session_busy` once the session is closed. */
  readonly assertOpen: () => void
}

export type CommandLine = string | readonly string[]

/** A command that may run, with everything it may see. */
export interface AdmittedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly network: boolean | readonly string[]
  readonly visibility: Visibility
  /** The client program, if the command is a known one. */
  readonly client: HomeHost | undefined
  readonly readOnlyNames: readonly string[]
  /** The part of its ledger record that says why it may run. */
  readonly admission: AdmissionRecord
}

/** Decides for each command whether it may run and what it may see. */
export class CommandGate {
  readonly #view: CommandView

  constructor(private readonly deps: ExecDeps) {
    this.#view = new CommandView(deps.layout.root, deps.policy)
  }

  /**
   * Admits a command. Every way to start a command calls this method.
   * @param admit replaces the admission of an agent's commands.
   * @throws EscrowError with the reason of a refusal.
   */
  async admit(
    command: CommandLine,
    options: StartOptions,
    { admit }: { readonly admit?: (() => Promise<AdmissionRecord>) | undefined } = {},
  ): Promise<AdmittedCommand> {
    const { client } = options
    this.#view.outside(client)
    const cwd = this.#directory(options.cwd ?? '.')
    const within = relative(this.deps.layout.root, cwd)
    const admitted = await (admit?.() ?? this.deps.admission.admit(command, options, within))
    const network = networkGranted(options, this.deps.policy.settings()?.network ?? false, admitted.classes ?? [])
    return {
      args: typeof command === 'string' ? shellOf(command) : command,
      // Computed again: rules and directories may have changed while a person was asked.
      visibility: this.#view.outside(client),
      client,
      readOnlyNames: this.#readOnlyNames(),
      cwd: this.#directory(options.cwd ?? '.'),
      env: this.#env(options, network),
      network,
      admission: admitted,
    }
  }

  #env(options: StartOptions, network: AdmittedCommand['network']): Record<string, string> {
    const { id: session, layout, state } = this.deps
    const env = commandEnv(options.env ?? {}, { session, root: layout.root, intent: state.intentId })
    // Hosts that policy lists are for loading: nobody was asked about a push to one.
    const isAsked = options.network === true || options.hosts !== undefined
    return network === false || !isAsked ? withoutPush(env) : env
  }

  /** The paths that a command may not read and does not see. */
  closedPaths({ visibility }: AdmittedCommand): RelPath[] {
    return this.#view.closedPaths(this.deps.store.overlay, visibility)
  }

  /**
   * Hosts' settings are read-only in the mount, because a client reloads its hooks while it runs, and refusing the change at the end
   * would be too late. Settings that the scope allows to change stay writable.
   */
  #readOnlyNames(): string[] {
    const { store, policy } = this.deps
    const mayPersist = (path: string): boolean => {
      const type = store.overlay.typeOf(path as RelPath)
      if (type !== 'dir' && type !== 'file') return false
      const decision = policy.decide({ effect: type === 'dir' ? 'mkdir' : 'put', path, asked: path })
      return decision.verdict === 'deny' && decision.denial.reason === 'protected_path'
    }
    const settings = HOST_SETTINGS.filter(mayPersist)
    return settings.length === 0 ? [] : [...settings, ...HOOK_PACKAGES.filter(mayPersist)]
  }

  #directory(path: string): string {
    const { root } = this.deps.layout
    const place = this.deps.view.within(() => this.deps.view.at(path, 'follow'))
    if (!place.inside || place.type !== 'dir')
      throw new EscrowError(
        'nothing_selected',
        `${path} is not a directory of the workspace, so a command cannot start there.`,
      )
    return place.path === ROOT ? root : `${root}/${place.path}`
  }
}
