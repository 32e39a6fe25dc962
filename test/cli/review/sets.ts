import { createHash } from 'node:crypto'
import stringWidth from 'string-width'
import type { Line } from '../../../src/cli/review/text.js'
import type { Change, ChangeSet, Question } from '../../../src/core/api.js'
import { diffFile } from '../../../src/review/diff.js'

/** A change set of made-up files, with the hunks that a review would have. */

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

export interface Made extends Partial<Change> {
  readonly path: string
  readonly old: string | null
  readonly now: string | null
}

export function change({ path, old, now, ...more }: Made): Change {
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

export function setOf(...made: Made[]): ChangeSet {
  const changes = made.map(change)
  return { digest: digest(JSON.stringify(changes.map(({ path, after }) => [path, after]))), changes }
}

export const ASKS: Question = { id: 'q1', at: 'now', kind: 'access', path: 'etc/x', rule: 'etc/**' }

export const numbered = (count: number, edits: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: count }, (_, line) => `${edits[line] ?? `line ${line}`}\n`).join('')

/** Columns a line takes. */
export function widthOf(line: Line): number {
  return line.reduce((sum, { text }) => sum + stringWidth(text), 0)
}
