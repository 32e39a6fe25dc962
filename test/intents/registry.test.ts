import { chmodSync, mkdirSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { IntentChanges } from '../../src/core/api.js'
import { EscrowError } from '../../src/core/api-error.js'
import { openRegistry } from '../../src/intents/registry.js'
import { editsOf, PLAN, testWorkspace } from './workspace.js'

const MAP =
  'active_intent_id: A-1   # now\nintents:\n  A-1: {title: One, scope: {paths: [a]}}\n  A-2:\n    title: Two # second\n    status: DRAFT\n'

describe('state', () => {
  it('distinguishes a workspace without the file from one with a broken file', () => {
    const workspace = testWorkspace()
    const registry = openRegistry(workspace.layout)
    expect(registry.state()).toMatchObject({
      ok: false,
      reason: 'no_orchestration',
      message: expect.stringContaining('escrow init'),
    })
    workspace.write('active_intents:\n  - id: A\n    status: DONE\n')
    expect(registry.state()).toEqual({
      ok: false,
      version: 2,
      reason: 'policy_invalid',
      file: '.orchestration/active_intents.yaml',
      line: 3,
      column: 5,
      message:
        'Policy Invalid: .orchestration/active_intents.yaml, line 3, column 5: `active_intents.0.status`: one of DRAFT, PENDING, ' +
        'IN_PROGRESS, BLOCKED, COMPLETED, ARCHIVED is expected. All writes are refused until a person has corrected it.',
    })
  })

  it('is one object until the file changes, and follows each change', () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    const first = registry.state()
    expect(registry.state()).toBe(first)
    const { atime, mtime } = statSync(`${workspace.layout.intentsFile}`)
    workspace.write(PLAN.replace('COMPLETE\n', 'BLOCKED \n'))
    utimesSync(`${workspace.layout.intentsFile}`, atime, mtime)
    const second = registry.state()
    expect(second).toMatchObject({ ok: true, version: first.version + 1 })
    expect(second.ok && second.intents.get('INT-003')?.status).toBe('BLOCKED')
    renameSync(workspace.layout.dir, `${workspace.layout.dir}-away`)
    expect(registry.state()).toMatchObject({ ok: false, reason: 'no_orchestration' })
    renameSync(`${workspace.layout.dir}-away`, workspace.layout.dir)
    expect(registry.state()).toMatchObject({ ok: true })
  })

  it("keeps its version when only the file's mtime changes", () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    const first = registry.state()
    workspace.write(PLAN)
    expect(registry.state()).toBe(first)
  })

  it('reports a directory in place of the file', () => {
    const workspace = testWorkspace()
    mkdirSync(`${workspace.layout.intentsFile}`, { recursive: true })
    expect(openRegistry(workspace.layout).state()).toMatchObject({
      reason: 'policy_invalid',
      message: expect.stringContaining('not a plain file'),
    })
  })
})

describe('list and get', () => {
  it('returns the intents in order', async () => {
    const registry = openRegistry(testWorkspace(PLAN).layout)
    expect((await registry.list()).map((intent) => intent.id)).toEqual(['INT-001', 'INT-002', 'INT-003'])
    expect(await registry.get('INT-002')).toMatchObject({ name: 'Rate limiting' })
    expect(await registry.get('INT-009')).toBeUndefined()
  })

  it('returns none without the file, and fails for a broken one', async () => {
    const workspace = testWorkspace()
    const registry = openRegistry(workspace.layout)
    expect(await registry.list()).toEqual([])
    workspace.write('[')
    await expect(registry.list()).rejects.toMatchObject({ reason: 'policy_invalid' })
  })
})

