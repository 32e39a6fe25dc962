import { join } from 'node:path'
import type { Layout } from '../core/layout.js'
import type { ContextEntry, IntentMemory } from '../intents/index.js'
import { readWhole } from '../os/read.js'
import { type LedgerStore, type Lesson, lessonsIn } from '../trace/index.js'

/** Maximum ledger entries, related files and lessons in an intent's context. */
const MAX_ENTRIES = 10
const MAX_FILES = 20
const MAX_LESSONS = 20
/** Maximum size of them all in bytes, by the estimate below: context costs a model attention. */
const MAX_TOTAL_BYTES = 8 * 1024
/** Estimated size of the tags around one item, in bytes. */
const TAG_BYTES = 60

/**
 * The memory of an intent, most relevant first: its lessons, its newest changes, the files it changed most often, then
 * lessons of other intents. Unreadable parts are left out, so that selecting an intent still works.
 * @param lessonsFile relative to the root
 */
export async function memoryOf(
  layout: Layout,
  ledger: LedgerStore,
  intentId: string,
  lessonsFile?: string,
): Promise<IntentMemory> {
  const { entries, files } = await readChanges(ledger, intentId)
  const lessons = readLessons(layout, lessonsFile).reverse()
  const own = lessons.filter(({ intent }) => intent === intentId)
  const others = lessons.filter(({ intent }) => intent !== intentId)
  let budget = MAX_TOTAL_BYTES
  const takeWhileFits = <T>(items: readonly T[], most: number): T[] => {
    const taken: T[] = []
    for (const item of items.slice(0, most)) {
      const size = TAG_BYTES + Buffer.byteLength(Object.values(item as object).join(''))
      if (size > budget) break
      budget -= size
      taken.push(item)
    }
    return taken
  }
  const ownLessons = takeWhileFits(own, MAX_LESSONS)
  const recent = takeWhileFits(entries.toReversed(), MAX_ENTRIES).reverse()
  const related = takeWhileFits(files, MAX_FILES)
  return {
    entries: recent,
    files: related,
    lessons: [...ownLessons, ...takeWhileFits(others, MAX_LESSONS - ownLessons.length)],
  }
}

interface RelatedFile {
  readonly path: string
  /** The number of the intent's commits that changed it. */
  readonly changes: number
}

/** The intent's changes, oldest first, and their files, most often changed first. */
async function readChanges(ledger: LedgerStore, intentId: string) {
  const entries: ContextEntry[] = []
  const counts = new Map<string, number>()
  try {
    for await (const record of ledger.records()) {
      if (intentOf(record) !== intentId) continue
      const files = Array.isArray(record.files) ? (record.files as unknown[]) : [record]
      for (const file of files) {
        const entry = entryOf(file, record)
        if (entry === undefined) continue
        entries.push(entry)
        const count = (counts.get(entry.file) ?? 0) + 1
        // Of files with equal counts, the last changed comes first.
        counts.delete(entry.file)
        counts.set(entry.file, count)
      }
      if (entries.length > MAX_ENTRIES) entries.splice(0, entries.length - MAX_ENTRIES)
    }
  } catch {
    return { entries: [], files: [] }
  }
  const files: RelatedFile[] = [...counts].map(([path, changes]) => ({ path, changes })).reverse()
  return { entries, files: files.sort((a, b) => b.changes - a.changes) }
}

/** Older ledgers name it `intentId`. */
function intentOf(record: Record<string, unknown>): unknown {
  return record.intent_id ?? record.intentId
}

function entryOf(file: unknown, record: Record<string, unknown>): ContextEntry | undefined {
  if (typeof file !== 'object' || file === null) return undefined
  const { path, relative_path, file: flat, mutation_class, content_hash, ranges } = file as Record<string, unknown>
  const name = path ?? relative_path ?? flat
  const range = Array.isArray(ranges) ? (ranges[0] as Record<string, unknown> | undefined) : undefined
  if (typeof name !== 'string' || typeof record.timestamp !== 'string') return undefined
  const hash = range?.content_hash ?? content_hash
  return {
    file: name,
    timestamp: record.timestamp,
    ...(typeof mutation_class === 'string' && { mutationClass: mutation_class }),
    ...(typeof hash === 'string' && { contentHash: hash }),
  }
}

/** The lessons of the shared file on disk, in order: those that a person committed. */
function readLessons({ root }: Layout, lessonsFile: string | undefined): Lesson[] {
  for (const name of lessonsFile === undefined ? ['CLAUDE.md', 'AGENTS.md'] : [lessonsFile]) {
    try {
      return lessonsIn(readWhole(join(root, name)).toString())
    } catch {
      // Missing, or not a file.
    }
  }
  return []
}
