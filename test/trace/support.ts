import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach } from 'vitest'
import type { Layout } from '../../src/core/layout.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { type Attributable, attributeFile, compareContents } from '../../src/trace/attribution.js'
import { newDraft } from '../../src/trace/draft.js'
import type { FileAttribution, RecordDraft } from '../../src/trace/draft-schema.js'
import type { LedgerOptions } from '../../src/trace/ledger.js'

/** A function that creates temporary workspaces, each with an `.orchestration/`, removed after the test. */
export function workspaces(): () => Layout {
  const created: string[] = []
  afterEach(() => {
    for (const dir of created.splice(0)) rmSync(dir, { recursive: true, force: true })
  })
  return () => {
    const root = mkdtempSync(join(tmpdir(), 'escrowfs-trace-'))
    created.push(root)
    const layout = layoutAt(root)
    mkdirSync(layout.dir)
    return layout
  }
}

export function draftOf(more: Partial<RecordDraft> = {}): RecordDraft {
  return { ...newDraft({ type: 'tool_call', intent: 'INT-001', session: 'task-1' }), ...more }
}

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

/** Replaces the process lock in a test that runs alone and opens a ledger a thousand times. */
export const NO_LOCK: LedgerOptions = { lock: async (_locks, _name, work) => work(() => false) }

export const drafts = (count: number): RecordDraft[] => Array.from({ length: count }, () => draftOf())

/** The escrowfs fields of a line. */
export function metadataOf(line: string): Record<string, unknown> {
  return JSON.parse(line).metadata['dev.escrowfs']
}

/** The file's lines without their LF. */
export function linesOf(layout: Layout): string[] {
  return readFileSync(`${layout.ledgerFile}`, 'utf8').split('\n').slice(0, -1)
}

/** The authors of the lines of two contents. */
export function attribute({ before, after, ...file }: Contents): FileAttribution {
  return attributeFile({ ...file, comparison: compareContents(before, after) })
}

type Contents = Omit<Attributable, 'comparison'> & {
  readonly before: Uint8Array | null
  readonly after: Uint8Array | null
}

export const sha = (line: string): string => createHash('sha256').update(line).digest('hex')
export const fileOf = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('')

/** Each line from `from` on, chained again to the previous one, as a forger would. */
export function rechain(lines: readonly string[], from: number): string[] {
  const out = lines.slice(0, from)
  for (const line of lines.slice(from)) {
    const record = JSON.parse(line)
    const before = out.at(-1)
    record.metadata['dev.escrowfs'].prev = before === undefined ? null : sha(before)
    record.metadata['dev.escrowfs'].seq = out.length + 1
    out.push(JSON.stringify(record))
  }
  return out
}
