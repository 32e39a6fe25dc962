import { join } from 'node:path'
import { codeOf, sha256hex } from '../../overlay/index.js'
import { isObject } from '../core/is-object.js'
import type { Layout } from '../core/layout.js'
import { stateDir } from '../os/state-dir.js'
import { removeName, replaceDurable } from '../os/write.js'
import { textOf } from './anchor-file.js'
import { type LedgerEntry, parseJson } from './anchor-lines.js'
import type { Anchors } from './anchors.js'
import { count, text } from './fields.js'
import { hasLine } from './ledger-file.js'
import { unvouchedLines, Vouching } from './vouching.js'

/**
 * Takes over the anchors of earlier versions on the first use of `anchors`. Those were kept under the path of the
 * root, and each vouched for all records up to its own. An anchor stays if its record is not in the file: another
 * branch may have it.
 */
export function withOldAnchors(layout: Layout, anchors: Anchors): Anchors {
  let isDone = false
  const ready = (): Anchors => {
    if (!isDone) takeOverIfReadable(layout, anchors)
    isDone = true
    return anchors
  }
  return {
    of: (ledger) => ready().of(ledger),
    recentAnchors: (ledger) => ready().recentAnchors(ledger),
    keep: (ledger, entries) => ready().keep(ledger, entries),
    restart: (ledger, entries) => ready().restart(ledger, entries),
    firstLine: () => ready().firstLine(),
  }
}

function takeOverIfReadable(layout: Layout, anchors: Anchors): void {
  try {
    takeOver(layout, anchors, join(stateDir(), 'anchors', `${sha256hex(layout.root).slice(0, 32)}.jsonl`))
  } catch (error) {
    if (codeOf(error) === undefined) throw error
  }
}

function takeOver(layout: Layout, anchors: Anchors, file: string): void {
  const lines = textOf(file)
    .split('\n')
    .filter((line) => line !== '')
  const ends = new Map(lines.map((line) => [line, endOf(layout, line)]))
  const known = Math.max(0, ...[...ends.values()].map((end) => end ?? 0))
  if (known === 0) return
  keepUpTo(layout, anchors, known)
  const rest = lines.filter((line) => ends.get(line) === undefined)
  if (rest.length === 0) removeName(file)
  else replaceDurable(file, `${rest.join('\n')}\n`, 0o600)
}

/** The number of an anchor's record; undefined if the record is not at its place in the file. */
function endOf({ ledgerFile, root }: Layout, line: string): number | undefined {
  const value = parseJson(line)
  if (!isObject(value) || value.root !== root) return undefined
  const [seq, start, end, hash] = [count(value.seq), count(value.start), count(value.size), text(value.hash)]
  if (seq === undefined || start === undefined || end === undefined || hash === undefined) return undefined
  return hasLine(ledgerFile, { start, end, hash }) ? seq : undefined
}

/** Records were anchored only while no branch was open, so all lines before one are below it in the chain. */
function keepUpTo({ ledgerFile }: Layout, anchors: Anchors, seq: number): void {
  const found = new Map<string, LedgerEntry[]>()
  for (const { ledger, entry } of unvouchedLines(ledgerFile, new Vouching(ledgerFile, anchors, new Map()))) {
    if (entry.seq > seq) break
    found.set(ledger, [...(found.get(ledger) ?? []), entry])
  }
  for (const [ledger, entries] of found) anchors.keep(ledger, entries)
}
