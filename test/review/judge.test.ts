import { describe, expect, it } from 'vitest'
import type { StagedChange } from '../../overlay/change.js'
import { digest } from '../../overlay/digest.js'
import type { Verdict } from '../../src/core/api.js'
import { diffFile } from '../../src/review/diff.js'
import { changeState, commitSliceOf, rejectionsOf } from '../../src/review/judge.js'
import type { CurrentVerdicts } from '../../src/review/verdicts.js'
import { file, newStagedChange } from './staged.js'

const word = (verdict: Verdict['verdict'], id = verdict): Verdict => ({
  id,
  verdict,
  paths: ['a'],
  by: { name: 'Ann' },
  at: '',
})
const YES = word('approved')
const NO = word('rejected')
const BETWEEN = 'between\n'.repeat(8)
const [BEFORE, AFTER] = [`one\n${BETWEEN}two\n`, `ONE\n${BETWEEN}TWO\n`]
const DIFF = diffFile(Buffer.from(BEFORE), Buffer.from(AFTER), 'a')
const [first = '', second = ''] = DIFF.hunks.map(({ id }) => id)

const currentVerdicts = (hunks: Record<string, Verdict>, whole?: Verdict): CurrentVerdicts => ({
  hunks: new Map(Object.entries(hunks)),
  isVoid: false,
  lostApproval: false,
  approvals: (id) =>
    [id === undefined ? whole : hunks[id]].flatMap((each) => (each?.verdict === 'approved' ? [each] : [])),
  ...(whole && { file: whole }),
})
const change = (more: Partial<StagedChange> = {}) => newStagedChange('a', BEFORE, AFTER, more)
const landedText = (verdicts: CurrentVerdicts, more?: Partial<StagedChange>) => {
  const landing = commitSliceOf(change(more), verdicts, () => DIFF)
  return landing && Buffer.from(landing.change.content()).toString()
}

describe('commitSliceOf', () => {
  it('is the whole change if there is no other verdict, and needs no comparison', () => {
    const compare = () => expect.unreachable('nothing is to be compared')
    expect(commitSliceOf(change(), currentVerdicts({}, YES), compare)?.change.after).toEqual(file(AFTER))
    expect(commitSliceOf(change(), currentVerdicts({ [first]: YES }, YES), compare)?.part).toBeUndefined()
    for (const verdicts of [
      currentVerdicts({}),
      currentVerdicts({}, NO),
      currentVerdicts({ [first]: NO }),
      currentVerdicts({ [first]: NO }, NO),
    ]) {
      expect(commitSliceOf(change(), verdicts, compare)).toBeUndefined()
    }
  })

  it('has the latest approved state of each hunk', () => {
    expect(landedText(currentVerdicts({ [first]: YES }))).toBe(`ONE\n${BETWEEN}two\n`)
    expect(landedText(currentVerdicts({ [first]: NO }, YES))).toBe(`one\n${BETWEEN}TWO\n`)
    expect(landedText(currentVerdicts({ [second]: YES }, NO))).toBe(`one\n${BETWEEN}TWO\n`)
    expect(landedText(currentVerdicts({ [first]: YES, [second]: YES }))).toBe(AFTER)
    expect(landedText(currentVerdicts({ [first]: NO, [second]: NO }, YES))).toBeUndefined()
  })

  it('has the digest of the committed content, and separates the committed hunks from the others', () => {
    const landing = commitSliceOf(change(), currentVerdicts({ [first]: YES }), () => DIFF)
    expect(landing?.change.after?.digest).toBe(digest(`ONE\n${BETWEEN}two\n`))
    expect(landing?.part?.taken.map(({ id }) => id)).toEqual([first])
    expect(landing?.part?.left.map(({ id }) => id)).toEqual([second])
    expect(landing?.verdicts).toEqual([YES])
  })

  it('ignores a verdict on a missing hunk', () => {
    expect(landedText(currentVerdicts({ h_gone: YES }))).toBeUndefined()
    expect(landedText(currentVerdicts({ h_gone: NO }, YES))).toBe(AFTER)
  })

  it('leaves mode and name to the verdict on the file', () => {
    const executable = { after: file(AFTER, 0o755) }
    const modeOf = (verdicts: CurrentVerdicts) =>
      commitSliceOf(change(executable), verdicts, () => DIFF)?.change.after?.mode
    expect(modeOf(currentVerdicts({ [first]: YES, [second]: YES }))).toBe(0o644)
    expect(modeOf(currentVerdicts({ [first]: NO }, YES))).toBe(0o755)
    expect(
      commitSliceOf(change(executable), currentVerdicts({ [first]: NO, [second]: NO }, YES), () => DIFF)?.change,
    ).toMatchObject({
      kind: 'mode',
      after: file(BEFORE, 0o755),
    })
    const moved = { kind: 'rename', from: change().path } as const
    expect(landedText(currentVerdicts({ [first]: YES }), moved)).toBeUndefined()
    expect(landedText(currentVerdicts({ [first]: NO }, YES), moved)).toBe(`one\n${BETWEEN}TWO\n`)
  })

  it('is marked as drifted if the approved part cannot be determined', () => {
    expect(commitSliceOf(change(), currentVerdicts({ [first]: YES }), () => undefined)?.change.drifted).toBe(true)
    expect(commitSliceOf(change(), currentVerdicts({ [first]: NO }), () => undefined)).toBeUndefined()
  })
})

