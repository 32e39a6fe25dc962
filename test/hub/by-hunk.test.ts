import { describe, expect, it } from 'vitest'
import type { Vote } from '../../src/hub/approval.js'
import { votesOn } from '../../src/hub/by-hunk.js'
import { outcomeOf, type PartDecision } from '../../src/hub/decided.js'
import { decidableHunks } from '../../src/hub/index.js'
import { diffFile } from '../../src/review/index.js'

const vote = (verdict: Vote['verdict'], ...hunks: string[]): Vote => ({
  ...{ verdict, name: 'Ada', subject: 'ada', teams: [], isRevoked: false, hunks: hunks.length > 0 ? hunks : undefined },
})
const by = (verdict: 'approved' | 'rejected'): PartDecision => ({ verdict, reviewer: 'Ada' })

describe('hunks with other boundaries, from another version of escrow,', () => {
  it('get no approval, and a rejection of them applies to each', () => {
    const [old, no, yes] = [vote('approved', 'old'), vote('rejected', 'old'), vote('approved', 'h1')]
    expect(votesOn([old, no, yes], 'h1', ['h1', 'h2'])).toEqual([no, yes])
    expect(votesOn([old, no, yes], 'h2', ['h1', 'h2'])).toEqual([no])
    expect(votesOn([old, no, yes], undefined, [])).toEqual([no])
    expect(votesOn([vote('rejected', 'h1')], 'h2', ['h1', 'h2'])).toEqual([])
  })

  it('leave a change undecided, also if the rest was approved', () => {
    const hunks = new Map([['old', by('rejected')]])
    expect(outcomeOf({ whole: by('approved'), hunks }, ['h1', 'h2'])).toBe('pending')
    expect(outcomeOf({ whole: by('approved'), hunks: new Map([['h1', by('rejected')]]) }, ['h1', 'h2'])).toBe('mixed')
  })
})

it('two hunks with the same id are decided as a whole, as is a change of encoding', () => {
  const change = { kind: 'modify' } as const
  const diff = diffFile(Buffer.from('a\n'.repeat(40)), Buffer.from(`x\n${'a\n'.repeat(40)}y\n`), 'src/a.ts')
  expect(decidableHunks(change, diff)).toHaveLength(2)
  const [hunk] = diff.hunks
  expect(decidableHunks(change, { hunks: hunk === undefined ? [] : [hunk, hunk], encoding: [] })).toEqual([])
  expect(decidableHunks(change, { hunks: diff.hunks, encoding: ['encoding-changed'] })).toEqual([])
})
