import { describe, expect, it } from 'vitest'
import { readIntents } from '../../src/intents/schema.js'
import { readYaml } from '../../src/os/yaml.js'
import { PLAN } from './workspace.js'

function read(text: string) {
  const yaml = readYaml(Buffer.from(text))
  return yaml.ok ? readIntents(yaml.file) : yaml
}

function intents(text: string) {
  const result = read(text)
  if (!result.ok) throw new Error(result.problem.message)
  return { ...result.value, list: [...result.value.intents.values()] }
}

const NONE = { ownedScope: [], constraints: [], acceptanceCriteria: [], checks: [], dependsOn: [] }

describe('both shapes', () => {
  it('reads the plan as a list, with dates', () => {
    expect(intents(PLAN).list).toEqual([
      {
        id: 'INT-001',
        name: 'JWT Authentication Migration',
        status: 'IN_PROGRESS',
        ownedScope: ['src/auth/**', 'src/middleware/jwt.ts'],
        constraints: ['Must not use external auth providers', 'Must maintain backward compatibility with Basic Auth'],
        acceptanceCriteria: ['Unit tests in tests/auth/ pass'],
        checks: [],
        dependsOn: [],
        createdAt: '2026-02-18T12:00:00Z',
        updatedAt: '2026-02-18T14:30:00Z',
      },
      {
        ...NONE,
        id: 'INT-002',
        name: 'Rate limiting',
        status: 'PENDING',
        ownedScope: ['src/limit/**'],
        dependsOn: ['INT-003'],
      },
      { ...NONE, id: 'INT-003', name: 'Old work', status: 'COMPLETED' },
    ])
  })

  it('reads the repository shape: active_intent_id, intents, title, scope.paths', () => {
    const text =
      'active_intent_id: INT-7\nintents:\n  - id: INT-7\n    title: Seven\n    constraints: [c]\n    scope:\n      paths: ["a/**"]\n'
    const { list, activeIntentId } = intents(text)
    expect(activeIntentId).toBe('INT-7')
    expect(list).toEqual([
      { ...NONE, id: 'INT-7', name: 'Seven', status: 'PENDING', constraints: ['c'], ownedScope: ['a/**'] },
    ])
  })

  it('reads maps keyed by id, with or without the id inside', () => {
    const { list } = intents('intents:\n  A-1: {name: One, owned_scope: [a]}\n  A-2: {id: A-2, status: DRAFT}\n')
    expect(list.map(({ id, name, status }) => [id, name, status])).toEqual([
      ['A-1', 'One', 'PENDING'],
      ['A-2', 'A-2', 'DRAFT'],
    ])
  })

  it('reads the minimum that an older tool writes', () => {
    const { list } = intents('active_intents:\n  - id: "INT-001"\n    name: "INT-001"\n    status: "IN_PROGRESS"\n')
    expect(list).toEqual([{ ...NONE, id: 'INT-001', name: 'INT-001', status: 'IN_PROGRESS' }])
  })

  it.each([
    'active_intents:\n',
    'active_intents: []\n',
    'active_intent_id:\nintents: {}\n',
    'active_intent_id: ""\nintents:\n',
  ])('reads %j as no intents', (text) => {
    expect(intents(text)).toMatchObject({ list: [] })
    expect(intents(text).activeIntentId).toBeUndefined()
  })

  it('prefers name to title, and ignores other keys', () => {
    const text =
      'note: x\nactive_intents:\n  - {id: A, name: n, title: t, owner: someone, status: , scope: {paths: , x: 1}}\n'
    expect(intents(text).list).toEqual([{ ...NONE, id: 'A', name: 'n', status: 'PENDING' }])
  })
})

