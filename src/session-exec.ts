import { lstatSync } from 'node:fs'
import { relative } from 'node:path'
import { ancestorsOf, isWithin, type JsonValue, type Overlay, type RelPath, ROOT } from '../overlay/index.js'
import type { ChangeSet, ExecOptions, ExecResult } from './core/api.js'
import { EscrowError } from './core/api-error.js'
import { type Layout, ORCHESTRATION, PRIVATE_NAMES } from './core/layout.js'
import { closedByRules } from './exec-closed.js'
import type { View } from './fs/view.js'
import { createFile } from './host/write.js'
import { gitIgnored, type Policy, secretName } from './policy/index.js'
import type { Admitted, SessionAdmission } from './session-admission.js'
import type { StageStore } from './stage-store.js'
import {
  bringUp,
  type CommandEnd,
  clearAway,
  commandEnv,
  type Effect,
  effectsIn,
  Holder,
  landEffects,
  Mirror,
  type Outlook,
  outlookBy,
  probe,
  quarantine,
  type RefusedEffect,
  runContained,
  SecretNames,
  seccompFilter,
  secretsIn,
  summaryOf,
} from './terminal/index.js'

export interface ExecDeps {
  readonly id: string
  readonly layout: Layout
  readonly store: StageStore
  readonly view: View
  readonly policy: Policy
  /** What has changed since a snapshot. */
  readonly changesSince: (snapshot: string) => ChangeSet
  /** Takes in what was committed and reviewed meanwhile. */
  readonly takeIn: () => void
  /** Says whether a command may run, and waits for a person where policy asks one. */
  readonly admission: SessionAdmission
  /** Records that a command ran. */
  readonly record: (data: { readonly [key: string]: JsonValue }) => Promise<void>
}

/** A command of our own making. */
export interface OwnRun {
  /** In the place of the admission of an agent's commands. */
  readonly admit?: () => Promise<Admitted>
  /** Of what it did, what is staged; the rest is let go. */
  readonly lands?: (effect: Effect, end: CommandEnd) => boolean
}

/** Bytes all commands of a session may have written and not staged. */
const LAYER_BYTES = 4 * 2 ** 30
/** Processes of one command. */
const PROCESSES = 1024

/** A holder, with what its layer mirrors. */
interface Ground {
  readonly holder: Holder
  readonly mirror: Mirror
}

/** The commands of a session: each sees the stage, and what it did is taken into the stage when it is over. */
export class SessionExec {
  #ground: Promise<Ground> | undefined
  #turn: Promise<unknown> = Promise.resolve()
  readonly #secrets = new SecretNames((name) => secretName(name) !== undefined)
  /** What was told of before as kept. */
  #kept: ReadonlySet<RelPath> = new Set()
  /** Directories that stayed in the layer for what is kept in them. */
  #left: readonly RelPath[] = []
  #isClosed = false

  constructor(private readonly deps: ExecDeps) {}

  run(command: string | readonly string[], options: ExecOptions, own: OwnRun = {}): Promise<ExecResult> {
    // One that waits still gets its turn: whoever closes waits for it. A later one would open layers nobody takes down.
    if (this.#isClosed) return Promise.reject(new EscrowError('session_busy', 'The session is being closed.'))
    const turn = this.#turn.then(() => this.#run(command, options, own))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  /** Waits for the command under way, then takes the layers down. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.deps.admission.close()
    await this.#turn
    await this.#drop()
  }

  async #run(command: string | readonly string[], options: ExecOptions, own: OwnRun): Promise<ExecResult> {
    const { store, layout } = this.deps
    const outlook = this.#outlook()
    const cwd = this.#directory(options.cwd ?? '.')
    const admit = own.admit ?? (() => this.deps.admission.admit(command, options, relative(layout.root, cwd)))
    const admitted = await admit()
    const { holder, mirror } = await this.#grounds()
    this.deps.takeIn()
    const closed = [...this.#closed(), ...secretsIn(layout.root, outlook)]
    const before = store.mark({})
    const seen = editsSince(store.overlay)
    let isSound = false
    try {
      mirror.seed(store.overlay, closed)
      bringUp(this.#left, store.overlay, holder.places.written)
      const end = await runContained(holder, layout.root, {
        args: typeof command === 'string' ? ['/bin/sh', '-c', command] : command,
        cwd,
        env: commandEnv(options.env ?? {}, this.deps.id),
        network: options.network === true,
        timeout: options.timeout,
        stdin: options.stdin,
        signal: options.signal,
        onOutput: options.onOutput,
        processes: PROCESSES,
        outlook,
      })
      seen.end()
      this.deps.takeIn()
      const { refused, kept } = end.began
        ? this.#land(holder, new Set(closed), seen.touched, (effect) => own.lands?.(effect, end) !== false)
        : { refused: [], kept: [] }
      isSound = true
      const effects = this.deps.changesSince(before.id)
      return await this.#told(command, options, end, { effects, refused, kept, admitted })
    } finally {
      seen.end()
      store.unmark(before)
      // Layers with something of this command's in them would tell the next one's effects wrong.
      if (!isSound) await this.#drop()
    }
  }

  /** Takes the layers down: the next command begins with new ones. */
  async #drop(): Promise<void> {
    const ground = await this.#ground?.catch(() => undefined)
    this.#ground = undefined
    this.#kept = new Set()
    this.#left = []
    await ground?.holder.close()
  }

  /** Paths that may not be read: to a command they are not there. */
  #closed(): RelPath[] {
    const { store, policy } = this.deps
    const ours = PRIVATE_NAMES.map((name) => `${ORCHESTRATION}/${name}` as RelPath)
    const mayRead = (path: RelPath) => policy.decide({ effect: 'read', path, asked: path }).verdict !== 'deny'
    if (policy.mayClose()) return [...ours, ...closedByRules(store.overlay, mayRead)]
    return [...ours, ...this.#secrets.find(store.overlay).filter((path) => !mayRead(path))]
  }

  /** What a command may see outside of the workspace. Inside of it paths are told apart one by one. */
  #outlook(): Outlook {
    const { policy, layout } = this.deps
    const rules = policy.outside()
    if (!rules)
      throw new EscrowError('policy_invalid', 'No command runs while .orchestration/policy.yaml is not valid.')
    const beyond = rules.filter(({ path }) => !isWithin(path, layout.root))
    const outlook = outlookBy(
      beyond.map(({ path, word }) => ({ path, isClosed: word === 'deny' || word === 'hidden' })),
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

  #grounds(): Promise<Ground> {
    this.#ground ??= this.#makeGround()
    return this.#ground.then(
      (ground) => {
        if (ground.holder.isAlive) return ground
        this.#ground = this.#makeGround()
        return this.#ground
      },
      (error) => {
        this.#ground = undefined
        throw error
      },
    )
  }