describe('start', () => {
  it('leaves the file of a started intent byte-identical, without a write', async () => {
    const workspace = testWorkspace(PLAN)
    const before = statSync(`${workspace.layout.intentsFile}`, { bigint: true })
    await editsOf(openRegistry(workspace.layout)).start('INT-001')
    expect(workspace.text()).toBe(PLAN)
    expect(statSync(`${workspace.layout.intentsFile}`, { bigint: true })).toMatchObject({
      ino: before.ino,
      mtimeNs: before.mtimeNs,
    })
  })

  it('adds a missing status, and keeps every other line', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    await editsOf(registry).start('INT-002')
    expect(await registry.get('INT-002')).toMatchObject({ status: 'IN_PROGRESS' })
    const lines = workspace.text().split('\n')
    expect(lines).toContain('      status: IN_PROGRESS')
    expect(lines.filter((line) => line.trim() !== 'status: IN_PROGRESS').map(squeeze)).toEqual(
      PLAN.split('\n').map(squeeze),
    )
  })

  it('changes a status in place', async () => {
    const workspace = testWorkspace(MAP)
    await editsOf(openRegistry(workspace.layout)).start('A-2')
    expect(workspace.text()).toBe(MAP.replace('DRAFT', 'IN_PROGRESS'))
  })

  it.each([
    [
      'INT-003',
      'intent_not_active',
      'Intent Not Active: INT-003 is COMPLETED. Intents that can be selected: INT-001, INT-002.',
    ],
    [
      'INT-9',
      'unknown_intent',
      'Unknown Intent: INT-9 is not declared in .orchestration/active_intents.yaml. Intents that can be selected: INT-001, INT-002.',
    ],
  ])('refuses %s: %s', async (id, reason, message) => {
    const workspace = testWorkspace(PLAN)
    const error = await editsOf(openRegistry(workspace.layout))
      .start(id)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(EscrowError)
    expect(error).toMatchObject({ reason, message })
    expect(workspace.text()).toBe(PLAN)
  })

  it('creates nothing in a workspace without .orchestration', async () => {
    const workspace = testWorkspace()
    const registry = openRegistry(workspace.layout)
    await expect(editsOf(registry).start('A')).rejects.toMatchObject({
      reason: 'no_orchestration',
      hint: expect.stringContaining('escrow init'),
    })
    await expect(editsOf(registry).complete('A')).rejects.toMatchObject({ reason: 'no_orchestration' })
    expect(() => statSync(workspace.layout.dir)).toThrow(/ENOENT/)
  })
})

