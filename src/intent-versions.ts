import type { Intent, IntentRegistry, IntentVersion, Reviewer, TraceRecord } from './core/api.js'
import { gitUser } from './host/git.js'
import type { RegistryStore } from './intents/index.js'
import { isObject, type LedgerStore, newDraft, ownOf } from './trace/index.js'

/** The registry as people use it: each change they make of an intent is a record of the ledger, and can be listed. */
export function recordedRegistry(registry: RegistryStore, ledger: LedgerStore, root: string): IntentRegistry {
  async function recorded(id: string, by: Reviewer | undefined, why: string | undefined, edit: () => Promise<Intent>) {
    const before = await registry.get(id)
    const after = await edit()
    const change = before && changeOf(before, after)
    if (change) {
      const reviewer = by ?? gitUser(root)
      const words = why === undefined ? {} : { words: why }
      await ledger.append([
        newDraft({ type: 'scope_changed', intent: id, session: null, reviewer, ...words, data: { change } }),
      ])
    }
    return after
  }
  return {
    list: () => registry.list(),
    get: (id) => registry.get(id),
    select: (id, by, why) => recorded(id, by, why, () => registry.select(id, by)),
    complete: (id, by, why) => recorded(id, by, why, () => registry.complete(id, by)),
    expandScope: (id, globs, by, why) => recorded(id, by, why, () => registry.expandScope(id, globs, by)),
    async history(id) {
      const versions: IntentVersion[] = []
      for await (const record of ledger.records()) {
        const version = versionIn(record, id)
        if (version) versions.push(version)
      }
      return versions
    },
  }
}

type Change = { status?: { from: string; to: string }; scope?: { added: string[] } }

function changeOf(before: Intent, after: Intent): Change | undefined {
  const added = after.ownedScope.filter((glob) => !before.ownedScope.includes(glob))
  const change: Change = {
    ...(before.status !== after.status && { status: { from: before.status, to: after.status } }),
    ...(added.length > 0 && { scope: { added } }),
  }
  return Object.keys(change).length === 0 ? undefined : change
}

/** A record that changed the intent: a person's edit, an accepted request for scope, or a first selection. */
function versionIn(record: TraceRecord, id: string): IntentVersion | undefined {
  const own = ownOf(record)
  if (own === undefined || own.intent !== id || !isObject(own.change)) return undefined
  const { status, scope } = own.change
  const reviewer = isObject(own.reviewer) ? own.reviewer : {}
  return {
    at: String(record.timestamp),
    ...(isObject(status) && { status: { from: String(status.from), to: String(status.to) } }),
    ...(isObject(scope) && Array.isArray(scope.added) && { added: scope.added.map(String) }),
    ...(typeof reviewer.name === 'string' && { by: reviewer.name }),
    ...(typeof record.session_id === 'string' && { session: record.session_id }),
    ...(typeof own.words === 'string' && { why: own.words }),
  }
}
