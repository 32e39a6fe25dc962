import { join } from 'node:path'
import type { Layout } from '../core/layout.js'
import type { ContextEntry, IntentMemory } from '../intents/index.js'
import { readWhole } from '../os/read.js'
import { type Fold, type LedgerStore, type Lesson, lessonsIn } from '../trace/index.js'

/** Maximum ledger entries, related files and lessons in an intent's context. */
const MAX_ENTRIES = 10
const MAX_FILES = 20
const MAX_LESSONS = 20
/** Maximum size of them all in bytes, by the estimate below: context costs a model attention. */
const MAX_TOTAL_BYTES = 8 * 1024
/** Estimated size of the tags around one item, in bytes. */
const TAG_BYTES = 60

/** Reads the memory of earlier work on an intent. */
export interface IntentMemories {
  /**
   * The memory of an intent, most relevant first: its lessons, its newest changes, the files it changed most often, then
   * lessons of other intents. Unreadable parts are left out, so that selecting an intent still works.
   * @param lessonsFile relative to the root
   */
  of(intentId: string, lessonsFile?: string): IntentMemory
}

export function openMemories(layout: Layout, ledger: Pick<LedgerStore, 'fold'>): IntentMemories {
  const changesBy = new Map<string, () => Changes>()
  return {
    of(intentId, lessonsFile) {
      const changes = changesBy.get(intentId) ?? ledger.fold(changesOf(intentId))
      changesBy.set(intentId, changes)
      return memoryFrom(readChanges(changes), readLessons(layout, lessonsFile).reverse(), intentId)
    },
  }
}

function memoryFrom(
  { entries, files }: { readonly entries: readonly ContextEntry[]; readonly files: readonly RelatedFile[] },
  lessons: readonly Lesson[],
  intentId: string,
): IntentMemory {
  const ofIntent = lessons.filter(({ intent }) => intent === intentId)
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
  const ownLessons = takeWhileFits(ofIntent, MAX_LESSONS)
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
  /** The number of the intent's commits that changed the file. */
  readonly changes: number
}

interface Changes {
  /** The newest ones, oldest first. */
  readonly entries: ContextEntry[]
  /** The number of changes by path, the last changed path last. */
  readonly counts: Map<string, number>
}

function changesOf(intentId: string): Fold<Changes> {
  return {
    words: [JSON.stringify(intentId)],
    initial: () => ({ entries: [], counts: new Map() }),
    add({ entries, counts }, record) {
      if (intentOf(record) !== intentId) return
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
    },
  }
}

/**
 * The intent's changes, oldest first, and their files, most often changed first. Both are empty if the ledger is
 * damaged.
 */
function readChanges(changes: () => Changes) {
  try {
    const { entries, counts } = changes()
    const files: RelatedFile[] = [...counts].map(([path, count]) => ({ path, changes: count })).reverse()
    return { entries, files: files.sort((a, b) => b.changes - a.changes) }
  } catch {
    return { entries: [], files: [] }
  }
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
