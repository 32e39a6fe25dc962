import { existsSync, realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { isWithin, type StagedChange } from '../../overlay/index.js'
import type { BlameLine, Intent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { IntentsState } from '../core/intents-state.js'
import { isObject } from '../core/is-object.js'
import type { Layout } from '../core/layout.js'
import { isIntentId } from '../intents/index.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { readSmall } from '../os/read.js'
import { readShared, replaceShared, sharedExists } from '../os/shared-files.js'
import { freePathsOf } from '../policy/index.js'
import {
  type FileAttribution,
  type IntentMap,
  type LedgerStore,
  type MapChange,
  parseMap,
  renderMap,
  updateMap,
} from '../trace/index.js'

const MAX_MAP = 16 * 1024 * 1024
const MAX_FILE = 4 * 1024 * 1024

interface MapSource {
  readonly layout: Layout
  readonly intents: () => IntentsState
}

/**
 * Adds a commit to the intent map. The commit is done and must be reported as such, so a failure is only a warning.
 */
export async function mapCommitted(
  { layout, intents }: MapSource,
  approved: readonly StagedChange[],
  committed: readonly string[],
  files: readonly FileAttribution[],
): Promise<string[]> {
  try {
    const changes = mapChanges(layout, approved, committed, files)
    const free = freePathsOf(intents())
    const counted = changes.filter(({ path }) => !free.has(path, false))
    await rewrite({ layout, intents }, (map) => updateMap(map, counted, currentDay()))
    return []
  } catch (error) {
    const why = errorText(error).replace(/\.$/, '')
    return [`The intent map was not updated: ${why}. Run 'escrow map' after you have fixed it.`]
  }
}

/** The committed changes. Their contents are read from the disk on demand, because the stage has dropped them. */
function mapChanges(
  layout: Layout,
  approved: readonly StagedChange[],
  committed: readonly string[],
  files: readonly FileAttribution[],
): MapChange[] {
  const committedPaths = new Set(committed)
  const lines = new Map(files.map(({ path, ranges }) => [path, ranges]))
  return approved.flatMap(({ path, from, before, after, intentId = null }): MapChange[] => {
    if (!committedPaths.has(path) || (after ?? before)?.type !== 'file') return []
    const changed = (lines.get(path) ?? []).map(({ startLine, endLine }) => [startLine, endLine] as const)
    const moved = from === undefined ? {} : { from }
    const content = () => contentOf(layout, path)
    return [{ path, ...moved, intent: intentId, lines: changed, content, ...(after === null && { isGone: true }) }]
  })
}

/** Rewrites the map from the ledger, the current lines of each file, and the notes in the old map. */
export async function rebuildMap(source: MapSource, ledger: LedgerStore): Promise<string> {
  if (!existsSync(source.layout.dir)) {
    throw new EscrowError('no_orchestration', 'There are no intents to map.', { hint: 'Run `escrow init` first.' })
  }
  const days = await lastDays(ledger)
  return rewrite(source, async (map) => {
    let rebuilt: IntentMap = { ...map, sections: map.sections.map((section) => ({ ...section, rows: [] })) }
    for (const [path, byIntent] of [...days].sort()) {
      const read = contentOf(source.layout, path)
      if (read === undefined) continue
      const content = () => read
      const blame = await blameOf(ledger, path)
      for (const [intent, day] of byIntent) {
        const ranges = blame.filter(({ intentId }) => intentId === intent).map(({ line }) => [line, line] as const)
        if (ranges.length > 0 || blame.length === 0)
          rebuilt = await updateMap(rebuilt, [{ path, intent, lines: ranges, content }], day)
      }
    }
    return rebuilt
  })
}

async function rewrite(
  { layout, intents }: MapSource,
  change: (map: IntentMap) => Promise<IntentMap>,
): Promise<string> {
  return withProcessLock(layout.locks, 'intent_map', async (lost) => {
    const old = sharedExists(layout.intentMap) ? readShared(layout.intentMap, MAX_MAP).toString() : undefined
    if (old !== undefined && !old.startsWith('# Intent Map')) {
      throw new EscrowError('unsupported', `${layout.intentMap} was not written by escrow.`, {
        hint: 'Move it away; escrow then writes a new map.',
      })
    }
    const text = renderMap(await change(parseMap(old ?? '')), knownIntents(intents()))
    assertHeld(lost, 'the intent map')
    if (text !== old) replaceShared(layout.intentMap, text)
    return text
  })
}

/** An absent registry lists no intents, and the map stays as it is. @throws EscrowError for one that cannot be read */
function knownIntents(state: IntentsState): readonly Intent[] {
  if (state.ok) return [...state.intents.values()]
  if (state.reason === 'no_orchestration') return []
  throw new EscrowError(state.reason, state.message)
}

/**
 * Path → intent → the day of its last commit there, by the current paths. Invalid intent ids and days are left out: a
 * clone can bring any record, and the map is a document that people open.
 */
async function lastDays(ledger: LedgerStore): Promise<Map<string, Map<string, string>>> {
  const days = new Map<string, Map<string, string>>()
  for await (const record of ledger.records()) {
    if (!Array.isArray(record.files) || typeof record.timestamp !== 'string') continue
    for (const file of record.files as unknown[]) {
      const intent = isObject(file) ? intentOf(file) : undefined
      if (!isObject(file) || typeof file.path !== 'string' || intent === undefined || !isIntentId(intent)) continue
      const byIntent = days.get(file.path) ?? new Map<string, string>()
      const day = record.timestamp.slice(0, 10)
      if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) continue
      // With two branches, the record that comes first in the file may be the newer one.
      const last = byIntent.get(intent)
      if (last === undefined || last < day) byIntent.set(intent, day)
      days.set(file.path, byIntent)
    }
  }
  return days
}

/** The blame of a file; empty for an empty or binary file, which the map lists as a whole. */
async function blameOf(ledger: LedgerStore, path: string): Promise<BlameLine[]> {
  try {
    return await ledger.blame(path)
  } catch (error) {
    if (error instanceof EscrowError && error.reason === 'nothing_selected') return []
    throw error
  }
}

function intentOf({ related }: Record<string, unknown>): string | undefined {
  const first: unknown = Array.isArray(related) ? related[0] : undefined
  return isObject(first) && typeof first.value === 'string' ? first.value : undefined
}

/** The content of the file itself. Undefined for a link, or below one: it leads to another file. */
function contentOf({ root }: Layout, path: string): Uint8Array | undefined {
  const name = resolve(root, path)
  try {
    if (!isWithin(name, root) || realpathSync(name) !== name) return undefined
    return Buffer.from(readSmall(name, MAX_FILE))
  } catch {
    return undefined
  }
}

function currentDay(): string {
  return new Date().toISOString().slice(0, 10)
}