describe('changeState', () => {
  it('is the common state of all its parts', () => {
    const state = (verdicts: CurrentVerdicts, more?: Partial<StagedChange>) => changeState(change(more), verdicts, DIFF)
    expect(state(currentVerdicts({}, YES))).toBe('approved')
    expect(state(currentVerdicts({ [first]: YES }))).toBe('pending')
    expect(state(currentVerdicts({ [first]: YES, [second]: YES }))).toBe('approved')
    expect(state(currentVerdicts({ [first]: YES, [second]: YES }), { after: file(AFTER, 0o755) })).toBe('pending')
    expect(state(currentVerdicts({ [first]: NO, [second]: NO }))).toBe('rejected')
    expect(state(currentVerdicts({ [first]: NO }, YES))).toBe('pending')
    expect(state(currentVerdicts({ [first]: NO }, YES), { kind: 'link' })).toBe('approved')
  })
})

describe('rejectionsOf', () => {
  const no = (id: string): Verdict => ({ ...word('rejected', id as 'rejected'), reason: id })
  const rejections = (verdicts: CurrentVerdicts, more?: Partial<StagedChange>) =>
    rejectionsOf(change(more), verdicts, DIFF).map(({ reason, hunks }) => [reason, hunks])

  it('returns the rejection of the whole, and of single hunks with their ids', () => {
    expect(rejections(currentVerdicts({}))).toEqual([])
    expect(rejections(currentVerdicts({ [first]: YES }, word('withdrawn')))).toEqual([])
    expect(rejections(currentVerdicts({}, no('all')))).toEqual([['all', undefined]])
    expect(rejections(currentVerdicts({ [first]: no('one') }))).toEqual([['one', [first]]])
    expect(rejections(currentVerdicts({ [first]: no('one'), [second]: no('two') }, YES))).toEqual([
      ['one', [first]],
      ['two', [second]],
    ])
  })

  it('omits hunks with a later verdict, and hunks that no longer exist', () => {
    expect(rejections(currentVerdicts({ [first]: YES }, no('all')))).toEqual([['all', [second]]])
    expect(rejections(currentVerdicts({ [first]: YES, [second]: YES }, no('all')))).toEqual([])
    expect(rejections(currentVerdicts({ h_gone: no('gone') }))).toEqual([])
  })

  it('keeps the rejection of a name or mode, which no hunk shows', () => {
    const verdicts = currentVerdicts({ [first]: YES, [second]: YES }, no('name'))
    expect(rejections(verdicts, { from: 'b' as StagedChange['path'] })).toEqual([['name', []]])
  })

  it('returns the one rejection of a change without hunks to decide on', () => {
    expect(rejections(currentVerdicts({}, no('all')), { kind: 'create', before: null })).toEqual([['all', undefined]])
    expect(rejectionsOf(change(), currentVerdicts({}, no('all')), undefined)).toMatchObject([{ reason: 'all' }])
  })
})
