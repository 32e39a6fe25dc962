import { digest, type FileState, type StagedChange } from '../../overlay/index.js'
import type { Mutation } from '../core/mutation.js'
import type { Risk } from '../core/risk-api.js'
import { type Changed, type FileFindings, factsOf, riskOf, type Side } from '../risk/index.js'
import { beforeOf } from './change-view.js'
import type { StoredFindings } from './findings-cache.js'
import type { StageStore } from './store.js'

/**
 * Finds the risks of the staged changes, for a reviewer who asks. The findings of a file are kept as long as both of
 * its contents stay, so that a second look reads only the changes since the first.
 * @param stored the findings of other processes
 */
export function createRisks(stored: StoredFindings) {
  let cache = new Map<string, FileFindings>()
  return async (
    store: StageStore,
    staged: readonly StagedChange[],
    mutations: ReadonlyMap<StagedChange, Mutation>,
  ): Promise<ReadonlyMap<StagedChange, Risk>> => {
    const now = new Map<string, FileFindings>()
    const changes = staged.map((change) => changedOf(store, change, mutations.get(change)))
    const keys = new Map(changes.map((change, at) => [change, keyOf(staged[at], change)]))
    const known = {
      get: (change: Changed) => cache.get(keys.get(change) ?? ''),
      stored: (change: Changed) => stored.get(keys.get(change) ?? ''),
      set(change: Changed, found: FileFindings) {
        const key = keys.get(change) ?? ''
        now.set(key, found)
        if (cache.get(key) !== found) stored.set(key, found)
      },
    }
    const facts = await factsOf(changes, { known })
    cache = now
    return new Map(staged.map((change) => [change, riskOf(facts.get(change.path) ?? [])]))
  }
}

/** Contents are read only when they are needed, and once. */
function changedOf(store: StageStore, change: StagedChange, mutation: Mutation | undefined): Changed {
  const { path, kind, before, after } = change
  return {
    path,
    kind,
    before: before && sideOf(before, () => beforeOf(store, change)),
    after: after && sideOf(after, () => change.content()),
    mutation,
  }
}

function sideOf({ type, mode }: FileState, read: () => Uint8Array | null): Side {
  let content: Uint8Array | null | undefined
  return {
    type,
    mode,
    get content() {
      if (content === undefined) content = type === 'dir' ? null : read()
      return content
    },
  }
}

/** The cache key of a file: a digest of both states, and of everything else that its findings depend on. */
function keyOf(change: StagedChange | undefined, { mutation }: Changed): string {
  const state = (side: FileState | null | undefined) => side && [side.type, side.digest, side.mode]
  const isRefactoring = mutation?.class === 'AST_REFACTOR'
  return digest(
    JSON.stringify([change?.path, change?.kind, state(change?.before), state(change?.after), isRefactoring]),
  )
}