describe('problems name the line, the column and what to do', () => {
  const one = (lines: string) => `active_intents:\n  - id: A\n${lines}`
  it.each<[name: string, text: string, place: [number, number], message: RegExp]>([
    ['a list at the root', '- a\n', [1, 1], /active_intents/],
    ['text at the root', 'hello\n', [1, 1], /active_intents/],
    ['neither key', 'intent: []\n', [1, 1], /neither/],
    ['both keys', 'intents: []\nactive_intents: []\n', [1, 1], /both/],
    ['text for intents', 'intents: x\n', [1, 1], /a list, or a map/],
    ['an intent that is text', 'intents:\n  - A\n', [2, 5], /a map with id/],
    ['no id', 'intents:\n  - name: x\n', [2, 5], /without an id/],
    ['a number as id', 'intents:\n  - name: x\n    id: 42\n', [3, 5], /quotes/],
    ['an id with a blank', 'intents:\n  - id: A B\n', [2, 5], /rename/],
    ['an id to break out of the context', 'intents:\n  - id: "A<x>"\n', [2, 5], /rename/],
    ['a key that cannot be an id', 'intents:\n  "A B": {}\n', [2, 3], /rename/],
    ['an id unlike its key', 'intents:\n  A: {id: B}\n', [2, 7], /make them equal/],
    ['two intents with one id', one('  - name: x\n    id: A\n'), [4, 5], /two intents have the id A/],
    ['an unknown status', one('    status: DONE\n'), [3, 5], /DRAFT, PENDING, IN_PROGRESS/],
    ['a scope that is text', one('    owned_scope: src/**\n'), [3, 5], /a list of texts/],
    ['a number in the scope', one('    owned_scope: [a, 3]\n'), [3, 22], /quotes/],
    ['a scope given twice', one('    owned_scope: [a]\n    scope: {paths: [b]}\n'), [4, 5], /keep one/],
    ['a scope without paths', one('    scope: [a]\n'), [3, 5], /`paths`/],
    ['a bad glob', one('    owned_scope:\n      - ok\n      - ../up\n'), [5, 9], /\.\. segments/],
    ['a bad glob in scope.paths', one('    scope:\n      paths: [/etc]\n'), [4, 15], /absolute/],
    ['a glob with a group', one('    owned_scope: ["(a+)+b"]\n'), [3, 19], /parentheses/],
    ['too many globs', one(`    owned_scope: [${'a, '.repeat(200)}b]\n`), [3, 5], /200 globs/],
    ['constraints that are a map', one('    constraints: {a: b}\n'), [3, 5], /a list of texts/],
    ['an active id that is a list', 'active_intent_id: [x]\nintents: []\n', [1, 1], /an intent id/],
  ])('%s', (_, text, place, message) => {
    const result = read(text)
    if (result.ok) throw new Error('it was read')
    expect(result.problem.message).toMatch(message)
    expect([result.problem.line, result.problem.column]).toEqual(place)
  })
})

describe('checks', () => {
  const file = (criteria: string) => `active_intents:\n  - id: INT-001\n    acceptance_criteria:\n${criteria}`

  it('are criteria with `run`, next to sentences', () => {
    const text = file(
      '      - Works\n      - run: npm test\n      - {run: "make ü", paths: ["src/**", "!src/x"], timeout: 9, network: ["*.example.com:8443", "[::1]"]}\n',
    )
    expect(intents(text).list[0]).toMatchObject({
      acceptanceCriteria: ['Works'],
      checks: [
        { run: 'npm test' },
        { run: 'make ü', paths: ['src/**', '!src/x'], timeout: 9, network: ['*.example.com:8443', '[::1]'] },
      ],
    })
  })

  it.each([
    ['no command', '{run: ""}', /run`: a command/],
    ['a number', '7', /a text, or a map with `run`/],
    ['an unknown key', '{run: x, when: y}', /unknown key `.*when`/],
    ['a bad glob', '{run: x, paths: [/etc]}', /paths.0`: the glob "\/etc": an absolute path/],
    ['only exclusions', '{run: x, paths: ["!a"]}', /a glob without `!`/],
    ['no globs', '{run: x, paths: []}', /a glob without `!`/],
    ['a fraction', '{run: x, timeout: 1.5}', /timeout`: a whole number/],
    ['no time', '{run: x, timeout: 0}', /at least one second/],
    ['too much time', '{run: x, timeout: 86401}', /at most 86400/],
    ['a URL', '{run: x, network: ["https://example.com"]}', /network.0`: a host/],
  ])('are refused with %s', (_, check, message) => {
    const result = read(file(`      - ${check}\n`))
    expect(result).toMatchObject({ ok: false, problem: { line: 4, message: expect.stringMatching(message) } })
  })

  it('are at most 50 in an intent', () => {
    expect(read(file('      - run: x\n'.repeat(50))).ok).toBe(true)
    expect(read(file('      - run: x\n'.repeat(51)))).toMatchObject({
      ok: false,
      problem: { message: expect.stringMatching(/more than 50 checks/) },
    })
  })
})
