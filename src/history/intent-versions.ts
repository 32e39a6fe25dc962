import { isDeepStrictEqual } from 'node:util'
import { requireOutsideSession } from '../access/index.js'
import type { Intent, IntentRegistry, IntentVersion, TraceRecord } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { IntentsState } from '../core/intents-state.js'
import { checkedReviewer, type Reviewer } from '../core/people.js'
import type { RegistryEdits, RegistryStore } from '../intents/index.js'
import { gitUser } from '../os/git.js'
import { type DataOf, type Fold, type LedgerStore, newDraft, ownRecordOf } from '../trace/index.js'

/** The change of an intent in a record, and its status and scope afterwards. */
export type VersionData = Pick<DataOf<'scope_changed'>, 'now' | 'change'>

/**
 * The registry with a history: each change of an intent's status or scope is a ledger record. An edit and its record
 * are made together, so any difference from the last record is an edit by hand.
 */
export interface IntentVersions {
  /** Records edits by hand. Costs one comparison while the file is unchanged. */
  recordManualEdits(): Promise<void>
  /**
   * Edits one intent. `record` gets the data for the ledger, which has no `change` if nothing changed. The record is in
   * the ledger before any other process can read the edit.
   */
  edit(
    applyEdit: (edits: RegistryEdits) => Intent,
    record: (intent: Intent, data: VersionData, changed: boolean) => Promise<void>,
  ): Promise<Intent>
  /** Runs one edit of the whole file, and records each change with `by` as its reviewer. */
  rewrite(make: (edits: RegistryEdits) => void, by: Reviewer, why: string | undefined): Promise<void>
}

export function openVersions(registry: RegistryStore, ledger: LedgerStore): IntentVersions {
  let lastRecorded: IntentsState | undefined
  const readLastStates = ledger.fold(LAST_STATES)

  /** Requires the lock that keeps other edits out. */
  async function recordDifferences(state: IntentsState): Promise<void> {
    const drafts = findDifferences(readLastStates(), state).map(({ id, data }) =>
      newDraft({ type: 'scope_changed', intent: id, session: null, data: { ...data, by_hand: true } }),
    )
    if (drafts.length > 0) await ledger.append(drafts)
  }

  return {
    async recordManualEdits() {
      const state = registry.state()
      if (state === lastRecorded || !state.ok) return
      if (findDifferences(readLastStates(), state).length > 0)
        await registry.withEdits((edits) => recordDifferences(edits.state()))
      lastRecorded = state
    },
    edit: (make, record) =>
      registry.withEdits(async (edits) => {
        await recordDifferences(edits.state())
        const before = intentsOf(edits.state())
        const after = make(edits)
        const change = diffIntents(before.get(after.id), after)
        const data = { now: stateOf(after), ...(change && { change }) }
        await record(after, data, change !== undefined)
        return after
      }),
    rewrite: (make, by, why) =>
      registry.withEdits(async (edits) => {
        await recordDifferences(edits.state())
        const state = edits.state()
        // The last content of a broken file is known only by the ledger.
        const before = state.ok
          ? new Map([...state.intents].map(([id, intent]) => [id, stateOf(intent)] as const))
          : undefined
        make(edits)
        const drafts = findDifferences(before ?? readLastStates(), edits.state(), before !== undefined).map(
          ({ id, data }) =>
            newDraft({ type: 'scope_changed', intent: id, session: null, reviewer: by, ...reasonFields(why), data }),
        )
        if (drafts.length > 0) await ledger.append(drafts)
      }),
  }
}

/** The registry in its public form. */
export function recordedRegistry(
  registry: RegistryStore,
  versions: IntentVersions,
  ledger: LedgerStore,
  root: string,
): IntentRegistry {
  const personOf = (by: Reviewer | undefined) => checkedReviewer(by ?? gitUser(root))
  async function recordVersion(
    make: (edits: RegistryEdits) => Intent,
    by: Reviewer | undefined,
    why: string | undefined,
  ): Promise<Intent> {
    const reviewer = personOf(by)
    return versions.edit(make, async ({ id }, data, changed) => {
      if (!changed) return
      await ledger.append([
        newDraft({ type: 'scope_changed', intent: id, session: null, reviewer, ...reasonFields(why), data }),
      ])
    })
  }
  return {
    list: () => registry.list(),
    get: (id) => registry.get(id),
    active: () => registry.active(),
    templates: async () => registry.templates(),
    select: requireOutsideSession((id, by, why) => recordVersion((edits) => edits.select(id), by, why)),
    deselect: requireOutsideSession((by, why) => versions.rewrite((edits) => edits.deselect(), personOf(by), why)),
    complete: requireOutsideSession((id, by, why) => recordVersion((edits) => edits.complete(id), by, why)),
    expandScope: requireOutsideSession((id, globs, by, why) =>
      recordVersion((edits) => edits.change(id, { addScope: globs }), by, why),
    ),
    edit: requireOutsideSession((id, changes, by, why) => recordVersion((edits) => edits.change(id, changes), by, why)),
    add: requireOutsideSession((intent, by, why) => recordVersion((edits) => edits.add(intent), by, why)),
    editFile: requireOutsideSession(async (edit, by, why) => {
      const reviewer = personOf(by)
      const was = registry.text()
      const text = await edit(was)
      if (text !== was) await versions.rewrite((edits) => edits.replaceText(was, text), reviewer, why)
      return registry.list()
    }),
    async history(id) {
      await versions.recordManualEdits()
      const found: IntentVersion[] = []
      for await (const record of ledger.records()) {
        const version = versionIn(record, id)
        if (version) found.push(version)
      }
      return found
    },
  }
}

