import { describe, expect, it } from 'vitest'
import type { WorkEvent } from '../../src/core/work.js'
import type { Change, RiskSeverity } from '../../src/index.js'
import {
  chaptersOf,
  classLabel,
  describeRun,
  describeRunInRows,
  foldReason,
  isNewSince,
  riskLines,
} from '../../src/review/index.js'
import { lookMark } from '../../src/review/last-look.js'

const hunk = (id: string, text = '@@ -1 +1 @@\n-a\n+b\n', state: Change['state'] = 'pending') => ({
  id,
  oldStart: 1,
  oldLines: 1,
  newStart: 1,
  newLines: 1,
  text,
  state,
})

const change = (path: string, more: Partial<Change> = {}): Change => ({
  path,
  kind: 'modify',
  before: 'sha256:1',
  after: 'sha256:2',
  hunks: [hunk(`h ${path}`)],
  state: 'pending',
  flags: [],
  intentId: 'INT-001',
  ...more,
})

const chapters = (changes: Change[], order: 'step' | 'file' | 'risk' = 'step', work: WorkEvent[] = []) =>
  chaptersOf({ digest: 'sha256:0', changes }, order, work)

const outline = (...args: Parameters<typeof chapters>) =>
  chapters(...args).map(({ title, changes }) => [title, changes.map(({ path }) => path).join(' ')])

const call = (callId: string, more: Partial<WorkEvent> = {}): WorkEvent => ({
  kind: 'call',
  callId,
  tool: 'edit',
  ...more,
})

describe('a command in a review', () => {
  const script = { command: 'cd a\nnpm test', end: 1 }

  it('of several lines is one sentence with the first of them, or one row for each', () => {
    expect(describeRun(script)).toBe('ran cd a … (1 more line): exit 1')
    expect(describeRunInRows(script)).toEqual(['ran 2 lines: exit 1', 'cd a', 'npm test'])
  })

  it('of one line has one row, as a commit has', () => {
    expect(describeRunInRows({ command: 'npm test', end: 0 })).toEqual(['ran npm test: exit 0'])
    const commit = { command: 'Add b', proposes: ['src/b'] }
    expect(describeRunInRows(commit)).toEqual(['proposes the git commit "Add b": src/b'])
  })
})

describe('a review by step', () => {
  const changes = [
    change('c', { calls: ['toolu_a'], writtenAt: 30 }),
    change('a', { calls: ['toolu_c'], writtenAt: 10 }),
    change('b', { calls: ['toolu_b'], writtenAt: 20 }),
  ]

  it('is in the order of time, and groups steps without a reason under one heading', () => {
    expect(outline(changes)).toEqual([['Steps 1 to 3, INT-001', 'a b c']])
  })

  it('gives a step with a reason its own heading, with its tool', () => {
    const work = [call('toolu_c'), call('toolu_b', { reason: 'Round down, as the tax office does' }), call('toolu_a')]
    expect(outline(changes, 'step', work)).toEqual([
      ['Step 1, INT-001, edit', 'a'],
      ['Step 2, INT-001, edit: Round down, as the tax office does', 'b'],
      ['Step 3, INT-001, edit', 'c'],
    ])
  })

  it('shows the commands of a step, and those run after it, in its chapter', () => {
    const work: WorkEvent[] = [
      call('toolu_c'),
      { kind: 'command', command: 'npm test', end: 1, callId: 'toolu_run' },
      call('toolu_b'),
      call('toolu_a'),
      { kind: 'command', command: 'npm test', end: 0 },
    ]
    const found = chapters(changes, 'step', work)
    expect(found.map(({ steps, commands }) => [steps, commands])).toEqual([
      [[1, 1], [{ command: 'npm test', end: 1 }]],
      [[2, 3], [{ command: 'npm test', end: 0 }]],
    ])
  })

  it('separates intents', () => {
    const two = [...changes, change('d', { intentId: 'INT-002', calls: ['x'], writtenAt: 40 })]
    expect(outline(two).map(([title]) => title)).toEqual(['Steps 1 to 3, INT-001', 'Step 4, INT-002'])
  })
})

describe('a review by file', () => {
  it('is grouped by directory, each test after its subject, with warnings first and folded files last', () => {
    const changes = [
      change('test/cart.test.ts'),
      change('src/b.ts'),
      change('src/cart.ts'),
      change('test/other.test.ts'),
      change('package-lock.json'),
      change('old.ts', { kind: 'delete', after: null }),
    ]
    expect(outline(changes, 'file')).toEqual([
      ['Deletions', 'old.ts'],
      ['src/', 'src/b.ts src/cart.ts test/cart.test.ts'],
      ['test/', 'test/other.test.ts'],
      ['Folded: 1 lockfile', 'package-lock.json'],
    ])
  })
})

const risk = (severity: RiskSeverity, name = 'large') => {
  const fact = { name, severity, sentence: 'It is so.', path: 'a' }
  return { facts: [fact], level: severity }
}