  async #makeGround(): Promise<Ground> {
    const lacking = (await probe()).find(({ ok }) => !ok)
    if (lacking)
      throw new EscrowError('unsupported', `Commands cannot be contained here (${lacking.name}): ${lacking.problem}`, {
        ...(lacking.mend !== undefined && { hint: `To mend it: ${lacking.mend}` }),
      })
    const holder = await Holder.open(this.deps.layout.root, LAYER_BYTES)
    createFile(holder.places.filter, seccompFilter(), 0o600, false)
    return { holder, mirror: new Mirror(holder.places.staged, holder.places.whiteout) }
  }

  #land(
    holder: Holder,
    closed: ReadonlySet<RelPath>,
    touched: ReadonlySet<string>,
    lands: (effect: Effect) => boolean,
  ) {
    const { store, view, layout } = this.deps
    const { overlay } = store
    const { places } = holder
    const isIgnored = gitIgnored((path) => textIn(overlay, path as RelPath))
    const { effects, kept } = effectsIn({
      written: places.written,
      merged: places.merged,
      overlay,
      closed,
      // A file that is there already may be in the repository all the same.
      isKept: (path, isDirectory) =>
        (isDirectory || overlay.typeOf(path) !== 'file') &&
        isIgnored(path, isDirectory || overlay.typeOf(path) === 'dir'),
    })
    const mounted = lstatSync(places.stamp, { bigint: true }).ctimeNs
    const refused = landEffects(effects.filter(lands), {
      layer: view.layer,
      overlay,
      within: (work) => view.within(work),
      isClosed: (path) => wayTo(path).some((way) => closed.has(way)),
      isStale: (path) =>
        wayTo(path).some((way) => touched.has(way)) ||
        (!overlay.stage.bases.has(path) && changedSince(overlay, path, mounted)),
    })
    quarantine(layout.session(this.deps.id).quarantine, refused)
    this.#left = clearAway(effects, places.written)
    const fresh = kept.filter((path) => !this.#kept.has(path))
    this.#kept = new Set(kept)
    return { refused, kept: fresh }
  }

  async #told(
    command: string | readonly string[],
    options: ExecOptions,
    end: CommandEnd,
    done: { effects: ChangeSet; refused: RefusedEffect[]; kept: RelPath[]; admitted: Admitted },
  ): Promise<ExecResult> {
    const { effects, refused, kept, admitted } = done
    const refusals = refused.map(({ path, reason, message }) => ({ path, reason, message }))
    const network = options.network === true
    const told = { command, ...admitted, exit_code: end.exitCode, ...(end.ended && { ended: end.ended }), network }
    const paths = effects.changes.map(({ path }) => path)
    await this.deps.record({ ...told, isolation: 'sandbox', effects: paths, refused: refusals, kept })
    const { exitCode, stdout, stderr, truncated, ended } = end
    return {
      ...{ exitCode, stdout, stderr, effects, refused: refusals, kept },
      ...(truncated && { truncated }),
      ...(ended && { ended }),
      summary: summaryOf(effects, refused, kept),
    }
  }
}

/** A path and the directories on the way to it. */
function wayTo(path: RelPath): RelPath[] {
  return [path, ...ancestorsOf(path)]
}

/** What the stage is told meanwhile by others than the command. */
function editsSince({ stage }: Overlay): { readonly touched: ReadonlySet<string>; end(): void } {
  const touched = new Set<string>()
  const end = stage.onEdit((edit) => {
    if ('path' in edit) touched.add(edit.path)
    if ('from' in edit) touched.add(edit.from).add(edit.to)
  })
  return { touched, end }
}

/** Whether the disk's own file came, or was changed, after a moment. */
function changedSince(overlay: Overlay, path: RelPath, moment: bigint): boolean {
  const { lower } = overlay.placeOf(path)
  const stats = lower === undefined ? undefined : overlay.lower.lstatBig(lower)
  return stats !== undefined && !stats.isDirectory() && stats.ctimeNs >= moment
}

function textIn(overlay: Overlay, path: RelPath): string | undefined {
  return overlay.typeOf(path) === 'file' ? overlay.read(path).toString('utf8') : undefined
}