const reasonFields = (why: string | undefined) => (why === undefined ? {} : { words: why })

// ---- the state in the ledger

type IntentState = { readonly status: string; readonly scope: readonly string[] }
/** The types of records with the state of an intent. */
const VERSION_TYPES = ['scope_changed', 'intent_selected'] as const

type LedgerStates = ReadonlyMap<string, IntentState | undefined>
type Change = {
  readonly created?: true
  readonly deleted?: true
  readonly status?: { readonly from: string; readonly to: string }
  readonly scope?: { readonly added: readonly string[]; readonly removed: readonly string[] }
}

function stateOf({ status, ownedScope }: Intent): IntentState {
  return { status, scope: [...ownedScope] }
}

function intentsOf(state: IntentsState): ReadonlyMap<string, Intent> {
  return state.ok ? state.intents : new Map()
}

/** Each intent's state by its last ledger record; undefined for a deleted one. */
const LAST_STATES: Fold<Map<string, IntentState | undefined>> = {
  words: VERSION_TYPES,
  initial: () => new Map(),
  add(known, record) {
    const own = ownRecordOf(record, ...VERSION_TYPES)
    if (own === undefined || typeof own.intent !== 'string') return
    if (own.change?.deleted) known.set(own.intent, undefined)
    else if (own.now !== undefined) known.set(own.intent, own.now)
  },
}

/**
 * The differences of a file from the known state. An intent without any record has no versions yet.
 * @param all whether `known` is complete, so that other intents are new
 */
function findDifferences(known: LedgerStates, state: IntentsState, all = false): { id: string; data: VersionData }[] {
  if (!state.ok) return []
  const intents = intentsOf(state)
  const changed = [...intents.values()].flatMap((intent) => {
    const was = known.get(intent.id)
    if (was === undefined && !all && !known.has(intent.id)) return []
    const change = diffStates(was, stateOf(intent))
    return change ? [{ id: intent.id, data: { now: stateOf(intent), change } }] : []
  })
  const deleted = [...known].filter(([id, was]) => was !== undefined && !intents.has(id))
  return [...changed, ...deleted.map(([id]) => ({ id, data: { change: { deleted: true as const } } }))]
}

function diffIntents(before: Intent | undefined, after: Intent): Change | undefined {
  return diffStates(before && stateOf(before), stateOf(after))
}

function diffStates(before: IntentState | undefined, after: IntentState): Change | undefined {
  if (!before) return { created: true, scope: { added: after.scope, removed: [] } }
  if (isDeepStrictEqual(before, after)) return undefined
  const added = after.scope.filter((glob) => !before.scope.includes(glob))
  const removed = before.scope.filter((glob) => !after.scope.includes(glob))
  return {
    ...(before.status !== after.status && { status: { from: before.status, to: after.status } }),
    ...(!isDeepStrictEqual(before.scope, after.scope) && { scope: { added, removed } }),
  }
}

/** A record that changed the intent: a person's edit, an accepted request for scope, or a first selection. */
function versionIn(record: TraceRecord, id: string): IntentVersion | undefined {
  const own = ownRecordOf(record, ...VERSION_TYPES)
  if (own?.intent !== id || own.change === undefined) return undefined
  const { status, scope, created, deleted } = own.change
  const { added = [], removed = [] } = scope ?? {}
  return {
    at: String(record.timestamp),
    ...(added.length > 0 && { added: [...added] }),
    ...(removed.length > 0 && { removed: [...removed] }),
    ...(own.type === 'scope_changed' && own.by_hand === true && { byHand: true as const }),
    ...(typeof record.session_id === 'string' && { session: record.session_id }),
    ...defined({ created, deleted, status, by: own.reviewer?.name, why: own.words }),
  }
}
