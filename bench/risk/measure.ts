import { diffLines } from 'diff'
import { classify } from '../../src/change-class/classify.js'
import type { Risk } from '../../src/core/risk-api.js'
import { byRisk, type Changed, factsOf, riskOf } from '../../src/risk/index.js'
import type { ChangeSetCase, Harmed } from './sets.js'

/** The changed lines that a person reads in one set before the harm. */
export interface Found {
  readonly id: string
  readonly kind: string
  readonly facts: readonly string[]
  /** Changed lines of the whole set. */
  readonly all: number
  readonly ranked: number
  readonly byPath: number
}

/** The facts of a set without harm. */
export interface Asked {
  readonly files: number
  readonly lines: number
  /** Lines of files with a fact of this or a higher severity. */
  readonly stop: number
  readonly look: number
  readonly names: readonly string[]
}

interface Row {
  readonly path: string
  readonly change: Changed
  readonly risk: Risk
  readonly lines: readonly string[]
}

/** The changes with their facts, as a review has them: proven refactorings are known. */
async function rowsOf({ changes }: ChangeSetCase): Promise<Row[]> {
  const classified: Changed[] = []
  for (const change of changes) classified.push(await withClass(change))
  const facts = await factsOf(classified)
  return classified.map((change) => {
    const { path, before, after } = change
    return { path, change, risk: riskOf(facts.get(path) ?? []), lines: changedLines(textOf(before), textOf(after)) }
  })
}

async function withClass(change: Changed): Promise<Changed> {
  const { path, before, after, kind } = change
  if (kind !== 'modify' || before?.content == null || after?.content == null) return change
  return { ...change, mutation: await classify({ path, before: before.content, after: after.content }) }
}

const textOf = (side: Changed['before']) => (side?.content ? Buffer.from(side.content).toString() : '')

/** The lines that a diff shows as removed or added, in its order. A change of mode is one line. */
function changedLines(before: string, after: string): string[] {
  if (before === after) return ['mode']
  return diffLines(before, after).flatMap(({ added, removed, value }) =>
    added || removed
      ? value
          .replace(/\n$/, '')
          .split('\n')
          .map((line) => `${added ? '+' : '-'}${line}`)
      : [],
  )
}

export async function findHarm(set: ChangeSetCase, harm: Harmed): Promise<Found> {
  const rows = await rowsOf(set)
  const harmed = rows.find(({ path }) => path === harm.path)
  if (harmed === undefined) throw new Error(`${set.id} has lost its harm in ${harm.path}.`)
  const at = lineOfHarm(harmed, harm)
  return {
    id: set.id,
    kind: harm.kind,
    facts: harmed.risk.facts.map(({ name, severity }) => `${severity} ${name}`),
    all: rows.reduce((sum, { lines }) => sum + lines.length, 0),
    ranked: readUntil([...rows].sort(byRisk), harmed, at),
    byPath: readUntil(
      [...rows].sort((a, b) => (a.path < b.path ? -1 : 1)),
      harmed,
      at,
    ),
  }
}

/** The place of the first harmful line in the diff of its file: a line that the benign edits alone would not change. */
function lineOfHarm({ change, lines }: Row, { without }: Harmed): number {
  if (without === null || change.kind === 'delete') return 1
  const harmless = new Set(changedLines(textOf(change.before), without))
  const at = lines.findIndex((line) => !harmless.has(line))
  return at < 0 ? lines.length : at + 1
}

function readUntil(rows: readonly Row[], harmed: Row, at: number): number {
  const before = rows.slice(0, rows.indexOf(harmed))
  return before.reduce((sum, { lines }) => sum + lines.length, at)
}

export async function askOf(set: ChangeSetCase): Promise<Asked> {
  const rows = await rowsOf(set)
  const linesOf = (some: readonly Row[]) => some.reduce((sum, { lines }) => sum + lines.length, 0)
  const [stop, look] = [
    rows.filter(({ risk }) => risk.level === 'stop'),
    rows.filter(({ risk }) => risk.level === 'look'),
  ]
  return {
    files: rows.length,
    lines: linesOf(rows),
    stop: linesOf(stop),
    look: linesOf([...stop, ...look]),
    names: rows.flatMap(({ risk }) =>
      risk.facts.flatMap(({ name, severity }) => (severity === 'note' ? [] : [`${severity} ${name}`])),
    ),
  }
}
