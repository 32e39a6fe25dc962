import { createHash } from 'node:crypto'
import type { Changed } from '../../src/risk/index.js'
import { addBenign } from './benign.js'
import { type Corpus, readCorpus } from './corpus.js'
import { Draft } from './draft.js'
import { HARMS } from './harms.js'
import { randomOf } from './random.js'

export interface ChangeSetCase {
  readonly id: string
  readonly changes: readonly Changed[]
  readonly harm?: Harmed
}

export interface Harmed {
  readonly kind: string
  readonly path: string
  /** The file after the benign edits alone; null if they leave none. */
  readonly without: string | null
}

export const COUNTS = { benign: 200, harmful: 120 }

/** Builds the sets: the held-out third or the others, by a hash of the id. The same seed builds the same set. */
export function* buildSets(wantsHeldOut: boolean): Generator<ChangeSetCase> {
  const corpus = readCorpus()
  const kinds = Object.keys(HARMS)
  for (let n = 0; n < COUNTS.benign; n++) {
    const id = `benign-${n}`
    if (isHeldOut(id) === wantsHeldOut) yield { id, changes: benignDraft(corpus, n).changes() }
  }
  for (let n = 0; n < COUNTS.harmful; n++) {
    const id = `harmful-${n}`
    if (isHeldOut(id) === wantsHeldOut) yield harmfulSet(corpus, id, n, kinds[n % kinds.length] ?? '')
  }
}

function isHeldOut(id: string): boolean {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 3 === 0
}

const FILES = { least: 8, spread: 25 }

function benignDraft(corpus: Corpus, seed: number): Draft {
  const draft = new Draft(randomOf(seed), corpus)
  addBenign(draft, FILES.least + draft.random.int(FILES.spread))
  return draft
}

function harmfulSet(corpus: Corpus, id: string, n: number, kind: string): ChangeSetCase {
  const draft = benignDraft(corpus, 100_000 + n)
  const benign = new Map(draft.changes().map((change) => [change.path, change]))
  const path = HARMS[kind]?.(draft) ?? ''
  const changes = draft.changes()
  const base = benign.get(path)?.after ?? (benign.has(path) ? null : changes.find((each) => each.path === path)?.before)
  const without = base?.content ? Buffer.from(base.content).toString() : null
  return { id, changes, harm: { kind, path, without } }
}
