import {
  bytesBefore,
  diffVersions,
  type Mark,
  Overlay,
  type RelPath,
  Stage,
  type StagedChange,
  type Version,
} from '../../overlay/index.js'
import type { ChangeSet, ChangesOf, Snapshot, Travelled } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import type { ToolContext } from '../core/tool-context.js'
import { withFrozenStamps } from '../os/cached-file.js'
import type { Policy } from '../policy/index.js'
import { amendmentState, BaseDiffs, type ReviewRecord, toChangeSet, verdictState } from '../review/index.js'
import { flagsOf, type StageStore, snapshotsOf, toSnapshot } from '../stage/index.js'

/** The snapshots that a session's agent can list, read and travel to. */
export class SessionSnapshots {
  constructor(
    private readonly store: StageStore,
    private readonly policy: Policy,
  ) {}

  take(name?: string): Snapshot {
    return toSnapshot(this.store.createSnapshot(name === undefined ? {} : { name }))
  }

  list(): Snapshot[] {
    return snapshotsOf(this.store)
  }

  /** @throws EscrowError `nothing_selected`, or the reason for which a read of the file is denied */
  read(id: string, path: RelPath): Buffer {
    const { version } = this.#find(id)
    const isOutside = path.startsWith('/') || path === '..' || path.startsWith('../')
    const decision = this.policy.decide({ effect: 'read', path, asked: path })
    const overlay = this.#overlayOf(Stage.of(version))
    if (decision.verdict === 'deny' && decision.denial.reason !== 'hidden') throw apiErrorOf(decision.denial)
    if (isOutside || decision.verdict === 'deny' || overlay.typeOf(path) !== 'file')
      throw new EscrowError('nothing_selected', `${path} is not a file in the snapshot ${id}.`)
    return Buffer.from(overlay.read(path))
  }

  drop(id: string): void {
    this.store.deleteSnapshot(this.#find(id))
  }

  /** Takes the snapshot before a tool call. The caller calls `endCall` when the call has ended. */
  beforeCall({ callId, tool }: ToolContext): { readonly id: string; endCall(): void } {
    const mark = this.store.createSnapshot({ before: callId, tool })
    return { id: mark.id, endCall: () => this.store.endCall(mark) }
  }

  travel(id: string, reviews: readonly ReviewRecord[]): Travelled {
    const { left, kept } = this.store.travel(this.#find(id), reviews)
    return { left: toSnapshot(left), kept }
  }

  /** The changes since a snapshot, or by one tool call, at the wanted paths. */
  changes(of: ChangesOf, isWanted: (path: RelPath) => boolean = () => true): ChangeSet {
    const [from, to] = 'since' in of ? [this.#find(of.since).version, undefined] : this.#spanOf(of.call)
    const before = this.#overlayOf(Stage.of(from))
    const after = to === undefined ? this.store.overlay : this.#overlayOf(Stage.of(to))
    // Other calls may have run at the same time; their changes are left out.
    const isMine = ({ path, calls }: StagedChange) => isWanted(path) && ('since' in of || calls.includes(of.call))
    const views = {
      diffs: new BaseDiffs({ before: (change) => bytesBefore(before, change) }),
      flags: (change: StagedChange) => flagsOf(this.policy, this.store, change),
      verdicts: verdictState([]),
      amendments: amendmentState([]),
    }
    return withFrozenStamps(() => toChangeSet(diffVersions(before, after).filter(isMine), views))
  }

  /** The stage before and after a call. After a crash in the call, the snapshot before the next one is its end. */
  #spanOf(call: string): readonly [Version, Version | undefined] {
    const marks = this.#snapshots.list()
    const at = marks.findLastIndex((mark) => mark.call === call)
    const mark = marks[at]
    if (!mark) throw noSuchSnapshot(`There is no tool call ${call} in this session.`)
    return [mark.version, this.#snapshots.endOf(mark.id) ?? marks[at + 1]?.version]
  }

  #find(id: string): Mark {
    const mark = this.#snapshots.get(id)
    if (!mark) throw noSuchSnapshot(`There is no snapshot ${id} in this session.`)
    return mark
  }

  get #snapshots() {
    return this.store.overlay.stage.snapshots
  }

  #overlayOf(stage: Stage): Overlay {
    return new Overlay({ lower: this.store.overlay.lower, stage })
  }
}

function noSuchSnapshot(message: string): EscrowError {
  return new EscrowError('nothing_selected', message, {
    hint: "'escrow snapshots' lists them, each with the tool call that it precedes.",
  })
}