describe("a person's edits", () => {
  it('complete in place: comments, quotes and blanks stay, updated_at changes', async () => {
    const workspace = testWorkspace(PLAN)
    chmodSync(`${workspace.layout.intentsFile}`, 0o640)
    const intent = await editsOf(openRegistry(workspace.layout)).complete('INT-001')
    expect(intent.status).toBe('COMPLETED')
    const expected = PLAN.replace('"IN_PROGRESS" ', '"COMPLETED" ').replace(
      '2026-02-18T14:30:00Z',
      intent.updatedAt ?? '',
    )
    expect(workspace.text()).toBe(expected)
    expect(Math.abs(Date.parse(intent.updatedAt ?? '') - Date.now())).toBeLessThan(60_000)
    expect(statSync(`${workspace.layout.intentsFile}`).mode & 0o777).toBe(0o640)
  })

  it('complete an intent once', async () => {
    const workspace = testWorkspace(PLAN)
    await editsOf(openRegistry(workspace.layout)).complete('INT-003')
    expect(workspace.text()).toBe(PLAN)
  })

  it('select: add the active intent to a file without one, and change nothing else', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    expect(await registry.active()).toBeUndefined()
    await editsOf(registry).select('INT-001')
    expect(workspace.text()).toBe(
      `${PLAN.replace(/updated_at: "[^"]*"/, () => /updated_at: "[^"]*"/.exec(workspace.text())?.[0] ?? '')}active_intent_id: INT-001\n`,
    )
    expect((await registry.active())?.id).toBe('INT-001')
  })

  it('select: in a file that is one flow map', async () => {
    const workspace = testWorkspace('{active_intents: [{id: A, owned_scope: ["**"]}]}\n')
    const registry = openRegistry(workspace.layout)
    await editsOf(registry).select('A')
    expect((await registry.active())?.id).toBe('A')
  })

  it.each([
    ['active_intent_id: A # now', 'active_intent_id: null # now'],
    ['active_intent_id: "A"   # now', 'active_intent_id: null   # now'],
    ['notes: none', 'notes: none'],
  ])('deselect: %s becomes %s', async (line, after) => {
    const rest = '# the plan\nactive_intents:\n  - {id: A, owned_scope: []} # first\n'
    const workspace = testWorkspace(`${line}\n${rest}`)
    const registry = openRegistry(workspace.layout)
    await editsOf(registry).deselect()
    expect(workspace.text()).toBe(`${after}\n${rest}`)
    expect(await registry.active()).toBeUndefined()
  })

  it('select: replace the active intent of the file', async () => {
    const workspace = testWorkspace(MAP)
    const registry = openRegistry(workspace.layout)
    await editsOf(registry).select('A-2')
    expect(workspace.text()).toBe(
      MAP.replace('DRAFT', 'IN_PROGRESS').replace('active_intent_id: A-1', 'active_intent_id: A-2'),
    )
    expect(registry.state()).toMatchObject({ activeIntentId: 'A-2' })
    const before = workspace.text()
    await editsOf(registry).select('A-2')
    expect(workspace.text()).toBe(before)
  })

  it.each([
    ['a flow list', PLAN, 'INT-002', ['src/limit/**', 'lib/limit/**']],
    ['a block list', PLAN, 'INT-001', ['src/auth/**', 'src/middleware/jwt.ts', 'lib/limit/**']],
    ['no list', PLAN, 'INT-003', ['lib/limit/**']],
    ['scope.paths', MAP, 'A-1', ['a', 'lib/limit/**']],
    ['Windows line ends', PLAN.replaceAll('\n', '\r\n'), 'INT-002', ['src/limit/**', 'lib/limit/**']],
  ])('expand a scope: %s', async (_, text, id, scope) => {
    const workspace = testWorkspace(text)
    const registry = openRegistry(workspace.layout)
    expect((await editsOf(registry).expandScope(id, ['lib/limit/**'])).ownedScope).toEqual(scope)
    const after = workspace.text()
    for (const comment of text.match(/#.*/g) ?? []) expect(after).toContain(comment.trimEnd())
    expect(after.includes('\r\n')).toBe(text.includes('\r\n'))
    await editsOf(registry).expandScope(id, ['lib/limit/**'])
    expect(workspace.text()).toBe(after)
  })

  it('refuse a glob that would make the file unreadable', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    await expect(editsOf(registry).expandScope('INT-001', ['/etc/**'])).rejects.toMatchObject({
      reason: 'policy_invalid',
      message: expect.stringContaining('absolute'),
    })
    const many = Array.from({ length: 200 }, (_, i) => `x${i}`)
    await expect(editsOf(registry).expandScope('INT-001', many)).rejects.toMatchObject({
      message: expect.stringContaining('200 globs'),
    })
    await expect(editsOf(registry).expandScope('INT-9', ['a'])).rejects.toMatchObject({ reason: 'unknown_intent' })
    expect(workspace.text()).toBe(PLAN)
  })

  it('do not edit a broken file', async () => {
    const broken = `${PLAN}  - id: INT-001\n`
    const workspace = testWorkspace(broken)
    await expect(editsOf(openRegistry(workspace.layout)).complete('INT-002')).rejects.toMatchObject({
      reason: 'policy_invalid',
    })
    expect(workspace.text()).toBe(broken)
  })

  it('are refused, and not taken back, once another process has taken the lock', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    const theirs = PLAN.replace('Rate limiting', 'Theirs')
    const takeOver = () => {
      writeFileSync(join(workspace.layout.locks, 'intents.holder'), JSON.stringify({ nonce: 'other' }))
      workspace.write(theirs)
    }
    const late = registry.withEdits(async (edits) => {
      takeOver()
      edits.complete('INT-001')
    })
    await expect(late).rejects.toMatchObject({ reason: 'session_busy' })
    expect(workspace.text()).toBe(theirs)
    rmSync(workspace.layout.locks, { recursive: true })
    workspace.write(PLAN)
    const failed = registry.withEdits(async (edits) => {
      edits.complete('INT-001')
      takeOver()
      throw new Error('no space')
    })
    await expect(failed).rejects.toMatchObject({ message: expect.stringContaining('could not be taken back') })
    expect(workspace.text()).toBe(theirs)
  })

  it('lose no edit of two concurrent ones', async () => {
    const workspace = testWorkspace(PLAN)
    const [one, two] = [openRegistry(workspace.layout), openRegistry(workspace.layout)]
    await Promise.all([
      editsOf(one).start('INT-002'),
      editsOf(two).complete('INT-001'),
      editsOf(one).expandScope('INT-003', ['x']),
      editsOf(two).expandScope('INT-003', ['y']),
    ])
    expect((await one.list()).map(({ status }) => status)).toEqual(['COMPLETED', 'IN_PROGRESS', 'COMPLETED'])
    expect([...((await two.get('INT-003'))?.ownedScope ?? [])].sort()).toEqual(['x', 'y'])
  })
})