describe('a review by risk', () => {
  it('has a chapter for each severity, and folds proven refactorings', () => {
    const layout = { class: 'AST_REFACTOR', rule: 'moved', detail: '' } as const
    const changes = [
      change('a.ts', { mutation: layout, risk: { facts: [], level: 'none' } }),
      change('b.ts', { risk: risk('note') }),
      change('c.ts', { risk: risk('look') }),
      change('d.ts', { risk: risk('stop') }),
      change('e.ts', { kind: 'delete', after: null }),
    ]
    expect(outline(changes, 'risk')).toEqual([
      ['Stop: understand these before you approve', 'd.ts'],
      ['Look at these', 'c.ts'],
      ['Good to know', 'b.ts'],
      ['Nothing to note', 'e.ts'],
      ['Folded: 1 proven refactoring', 'a.ts'],
    ])
  })
})

it('a fact is one line with its place, before or after the change', () => {
  const fact = { name: 'large', severity: 'stop', sentence: 'It is so.', path: 'a' } as const
  const facts = [{ ...fact, line: 3 }, { ...fact, oldLine: 4 }, fact]
  expect(riskLines({ risk: { facts, level: 'stop' } })).toEqual([
    'stop: It is so. (line 3)',
    'stop: It is so. (line 4 before)',
    'stop: It is so.',
  ])
})

describe('folding', () => {
  const layout = { class: 'AST_REFACTOR', rule: 'layout', detail: '' } as const
  it.each<[string, Change, string | undefined]>([
    ['a lockfile in any directory', change('web/yarn.lock'), 'lockfile'],
    ['generated code', change('src/api.pb.go'), 'generated'],
    ['a file with only its formatting changed', change('src/a.ts', { mutation: layout }), 'formatting'],
    ['a proven refactoring', change('src/a.ts', { mutation: { ...layout, rule: 'renamed' } }), 'refactoring'],
    ['no lockfile with a fact that asks for a look', change('yarn.lock', { risk: risk('look') }), undefined],
    ['a lockfile with notes alone', change('yarn.lock', { risk: risk('note') }), 'lockfile'],
    ['a file that was generated before', change('src/a.ts', { risk: risk('note', 'generated') }), 'generated'],
    ['no file out of scope', change('yarn.lock', { flags: ['out-of-scope'] }), undefined],
    ['no executable', change('run.min.js', { flags: ['executable'] }), undefined],
    ['no deletion', change('yarn.lock', { kind: 'delete' }), undefined],
    [
      'no file that calls itself generated',
      change('src/a.ts', { hunks: [hunk('1', '@@\n+// @generated\n')] }),
      undefined,
    ],
    [
      'no file with an open hunk next to an approved one',
      change('yarn.lock', { hunks: [hunk('1'), hunk('2', '@@\n', 'approved')] }),
      undefined,
    ],
  ])('folds %s: %#', (_name, changes, expected) => {
    expect(foldReason(changes)).toBe(expected)
  })

  it('counts what it folds', () => {
    const changes = [change('a.min.js'), change('b.min.js'), change('go.sum'), change('x.ts', { mutation: layout })]
    expect(outline(changes).at(-1)?.[0]).toBe(
      'Folded: 1 lockfile, 2 generated files, 1 file with only its formatting or comments changed',
    )
  })
})

describe('the label of a class', () => {
  const of = (mutation: NonNullable<Change['mutation']>, flags: string[] = []) =>
    classLabel({ mutation, flags })?.measured
  it('exists for a proven refactoring and for a declared class that does not match', () => {
    expect(of({ class: 'AST_REFACTOR', rule: 'renamed', detail: '' })).toBe('AST_REFACTOR')
    const mutation = { class: 'INTENT_EVOLUTION', rule: 'content', detail: '', declared: 'AST_REFACTOR' } as const
    expect(classLabel({ mutation, flags: ['class-disagrees'] })?.declared).toBe('AST_REFACTOR')
  })

  it('does not exist for code that differs, or for a measurement that took too long', () => {
    expect(of({ class: 'UNVERIFIED', rule: 'budget', detail: '' })).toBeUndefined()
    expect(of({ class: 'INTENT_EVOLUTION', rule: 'content', detail: '' })).toBeUndefined()
    expect(of({ class: 'UNVERIFIED', rule: 'size', detail: '', declared: 'AST_REFACTOR' })).toBeUndefined()
  })
})

it('a hunk is new if the last look did not have it; before a first look none is', () => {
  const [seen, now] = [change('a'), change('a', { hunks: [hunk('h a'), hunk('later')] })]
  const lookMarks = new Set(seen.hunks.map((each) => lookMark(seen, each)))
  expect(now.hunks.map((each) => isNewSince(lookMarks, now, each))).toEqual([false, true])
  expect(isNewSince(undefined, now, hunk('later'))).toBe(false)
  expect(isNewSince(lookMarks, change('a', { hunks: [], after: 'sha256:3' }))).toBe(true)
})
