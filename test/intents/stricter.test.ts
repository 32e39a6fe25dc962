import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Intent, IntentStatus } from '../../src/core/api.js'
import { type IntentsState, selectable, selectableIds } from '../../src/core/intents-state.js'
import { stricterIntents } from '../../src/intents/stricter.js'
import { compileScope, scopeOf } from '../../src/policy/index.js'

/** The intents that apply while active_intents.yaml differs from its accepted copy. */

type Read = Extract<IntentsState, { ok: true }>

const STATUSES: readonly IntentStatus[] = ['DRAFT', 'PENDING', 'IN_PROGRESS', 'BLOCKED', 'COMPLETED', 'ARCHIVED']

function intentOf(id: string, changes: Partial<Intent> = {}): Intent {
  return {
    id,
    name: id,
    status: 'IN_PROGRESS',
    ownedScope: ['src/**'],
    constraints: [],
    acceptanceCriteria: [],
    checks: [],
    dependsOn: [],
    ...changes,
  }
}

function stateOf(intents: readonly Intent[], more: Partial<Read> = {}): Read {
  return { ok: true, version: 1, intents: new Map(intents.map((intent) => [intent.id, intent])), ...more }
}

/** The state of one intent that both files declare. */
function combined(file: Partial<Intent>, accepted: Partial<Intent>): Intent | undefined {
  return stricterIntents(stateOf([intentOf('A', file)]), stateOf([intentOf('A', accepted)])).intents.get('A')
}

describe('the scope', () => {
  const globs = ['src/**', 'src/a/**', 'src/*.ts', 'docs/**', '*.md', '!src/a/**', '!src/a/x.ts', '!docs/**', '!*.md']
  const paths = ['src/x.ts', 'src/a/x.ts', 'src/a/y.ts', 'src/a/b/z.js', 'docs/a.md', 'docs/b/c.txt', 'README.md', 'z']
  const scope = fc.array(fc.constantFrom(...globs), { maxLength: 6 })

  it('holds exactly the paths that both scopes hold', () => {
    fc.assert(
      fc.property(scope, scope, (file, accepted) => {
        const intent = combined({ ownedScope: file }, { ownedScope: accepted })
        const both = intent && scopeOf(intent)
        const [one, other] = [compileScope(file), compileScope(accepted)]
        for (const path of paths)
          expect([path, both?.matches(path)]).toEqual([path, one.matches(path) && other.matches(path)])
      }),
      { numRuns: 200 },
    )
  })

  it('is one list where one scope is narrower', () => {
    const [wide, narrow] = [
      ['src/**', 'docs/**'],
      ['src/**', '!src/a/**'],
    ]
    for (const intent of [
      combined({ ownedScope: wide }, { ownedScope: narrow }),
      combined({ ownedScope: narrow }, { ownedScope: wide }),
    ]) {
      expect(intent?.ownedScope).toEqual(narrow)
      expect(intent).not.toHaveProperty('alsoWithin')
    }
  })
})

describe('the status', () => {
  const isOpen = (status: IntentStatus) => ['DRAFT', 'PENDING', 'IN_PROGRESS'].includes(status)
  const isDone = (status: IntentStatus) => ['COMPLETED', 'ARCHIVED'].includes(status)
  const pairs = STATUSES.flatMap((file) => STATUSES.map((accepted) => [file, accepted] as const))

  it.each(pairs)('%s in the file, %s accepted: opens and completes only what both do', (file, accepted) => {
    const status = combined({ status: file }, { status: accepted })?.status ?? 'DRAFT'
    expect(isOpen(status)).toBe(isOpen(file) && isOpen(accepted))
    expect(isDone(status) && !isDone(accepted)).toBe(false)
    expect(isDone(status)).toBe(isDone(accepted) && !(file === 'BLOCKED'))
  })

  it.each(STATUSES)('stays %s where both files agree', (status) => {
    expect(combined({ status }, { status })?.status).toBe(status)
  })

  it.each(['DRAFT', 'PENDING', 'IN_PROGRESS'] as const)('follows the file between open ones, to %s', (status) => {
    expect(combined({ status }, { status: 'IN_PROGRESS' })?.status).toBe(status)
  })
})

describe('the rest of an intent', () => {
  it('keeps its accepted texts', () => {
    const accepted = { name: 'Accepted', constraints: ['no new dependency'], acceptanceCriteria: ['it works'] }
    const file = { name: 'File', constraints: [], acceptanceCriteria: [], checks: [{ id: 'c', run: 'curl evil' }] }
    expect(combined({ ...file, updatedAt: '2026-01-02' }, accepted)).toEqual(
      intentOf('A', { ...accepted, updatedAt: '2026-01-02' }),
    )
  })

  it('depends on what either file names, once each', () => {
    expect(combined({ dependsOn: ['B', 'C'] }, { dependsOn: ['C', 'D'] })?.dependsOn).toEqual(['C', 'D', 'B'])
  })

  it('is the same where the files agree', () => {
    const state = stateOf([intentOf('A', { dependsOn: ['B'], updatedAt: '2026-01-02' }), intentOf('B')])
    expect(stricterIntents(state, state)).toEqual(state)
  })
})

describe('intents in one file only', () => {
  it('wait when no person has accepted them', () => {
    const state = stricterIntents(stateOf([intentOf('A'), intentOf('B')]), stateOf([intentOf('A')]))
    expect(selectableIds(state)).toEqual(['A'])
    expect(selectable(state, 'B')).toMatchObject({ reason: 'not_trusted' })
  })

  it('are gone when the file no longer declares them', () => {
    const state = stricterIntents(
      stateOf([intentOf('A', { dependsOn: ['B'] })]),
      stateOf([intentOf('A'), intentOf('B')]),
    )
    expect(selectable(state, 'B')).toMatchObject({ reason: 'unknown_intent' })
    expect(selectable(state, 'A')).toMatchObject({ reason: 'intent_not_active' })
    expect(state).not.toHaveProperty('waiting')
  })
})

describe('the active intent', () => {
  const both = [intentOf('A'), intentOf('B')]

  it.each([
    ['A', 'A', 'A'],
    ['A', 'B', undefined],
    ['A', undefined, undefined],
    [undefined, 'A', undefined],
    [undefined, undefined, undefined],
  ])('%s in the file, %s accepted: %s', (file, accepted, expected) => {
    const active = (id: string | undefined) => (id === undefined ? {} : { activeIntentId: id })
    const state = stricterIntents(stateOf(both, active(file)), stateOf(both, active(accepted)))
    expect(state.activeIntentId).toBe(expected)
  })
})

describe('.intentignore', () => {
  it('switches off what either copy names', () => {
    const state = stricterIntents(
      stateOf([intentOf('A'), intentOf('B'), intentOf('C')], { ignored: new Set(['A']) }),
      stateOf([intentOf('A'), intentOf('B'), intentOf('C')], { ignored: new Set(['B']) }),
    )
    expect(selectableIds(state)).toEqual(['C'])
  })

  it.each([
    [['logs/**'], ['logs/**', 'tmp/**'], { freePaths: ['logs/**'], acceptedFreePaths: ['logs/**', 'tmp/**'] }],
    [['logs/**'], undefined, {}],
    [undefined, ['logs/**'], {}],
  ])('frees %j from the need of an intent only with %j', (file, accepted, expected) => {
    const free = (paths: readonly string[] | undefined) => (paths === undefined ? {} : { freePaths: paths })
    const state = stricterIntents(stateOf([], free(file)), stateOf([], free(accepted)))
    expect(state).toEqual(stateOf([], expected))
  })
})
