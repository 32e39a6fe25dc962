import { createHash } from 'node:crypto'
import stringWidth from 'string-width'
import type { Line } from '../../../src/cli/review/text.js'
import type { Change, ChangeSet, Question } from '../../../src/core/api.js'
import { diffFile } from '../../../src/review/diff.js'

/** Builds a change set of invented files, with hunks. */

const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`

export interface FakeChange extends Partial<Change> {
  readonly path: string
  readonly oldText: string | null
  readonly newText: string | null
}

export function change({ path, oldText, newText, ...more }: FakeChange): Change {
  const bytes = (text: string | null) => (text === null ? null : Buffer.from(text))
  const { hunks } = diffFile(bytes(oldText), bytes(newText), path)
  return {
    path,
    kind: oldText === null ? 'create' : newText === null ? 'delete' : 'modify',
    before: oldText === null ? null : digest(oldText),
    after: newText === null ? null : digest(newText),
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
