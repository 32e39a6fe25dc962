import { relative } from 'node:path'
import { isWithin, type JsonValue, type RelPath, ROOT } from '../../overlay/index.js'
import type { ChangeSet, ExecResult, StartOptions } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { type Layout, ORCHESTRATION, PRIVATE_NAMES } from '../core/layout.js'
import type { View } from '../fs/index.js'
import type { HomeHost } from '../hosts/index.js'
import type { PendingFeedback } from '../inbox/index.js'
import { HOOKS_OWN, HOST_SETTINGS, type Policy, secretName } from '../policy/index.js'
import { closedByRules, type LedgerOutbox, type StageStore } from '../stage/index.js'
import { commandEnv, SecretNames, secretsIn, type Visibility, visibilityOf } from '../terminal/index.js'
import type { Admitted, SessionAdmission } from './admission.js'

export interface ExecDeps {
  readonly id: string
  readonly layout: Layout
  readonly store: StageStore
  readonly view: View
  readonly policy: Policy
  /** What has changed since a snapshot, as far as it is wanted. */
  readonly changesSince: (snapshot: string, isWanted?: (path: RelPath) => boolean) => ChangeSet
  /** Brings the stage up to date with commits and reviews of other processes. */
  readonly syncExternal: () => void
  /** Says whether a command may run, and waits for a person where policy asks one. */
  readonly admission: SessionAdmission
  /** Notes refusals that a command tells of. */
  readonly journal: Pick<LedgerOutbox, 'recordReported' | 'recordUnreported'>
  /** What reviewers said. A program in the mount may give it to its model. */
  readonly feedback: PendingFeedback
  /** Records that a command ran. */
  readonly record: (data: { readonly [key: string]: JsonValue }) => Promise<void>
  /** Does work in the tool call under way; in one of its own where there is none, or it is to be a new one. */
  readonly inCall: <T>(work: () => Promise<T>, isNew?: boolean) => Promise<T>
  /** The commit that the repository on disk is at; undefined without one. */
  readonly gitHead: () => string | undefined
  /** The intent the session works under. */
  readonly state: { readonly intentId: string | undefined }
  /** Throws EscrowError `session_busy` once the session is closed. */
  readonly assertOpen: () => void
}

export type CommandLine = string | readonly string[]

/** How a command is to run, as it was admitted. */
export interface AdmittedCommand {
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly network: boolean | readonly string[]
  readonly outlook: Visibility
  /** The client it is, if it is one that is known. */
  readonly client: HomeHost | undefined
  readonly shut: readonly string[]
  /** What the record of it says of its admission. */
  readonly admitted: Admitted
}

/** What the record of a command says of its network. Nothing keeps one on a copy from it. */
export function networkOf({ network }: AdmittedCommand, isolation: ExecResult['isolation']) {
  if (network === true || isolation === 'none') return { network: true }
  return network === false ? { network } : { network: false, hosts: network }
}

/** What may run, and what it may see: asked before each command, whichever way it is started. */
export class ExecTerms {
  readonly #secrets = new SecretNames((name) => secretName(name) !== undefined)

  constructor(private readonly deps: ExecDeps) {}

  /**
   * The one place where a command is let through. Rejects with the reason why not.
   * @param admit in the place of the admission of an agent's commands.
   */
  async admit(
    command: CommandLine,
    options: StartOptions,
    { admit }: { readonly admit?: (() => Promise<Admitted>) | undefined } = {},
  ): Promise<AdmittedCommand> {
    const { client } = options
    this.#outlook(client)
    const cwd = this.#directory(options.cwd ?? '.')
    const within = relative(this.deps.layout.root, cwd)
    const admitted = await (admit?.() ?? this.deps.admission.admit(command, options, within))
    return {
      args: typeof command === 'string' ? shellOf(command) : command,
      // Rules and directories may have changed while a person was asked.
      outlook: this.#outlook(client),
      client,
      shut: this.#shut(),
      cwd: this.#directory(options.cwd ?? '.'),
      env: commandEnv(options.env ?? {}, {
        session: this.deps.id,
        root: this.deps.layout.root,
        intent: this.deps.state.intentId,
      }),
      network: options.network === true || (options.hosts ?? false),
      admitted,
    }
  }

  /** Paths that may not be read: to a command they are not there. */
  closedPaths({ outlook }: AdmittedCommand): RelPath[] {
    const { store, policy, layout } = this.deps
    const ours = PRIVATE_NAMES.map((name) => `${ORCHESTRATION}/${name}` as RelPath)
    const mayRead = (path: RelPath) => policy.decide({ effect: 'read', path, asked: path }).verdict !== 'deny'
    const closed = policy.mayClose()
      ? closedByRules(store.overlay, mayRead)
      : this.#secrets.find(store.overlay).filter((path) => !mayRead(path))
    return [...ours, ...closed, ...secretsIn(layout.root, outlook)]
  }

  /**
   * Clients read their hooks' settings anew while they run, from what the command sees: there it is too late to refuse a change
   * at the end. What the scope opens stays open.
   */
  #shut(): string[] {
    const { store, policy } = this.deps
    const mayPersist = (path: string): boolean => {
      const type = store.overlay.typeOf(path as RelPath)
      if (type !== 'dir' && type !== 'file') return false
      const decision = policy.decide({ effect: type === 'dir' ? 'mkdir' : 'put', path, asked: path })
      return decision.verdict === 'deny' && decision.denial.reason === 'protected_path'
    }
    const settings = HOST_SETTINGS.filter(mayPersist)
    return settings.length === 0 ? [] : [...settings, ...HOOKS_OWN.filter(mayPersist)]
  }

  /** What a command may see outside of the workspace. Inside of it paths are told apart one by one. */
  #outlook(client: HomeHost | undefined): Visibility {
    const { policy, layout } = this.deps
    const rules = policy.outside()
    if (!rules)
      throw new EscrowError('policy_invalid', 'No command runs while .orchestration/policy.yaml is not valid.')
    const beyond = rules.filter(({ path }) => !isWithin(path, layout.root))
    const outlook = visibilityOf(
      beyond.map(({ path, word }) => ({ path, isClosed: word === 'deny' || word === 'hidden' })),
      client,
    )
    if (typeof outlook !== 'string') return outlook
    throw new EscrowError('access_denied', `Policy closes ${outlook} to agents, and no command runs without it.`, {
      hint: 'Rules below `outside` that name places more closely leave commands what they need.',
    })
  }

  #directory(path: string): string {
    const { root } = this.deps.layout
    const place = this.deps.view.within(() => this.deps.view.at(path, 'follow'))
    if (!place.inside || place.type !== 'dir')
      throw new EscrowError(
        'nothing_selected',
        `${path} is no directory of the workspace: a command cannot start there.`,
      )
    return place.path === ROOT ? root : `${root}/${place.path}`
  }
}

function shellOf(command: string): string[] {
  if (process.platform === 'win32') return [process.env.ComSpec ?? 'cmd.exe', '/d', '/s', '/c', command]
  return ['/bin/sh', '-c', command]
}