/** Normalizes spacing: comments may move and padding inside brackets may change when a line is added. */
function squeeze(line: string): string {
  return line.replace(/\s+/g, '').replaceAll('"', '')
}

describe('a declared intent', () => {
  const SECOND = 'active_intent_id: A-1\nintents:\n  - id: A-1 # first\n    title: One\n    scope: {paths: [a]}\n'

  it.each([
    ['a list', PLAN, 'INT-004'],
    ['an empty list', 'active_intents: [] # none yet\n', 'INT-001'],
    ['an empty key', '# a plan\nactive_intents:\n', 'INT-001'],
    ['a map', MAP, 'INT-001'],
    ['the second shape', SECOND, 'INT-001'],
    ['Windows line ends', PLAN.replaceAll('\n', '\r\n'), 'INT-004'],
  ])('is appended after the others: %s', async (_, text, id) => {
    const workspace = testWorkspace(text)
    const registry = openRegistry(workspace.layout)
    const before = await registry.list()
    const wanted = { name: 'Say "no": # never', ownedScope: ['x/**', '!x/y'], constraints: ['A: b'], dependsOn: ['Z'] }
    const added = await editsOf(registry).add({ ...wanted, acceptanceCriteria: ['c'] })
    expect(added).toEqual({
      ...wanted,
      id,
      status: 'PENDING',
      acceptanceCriteria: ['c'],
      checks: [],
      createdAt: expect.stringMatching(/Z$/),
    })
    expect(await registry.list()).toEqual([...before, added])
    for (const comment of text.match(/#.*/g) ?? []) expect(workspace.text()).toContain(comment.trimEnd())
    await editsOf(registry).add({ name: 'Another', id: 'B.1', status: 'DRAFT' })
    expect(await registry.get('B.1')).toMatchObject({ name: 'Another', status: 'DRAFT', ownedScope: [] })
  })

  it('is refused with a used or invalid id, a bad glob, or an unknown template', async () => {
    const workspace = testWorkspace(PLAN)
    const { add } = editsOf(openRegistry(workspace.layout))
    const taken = { name: 'x', id: 'INT-001' }
    await expect(add(taken)).rejects.toMatchObject({ reason: 'nothing_selected' })
    await expect(add({ name: 'x', id: 'a b' })).rejects.toMatchObject({ reason: 'policy_invalid' })
    await expect(add({ name: 'x', ownedScope: ['../x'] })).rejects.toMatchObject({ reason: 'policy_invalid' })
    const unknown = add({ name: 'x', from: 'bugfix' })
    await expect(unknown).rejects.toMatchObject({ hint: expect.stringContaining('bug-fix, refactor') })
    expect(workspace.text()).toBe(PLAN)
  })

  it("has the template's values and those given with it", async () => {
    const registry = openRegistry(testWorkspace(PLAN).layout)
    const { add } = editsOf(registry)
    const docs = await add({ name: 'Guide', from: 'docs', constraints: ['Short'] })
    expect(docs).toMatchObject({ ownedScope: ['docs/**', '**/*.md'], constraints: ['No change of code', 'Short'] })
    expect(await add({ name: 'Guide', from: 'docs', ownedScope: ['a.md'] })).toMatchObject({ ownedScope: ['a.md'] })
  })
})

describe('changes of an intent', () => {
  it('are made in one edit; comments and everything else stay', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    const before = await registry.list()
    const changes = {
      name: 'Tokens',
      status: 'BLOCKED',
      addScope: ['src/token/**'],
      removeScope: ['src/auth/**'],
      constraints: ['One'],
      dependsOn: ['INT-003'],
    } as const
    const after = await editsOf(registry).change('INT-001', changes)
    expect(after).toMatchObject({
      name: 'Tokens',
      status: 'BLOCKED',
      ownedScope: ['src/middleware/jwt.ts', 'src/token/**'],
      constraints: ['One'],
      acceptanceCriteria: before[0]?.acceptanceCriteria,
      dependsOn: ['INT-003'],
    })
    expect((await registry.list()).slice(1)).toEqual(before.slice(1))
    for (const comment of PLAN.match(/#.*/g) ?? []) expect(workspace.text()).toContain(comment)
  })

  it('add, keep and replace checks next to the sentences', async () => {
    const workspace = testWorkspace(PLAN)
    const registry = openRegistry(workspace.layout)
    const change = (changes: IntentChanges) => editsOf(registry).change('INT-001', changes)
    const check = { run: 'npm test # all', paths: ['src/**'], timeout: 60, network: ['example.com'] }
    expect(await change({ checks: [check, { run: 'make' }] })).toMatchObject({ checks: [check, { run: 'make' }] })
    expect(await change({ acceptanceCriteria: ['Other'] })).toMatchObject({
      acceptanceCriteria: ['Other'],
      checks: [check, { run: 'make' }],
    })
    expect(await change({ status: 'BLOCKED' })).toMatchObject({ checks: [check, { run: 'make' }] })
    expect(await change({ checks: [] })).toMatchObject({ acceptanceCriteria: ['Other'], checks: [] })
    const added = await editsOf(registry).add({ name: 'Checked', checks: [check] })
    expect(await registry.get(added.id)).toMatchObject({ acceptanceCriteria: [], checks: [check] })
  })

  it('keep the comment of each remaining glob', async () => {
    const text =
      'active_intents:\n  - id: A\n    owned_scope:\n      # why a\n      - a\n      - b # why b\n      - c # why c\n'
    const workspace = testWorkspace(text)
    await editsOf(openRegistry(workspace.layout)).change('A', { removeScope: ['b'], addScope: ['d'] })
    expect(workspace.text()).toBe(text.replace('      - b # why b\n', '').concat('      - d\n'))
  })

  it('that change nothing leave the file byte-identical', async () => {
    const workspace = testWorkspace(PLAN)
    const { change } = editsOf(openRegistry(workspace.layout))
    await change('INT-001', { status: 'IN_PROGRESS', addScope: ['src/auth/**'], name: 'JWT Authentication Migration' })
    expect(workspace.text()).toBe(PLAN)
  })

  it('are refused for a glob that is not in the scope, and for an unknown intent', async () => {
    const workspace = testWorkspace(PLAN)
    const { change } = editsOf(openRegistry(workspace.layout))
    await expect(change('INT-001', { removeScope: ['src/**'] })).rejects.toMatchObject({
      reason: 'nothing_selected',
      hint: expect.stringContaining('src/auth/**'),
    })
    await expect(change('INT-7', { status: 'DRAFT' })).rejects.toMatchObject({ reason: 'unknown_intent' })
    expect(workspace.text()).toBe(PLAN)
  })
})
