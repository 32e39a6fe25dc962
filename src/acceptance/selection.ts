import { diffStage, type StagedChange } from '../../overlay/index.js'
import { type CommitEntry, entriesFor } from '../commit/index.js'
import type { CheckedSelection } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { changedOnDisk } from '../core/changed-on-disk.js'
import { BY_MERGE } from '../core/hint-commands.js'
import { BaseDiffs, commitSlicesOf, type ReviewLog, splitsIn, verdictState } from '../review/index.js'
import { beforeOf, type StageStore } from '../stage/index.js'

/** The staged changes that checks see, as a commit would write them. */
export interface SelectedChanges {
  readonly selection: CheckedSelection
  readonly changes: readonly StagedChange[]
  readonly entries: readonly CommitEntry[]
}

/** Selects what a commit would write now, or everything that is staged; by default the second where nothing is approved. */
export function selectChanges(store: StageStore, log: ReviewLog, wanted?: CheckedSelection): SelectedChanges {
  const diff = diffStage(store.overlay)
  const records = log.read()
  const diffs = new BaseDiffs({ before: (change) => beforeOf(store, change) }, () => splitsIn(records))
  const approved =
    wanted === 'all' ? [] : commitSlicesOf(diff.changes, verdictState(records), diffs).map(({ change }) => change)
  const selection = wanted ?? (approved.length > 0 ? 'approved' : 'all')
  const changes = selection === 'approved' ? approved : diff.changes
  return { selection, changes, entries: entriesFor(changes, diff) }
}

/** @throws EscrowError `nothing_selected` for an empty selection; `stale_file` for a change whose base is no longer on disk. */
export function assertCheckable({ selection, changes }: SelectedChanges): void {
  if (changes.length === 0)
    throw new EscrowError('nothing_selected', `There is nothing to check: no change is ${WORDS[selection]}.`)
  const drifted = changes.filter((change) => change.drifted)
  if (drifted.length === 0) return
  throw new EscrowError('stale_file', `Nothing was checked. Selected paths that changed on disk: ${drifted.length}.`, {
    refused: drifted.map(({ path }) => ({ path, reason: 'stale_file', message: changedOnDisk(path) })),
    hint: `They cannot be committed as they are. Merge them ${BY_MERGE}, then check again.`,
  })
}

const WORDS = { approved: 'approved', all: 'staged' } as const
