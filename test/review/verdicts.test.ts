import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StagedChange } from '../../overlay/change.js'
import type { RelPath } from '../../overlay/path.js'
import { entryOf, type ReviewRecord } from '../../src/review/record.js'
import { rejectionsFor, verdictState } from '../../src/review/verdicts.js'
import { file, staged } from './staged.js'

const by = { name: 'Ann' }
let count = 0
function record(kind: 'approved' | 'rejected' | 'discard' | 'committed', ...changes: StagedChange[]): ReviewRecord {
  const common = { id: `v${++count}`, at: 'now', entries: changes.map(entryOf) }
  if (kind === 'discard') return { kind, ...common }
  if (kind === 'committed') return { kind, tx: 't', ...common }
  return { kind: 'verdict', verdict: kind, by, ...(kind === 'rejected' && { reason: `why ${count}` }), ...common }
}
const state = (change: StagedChange, ...records: ReviewRecord[]) => verdictState(records).of(change).state

describe('verdictState', () => {
  const change = staged('a', 'x', 'y')

  it('is pending until someone speaks, then the latest word', () => {
    const [yes, no] = [record('approved', change), record('rejected', change)]
    expect(state(change)).toBe('pending')
    expect(state(change, yes)).toBe('approved')
    expect(state(change, yes, no)).toBe('rejected')
    expect(state(change, no, yes)).toBe('approved')
    expect(verdictState([no]).of(change).verdict).toEqual({
      id: no.id,
      verdict: 'rejected',
      paths: ['a'],
      reason: expect.stringMatching(/^why/),
      by,
      at: 'now',
    })
  })

  it('is void once anything of the base or the content is different', () => {
    const others: StagedChange[] = [
      staged('a', 'x', 'z'),
      staged('a', 'z', 'y'),
      staged('a', null, 'y'),
      staged('a', 'x', null),
      { ...change, after: file('y', 0o755) },
      { ...change, before: file('x', 0o755) },
      { ...change, after: { ...file('y'), type: 'symlink' } },
      { ...change, from: 'b' as RelPath },
      { ...change, path: 'b' as RelPath },
    ]
    for (const verdict of ['approved', 'rejected'] as const) {
      for (const other of others) expect(state(other, record(verdict, change))).toBe('pending')
    }
  })

  it('holds exactly for the state it was given for', () => {
    const content = fc.option(fc.constantFrom('', 'x', 'y'), { nil: null })
    const any = fc.tuple(content, content).map(([before, after]) => staged('a', before, after))
    fc.assert(
      fc.property(any, any, (given, now) => {
        const same = given.before?.digest === now.before?.digest && given.after?.digest === now.after?.digest
        expect(state(now, record('approved', given))).toBe(same ? 'approved' : 'pending')
      }),
    )
  })

  it('leaves other paths alone', () => {
    const other = staged('b', 'x', 'y')
    const records = [record('approved', change, other), record('rejected', other)]
    expect([state(change, ...records), state(other, ...records)]).toEqual(['approved', 'rejected'])
  })

  it('is used up by a commit and by a discard', () => {
    for (const end of ['committed', 'discard'] as const) {
      expect(state(change, record('approved', change), record(end, change))).toBe('pending')
      expect(state(change, record('approved', change), record(end, staged('a', 'x', 'other')))).toBe('pending')
    }
  })
})

describe('rejectionsFor', () => {
  it('lists each path of each rejection, and whether it still stands', () => {
    const [a, b] = [staged('a', 'x', 'y'), staged('b', 'x', 'y')]
    const first = record('rejected', a, b)
    const second = record('rejected', a)
    const records = [first, second, record('discard', b)]
    const reasons = rejectionsFor(records).map(({ id, path, standing }) => [id, path, standing])
    expect(reasons).toEqual([
      [first.id, 'a', false],
      [first.id, 'b', true],
      [second.id, 'a', true],
    ])
    const later = [...records, record('approved', a), record('committed', b)]
    expect(rejectionsFor(later).map(({ standing }) => standing)).toEqual([false, false, false])
  })

  it('carries the words and the reviewer', () => {
    const no = record('rejected', staged('a', null, 'y'))
    expect(rejectionsFor([no])).toEqual([
      { id: no.id, path: 'a', reason: expect.stringMatching(/^why/), by, at: 'now', standing: true },
    ])
  })
})
