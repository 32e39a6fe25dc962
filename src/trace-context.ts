import type { ContextEntry } from './intents/index.js'
import type { LedgerStore } from './trace/index.js'

/** How many ledger entries an intent's context shows: the newest. */
const SHOWN = 10

/** The newest file changes committed for an intent. A ledger that cannot be read shows none: selecting still works. */
export async function tracesOf(ledger: LedgerStore, intentId: string): Promise<ContextEntry[]> {
  const entries: ContextEntry[] = []
  try {
    for await (const record of ledger.records()) {
      if (intentOf(record) !== intentId || !Array.isArray(record.files)) continue
      for (const file of record.files as unknown[]) {
        const entry = entryOf(file, record)
        if (entry) entries.push(entry)
      }
      if (entries.length > SHOWN) entries.splice(0, entries.length - SHOWN)
    }
  } catch {
    return []
  }
  return entries
}

/** Older ledgers spell it `intentId`. */
function intentOf(record: Record<string, unknown>): unknown {
  return record.intent_id ?? record.intentId
}

function entryOf(file: unknown, record: Record<string, unknown>): ContextEntry | undefined {
  if (typeof file !== 'object' || file === null) return undefined
  const { path, relative_path, mutation_class, ranges } = file as Record<string, unknown>
  const name = path ?? relative_path
  const range = Array.isArray(ranges) ? (ranges[0] as Record<string, unknown> | undefined) : undefined
  if (typeof name !== 'string' || typeof record.timestamp !== 'string') return undefined
  const hash = range?.content_hash
  return {
    file: name,
    timestamp: record.timestamp,
    ...(typeof mutation_class === 'string' && { mutationClass: mutation_class }),
    ...(typeof hash === 'string' && { contentHash: hash }),
  }
}
