import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StagedChange } from '../../overlay/change.js'
import type { RelPath } from '../../overlay/path.js'
import { entryOf } from '../../src/review/record.js'
import type { ReviewRecord, VerdictRecord } from '../../src/review/record-schema.js'
import { rejectionsFor, stateOf, verdictState } from '../../src/review/verdicts.js'
import { file, newStagedChange } from './staged.js'

const by = { name: 'Ann' }
let count = 0
function record(kind: 'approved' | 'rejected' | 'discard' | 'committed', ...changes: StagedChange[]): ReviewRecord {
  const common = { id: `v${++count}`, at: 'now', entries: changes.map(entryOf) }
  if (kind === 'discard') return { kind, ...common }
  if (kind === 'committed') return { kind, tx: 't', ...common }
  return { kind: 'verdict', verdict: kind, by, ...(kind === 'rejected' && { reason: `why ${count}` }), ...common }
}
const state = (change: StagedChange, ...records: ReviewRecord[]) => stateOf(verdictState(records).of(change).file)

describe('verdictState', () => {
  const change = newStagedChange('a', 'x', 'y')

  it('is pending until the first verdict, then the latest verdict', () => {
    const [yes, no] = [record('approved', change), record('rejected', change)]
    expect(state(change)).toBe('pending')
    expect(state(change, yes)).toBe('approved')
    expect(state(change, yes, no)).toBe('rejected')
    expect(state(change, no, yes)).toBe('approved')
    expect(verdictState([no]).of(change).file).toEqual({
      id: no.id,
      verdict: 'rejected',
      paths: ['a'],
      reason: expect.stringMatching(/^why/),
      by,
      at: 'now',
    })
  })

  it('is void once anything of the base or the content differs', () => {
    const others: StagedChange[] = [
      newStagedChange('a', 'x', 'z'),
      newStagedChange('a', 'z', 'y'),
      newStagedChange('a', null, 'y'),
      newStagedChange('a', 'x', null),
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

  it('applies exactly to the state that it was given for', () => {
    const content = fc.option(fc.constantFrom('', 'x', 'y'), { nil: null })
    const any = fc.tuple(content, content).map(([before, after]) => newStagedChange('a', before, after))
    fc.assert(
      fc.property(any, any, (first, second) => {
        const same = first.before?.digest === second.before?.digest && first.after?.digest === second.after?.digest
        expect(state(second, record('approved', first))).toBe(same ? 'approved' : 'pending')
      }),
    )
  })

  it('reports that a verdict existed, and that it is void', () => {
    const isVoid = (current: StagedChange) => verdictState([record('approved', change)]).of(current).isVoid
    expect([change, newStagedChange('a', 'x', 'z'), newStagedChange('b', 'x', 'y')].map(isVoid)).toEqual([
      false,
      true,
      false,
    ])
  })

  it('does not affect other paths', () => {
    const other = newStagedChange('b', 'x', 'y')
    const records = [record('approved', change, other), record('rejected', other)]
    expect([state(change, ...records), state(other, ...records)]).toEqual(['approved', 'rejected'])
  })

  it('ends with a commit and with a discard', () => {
    for (const end of ['committed', 'discard'] as const) {
      expect(state(change, record('approved', change), record(end, change))).toBe('pending')
      expect(state(change, record('approved', change), record(end, newStagedChange('a', 'x', 'other')))).toBe('pending')
    }
  })
})

describe('the approvals of several people', () => {
  const change = newStagedChange('a', 'x', 'y')
  const one = { id: 'h1', start: 1, lines: 1 }
  const verdict = (name: string, kind: VerdictRecord['verdict'], of = change, hunk = false): VerdictRecord => {
    const entry = entryOf(of)
    const entries = [hunk ? { ...entry, hunks: [one] } : entry]
    return { kind: 'verdict', verdict: kind, by: { name }, id: `v${++count}`, at: 'now', entries }
  }
  const names = (records: readonly ReviewRecord[], hunk?: string, current = change) =>
    verdictState(records)
      .of(current)
      .approvals(hunk)
      .map(({ by }) => by.name)

  it('all apply, the latest of each person', () => {
    const [ada, bo, again] = ['Ada', 'Bo', 'Ada'].map((name) => verdict(name, 'approved'))
    const all = [ada, bo, again].filter((each) => each !== undefined)
    expect(names(all)).toEqual(['Bo', 'Ada'])
    expect(verdictState(all).of(change).file?.id).toBe(again?.id)
    const onHunk = ['Ada', 'Bo'].map((name) => verdict(name, 'approved', change, true))
    expect([names(onHunk, 'h1'), names(onHunk)]).toEqual([['Ada', 'Bo'], []])
  })

  it.each(['rejected', 'withdrawn'] as const)('end with a verdict that does not approve: %s', (kind) => {
    for (const hunk of [false, true]) {
      const id = hunk ? 'h1' : undefined
      const [ada, no, bo] = [
        verdict('Ada', 'approved', change, hunk),
        verdict('Cy', kind, change, hunk),
        verdict('Bo', 'approved', change, hunk),
      ]
      expect(names([ada, no], id)).toEqual([])
      expect(names([ada, no, bo], id)).toEqual(['Bo'])
    }
  })

  it('apply to the same bytes', () => {
    const other = newStagedChange('a', 'x', 'z')
    const records = [verdict('Ada', 'approved', other), verdict('Bo', 'approved')]
    expect([names(records), names(records, undefined, other)]).toEqual([['Bo'], []])
  })

  it('apply to each piece after a split, and end with a commit', () => {
    const hunks = ['Ada', 'Bo'].map((name) => verdict(name, 'approved', change, true))
    const entries = [{ ...entryOf(change), hunks: [one] }]
    const split: ReviewRecord = { kind: 'split', id: 's', at: 'now', by, pieces: ['p1', 'p2'], entries }
    for (const piece of ['p1', 'p2']) expect(names([...hunks, split], piece)).toEqual(['Ada', 'Bo'])
    const whole = ['Ada', 'Bo'].map((name) => verdict(name, 'approved'))
    expect(names([...whole, record('committed', change), verdict('Cy', 'approved')])).toEqual(['Cy'])
  })

  it('do not include one that left out a hunk, or whose hunk was rejected since', () => {
    const [ada, bo] = [verdict('Ada', 'approved'), verdict('Bo', 'approved')]
    const partial = { ...ada, entries: ada.entries.map((entry) => ({ ...entry, except: ['h1'] })) }
    const no = verdict('Ada', 'rejected', change, true)
    expect(names([partial, bo])).toEqual(['Bo'])
    expect(names([ada, no, bo])).toEqual(['Bo'])
    const same = { ...bo, entries: partial.entries }
    expect(names([no, partial, same])).toEqual(['Ada', 'Bo'])
  })

  it('do not include an approval by rule next to one of a person', () => {
    const byRule = { ...verdict('rule docs', 'approved'), rule: { tier: 'docs', policy: 'p' } }
    expect(names([byRule, verdict('Ada', 'approved')])).toEqual(['Ada'])
  })
})

describe('verdicts on hunks', () => {
  const change = newStagedChange('a', 'x', 'y')
  const part = (kind: 'approved' | 'rejected' | 'discard' | 'committed', ...ids: string[]): ReviewRecord => {
    const verdict = record(kind, change)
    const hunks = ids.map((id) => ({ id, start: 1, lines: 1 }))
    return { ...verdict, entries: verdict.entries.map((entry) => ({ ...entry, hunks })) }
  }
  const verdictsOf = (current: StagedChange, ...records: ReviewRecord[]) => {
    const { file, hunks } = verdictState(records).of(current)
    return [stateOf(file), Object.fromEntries([...hunks].map(([id, word]) => [id, word.verdict]))]
  }

  it('apply whatever else of the file changes; the latest one counts', () => {
    const records = [part('approved', 'h1', 'h2'), part('rejected', 'h2')]
    for (const current of [change, newStagedChange('a', 'x', 'z'), newStagedChange('a', 'w', 'y')]) {
      expect(verdictsOf(current, ...records)).toEqual(['pending', { h1: 'approved', h2: 'rejected' }])
    }
    expect(verdictsOf(newStagedChange('b', 'x', 'y'), ...records)).toEqual(['pending', {}])
  })

  it('are replaced by a verdict on the file, and do not return when that is void', () => {
    const records = [part('approved', 'h1'), record('rejected', change)]
    expect(verdictsOf(change, ...records)).toEqual(['rejected', {}])
    expect(verdictsOf(newStagedChange('a', 'x', 'z'), ...records)).toEqual(['pending', {}])
    expect(verdictsOf(change, ...records, part('approved', 'h1'))).toEqual(['rejected', { h1: 'approved' }])
  })

  it('stay if the verdict on the file excludes them', () => {
    const verdict = record('approved', change)
    const but = { ...verdict, entries: verdict.entries.map((entry) => ({ ...entry, except: ['h2'] })) }
    expect(verdictsOf(change, part('rejected', 'h1', 'h2'), but)).toEqual(['approved', { h2: 'rejected' }])
  })

  it('end with the commit or discard of their hunk, and of no other', () => {
    const records = [part('approved', 'h1'), part('rejected', 'h2')]
    for (const end of ['committed', 'discard'] as const) {
      expect(verdictsOf(change, ...records, part(end, 'h1'))).toEqual(['pending', { h2: 'rejected' }])
      expect(verdictsOf(change, ...records, record(end, change))).toEqual([
        'pending',
        // A commit that is recorded for a dead committer does not show that it was partial.
        end === 'committed' ? { h2: 'rejected' } : {},
      ])
    }
  })

  it('keep a rejection until each of its hunks has a later verdict', () => {
    const no = part('rejected', 'h1', 'h2')
    const inForce = (...records: ReviewRecord[]) => rejectionsFor([no, ...records]).map(({ isInForce }) => isInForce)
    expect(rejectionsFor([no])[0]?.hunks?.map(({ id }) => id)).toEqual(['h1', 'h2'])
    expect(inForce(part('approved', 'h1'), part('committed', 'h1'))).toEqual([true])
    expect(inForce(part('approved', 'h1', 'h2'))).toEqual([false])
    expect(inForce(record('committed', change))).toEqual([true])
    expect(inForce(record('approved', change))).toEqual([false])
    expect(inForce(record('approved', newStagedChange('b', 'x', 'y')))).toEqual([true])
  })
})

describe('rejectionsFor', () => {
  it('reads a log of very many files, whose verdicts are on one or on all of them', { timeout: 30_000 }, () => {
    const many = Array.from({ length: 100_000 }, (_, n) => newStagedChange(`f${n}`, 'x', 'y'))
    const records = [record('rejected', ...many), record('approved', ...many), record('committed', ...many)]
    expect(rejectionsFor(records)).toHaveLength(many.length)
  })

  it('lists each path of each rejection, and whether it still applies', () => {
    const [a, b] = [newStagedChange('a', 'x', 'y'), newStagedChange('b', 'x', 'y')]
    const first = record('rejected', a, b)
    const second = record('rejected', a)
    const records = [first, second, record('discard', b)]
    const reasons = rejectionsFor(records).map(({ id, path, isInForce }) => [id, path, isInForce])
    expect(reasons).toEqual([
      [first.id, 'a', false],
      [first.id, 'b', true],
      [second.id, 'a', true],
    ])
    const later = [...records, record('approved', a), record('committed', b)]
    expect(rejectionsFor(later).map(({ isInForce }) => isInForce)).toEqual([false, false, false])
  })

  it('has the reason and the reviewer', () => {
    const no = record('rejected', newStagedChange('a', null, 'y'))
    expect(rejectionsFor([no])).toMatchObject([
      { id: no.id, path: 'a', reason: expect.stringMatching(/^why/), by, at: 'now', isInForce: true, withdrawn: false },
    ])
  })
})
