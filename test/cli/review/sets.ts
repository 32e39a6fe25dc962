import { createHash } from 'node:crypto'
import stringWidth from 'string-width'
import type { Line } from '../../../src/cli/review/text.js'
import type { Change, ChangeSet, Question } from '../../../src/core/api.js'
import { diffFile } from '../../../src/review/diff.js'

/** Builds a change set of invented files, with hunks. */

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

export interface FakeChange extends Partial<Change> {
  readonly path: string
  readonly old: string | null
  readonly now: string | null
}

export function change({ path, old, now, ...more }: FakeChange): Change {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text))
  const { hunks } = diffFile(bytes(old), bytes(now), path)
  return {
    path,
    kind: old === null ? 'create' : now === null ? 'delete' : 'modify',
    before: old === null ? null : digest(old),
    after: now === null ? null : digest(now),
    hunks: hunks.map((hunk) => ({ ...hunk, state: more.state ?? 'pending' })),
    state: 'pending',
    flags: [],
    intentId: 'INT-001',
    calls: ['call-1'],
    ...more,
  }
}

export function setOf(...specs: FakeChange[]): ChangeSet {
  const changes = specs.map(change)
  return { digest: digest(JSON.stringify(changes.map(({ path, after }) => [path, after]))), changes }
}

export const QUESTION: Question = { id: 'q1', at: 'now', kind: 'access', path: 'etc/x', rule: 'etc/**' }

export const numberedLines = (count: number, edits: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, line) => `${edits[line] ?? `line ${line}`}\n`).join('')

/** The width of a line in columns. */
export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + stringWidth(text), 0)
}
