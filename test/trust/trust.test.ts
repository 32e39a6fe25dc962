import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TrustChange } from '../../src/core/trust-api.js'
import { openWorkspace } from '../../src/index.js'
import { policyChanges } from '../../src/trust/changes.js'
import { failure, INTENTS, reasonOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

/** Differences between the files of a workspace and their accepted texts. */

const POLICY = '.orchestration/policy.yaml'
const REGISTRY = '.orchestration/active_intents.yaml'

/** Writes as a branch or an editor would: nobody accepts it. */
function put(project: TestWorkspace, path: string, text: string): void {
  mkdirSync(`${project.root}/.orchestration/templates`, { recursive: true })
  writeFileSync(`${project.root}/${path}`, text)
}

async function changesOf(project: TestWorkspace): Promise<string[]> {
  const workspace = await project.open()
  return (await workspace.trust()).changes.map(({ effect, what }) => `${effect} ${what}`)
}

describe('while a file differs from its accepted text', () => {
  it('a wider scope is pending, a narrower one applies at once, and the texts for the model are unchanged', async () => {
    const project = testWorkspace()
    put(
      project,
      REGISTRY,
      INTENTS.replace('"src/**", "docs/prices.md"', '"**", "!src/sub/**"').replace('Integers only', 'x'),
    )
    expect(await changesOf(project)).toEqual([
      'loosens INT-001 scope +**',
      'tightens INT-001 scope +!src/sub/**',
      'tightens INT-001 scope -src/**',
      'tightens INT-001 scope -docs/prices.md',
      'text INT-001 constraints: ["x"] (was: ["Integers only"])',
    ])
    const session = await startSession(await project.open())
    expect(session.intent?.constraints).toEqual(['Integers only'])
    session.fs.writeFileSync('src/a.ts', 'x')
    expect(await reasonOf(() => session.fs.writeFileSync('mail/m.ts', 'x'))).toBe('scope_violation')
    expect(await reasonOf(() => session.fs.writeFileSync('src/sub/c.ts', 'x'))).toBe('scope_violation')
  })

  it('checks stay as they were accepted, and a new one is a program that is pending', async () => {
    const checks = (list: string) =>
      INTENTS.replace('Integers only]', `Integers only]\n    acceptance_criteria: [${list}]`)
    const project = testWorkspace(undefined, checks('{run: npm test}, {run: make, paths: ["src/**"]}'))
    put(project, REGISTRY, checks('{run: npm test}, {run: make, paths: ["other/**"]}, {run: curl evil}'))
    expect(await changesOf(project)).toEqual([
      'runs INT-001 check +{"run":"make","paths":["other/**"]}',
      'runs INT-001 check +{"run":"curl evil"}',
      'loosens INT-001 check -{"run":"make","paths":["src/**"]}',
    ])
    const workspace = await project.open()
    expect((await workspace.intents.get('INT-001'))?.checks).toEqual([
      { run: 'npm test' },
      { run: 'make', paths: ['src/**'] },
    ])
    await workspace.accept((await workspace.trust()).digest)
    expect((await workspace.intents.get('INT-001'))?.checks).toHaveLength(3)
  })

  it('a new intent is pending, a removed one is gone, and a completed one does not return', async () => {
    const project = testWorkspace()
    const more = `${INTENTS.replace('COMPLETED', 'PENDING')}  - {id: INT-004, name: All, owned_scope: ["**"]}\n`
    put(project, REGISTRY, more)
    const workspace = await project.open()
    const session = await workspace.session({ id: 's' })
    expect(await reasonOf(() => session.selectIntent('INT-004'))).toBe('not_trusted')
    expect(await reasonOf(() => session.selectIntent('INT-003'))).toBe('intent_not_active')
    expect(await reasonOf(() => workspace.intents.complete('INT-004'))).toBe('not_trusted')
    put(project, REGISTRY, INTENTS.replace(/ {2}- id: INT-002[\s\S]*(?= {2}- id: INT-003)/, ''))
    expect(await reasonOf(() => session.selectIntent('INT-002'))).toBe('unknown_intent')
    await workspace.accept((await workspace.trust()).digest)
    put(project, REGISTRY, more)
    await workspace.accept((await workspace.trust()).digest)
    await session.selectIntent('INT-004')
    session.fs.writeFileSync('anything', 'x')
  })

  it('an intent that depends on another does not start because the file says that the other is completed', async () => {
    const project = testWorkspace(
      {},
      `${INTENTS}  - {id: INT-004, name: Then, owned_scope: ["src/**"], depends_on: [INT-001]}\n`,
    )
    put(project, REGISTRY, project.text(REGISTRY).replace('IN_PROGRESS', 'COMPLETED'))
    const session = await (await project.open()).session({ id: 's' })
    expect(await reasonOf(() => session.selectIntent('INT-004'))).toBe('intent_not_active')
  })

  it('git commits loosen the policy when they are switched on, and tighten it when they are switched off', () => {
    const effect = (before: string, after: string) => policyChanges(before, after).map((change) => change.effect)
    expect(effect('{}', 'commit: {git: false}')).toEqual(['tightens'])
    expect(effect('{}', 'commit: {git: true}')).toEqual(['loosens'])
    expect(effect('commit: {git: false}', 'commit: {git: true}')).toEqual(['loosens'])
    expect(effect('commit: {git: true}', '{}')).toEqual(['tightens'])
  })

  it('the rules of both apply, each to its paths, and a missing file loosens nothing', async () => {
    const project = testWorkspace({ 'src/a.ts': 'a', 'src/b.ts': 'b', 'src/c.ts': 'c', '.env': 'KEY=1' })
    project.write(POLICY, 'access: {src/a.ts: deny, src/c.ts: read-only}\nprotected: [src/p]\n')
    put(project, POLICY, 'access: {src/b.ts: deny, src/c.ts: deny, ".env": allow}\n')
    expect(await changesOf(project)).toEqual([
      'loosens access "src/a.ts": nothing (was: deny)',
      'tightens access "src/c.ts": deny (was: read-only)',
      'loosens protected: nothing (was: ["src/p"])',
      'tightens access "src/b.ts": deny (was: nothing)',
      'loosens access ".env": allow (was: closed as a secret)',
    ])
    const session = await startSession(await project.open())
    const { fs } = session
    for (const path of ['src/a.ts', 'src/b.ts', 'src/c.ts', '.env'])
      expect([path, await reasonOf(() => fs.readFileSync(path))]).toEqual([path, 'access_denied'])
    expect(await reasonOf(() => fs.writeFileSync('src/p', 'x'))).toBe('protected_path')
    rmSync(`${project.root}/${POLICY}`)
    const later = await startSession(await openWorkspace(project.root), 'later')
    expect(await reasonOf(() => later.fs.readFileSync('src/a.ts'))).toBe('access_denied')
    fs.readFileSync('src/b.ts')
    await later.close()
  })

  it('templates that only the file has are not offered, and its freed paths are not free', async () => {
    const project = testWorkspace()
    put(project, '.orchestration/templates/wide.yaml', 'owned_scope: ["**"]\n')
    put(project, '.intentignore', '*.log\n')
    const workspace = await project.open()
    expect((await workspace.intents.templates()).map(({ name }) => name)).not.toContain('wide')
    const adding = { name: 'Wide', from: 'wide' }
    expect(await reasonOf(() => workspace.intents.add(adding))).toBe('not_trusted')
    const session = await workspace.session({ id: 's' })
    expect(await reasonOf(() => session.fs.writeFileSync('a.log', 'x'))).toBe('missing_intent_id')
    await workspace.accept((await workspace.trust()).digest)
    await workspace.intents.add(adding)
    session.fs.writeFileSync('a.log', 'x')
  })
})

describe('an edit by escrow', () => {
  it('is accepted when it is made, while other changes of the file stay pending', async () => {
    const project = testWorkspace()
    put(project, REGISTRY, INTENTS.replace('"mail/**"', '"**"'))
    const workspace = await project.open()
    await workspace.intents.add({ name: 'Docs', ownedScope: ['docs/**'] })
    await startSession(workspace)
    expect(await changesOf(project)).toEqual(['loosens INT-002 scope +**', 'tightens INT-002 scope -mail/**'])
    const session = await startSession(workspace, 'docs', 'INT-004')
    session.fs.mkdirSync('docs')
    session.fs.writeFileSync('docs/x.md', 'x')
  })
})

describe('accepting', () => {
  it('is refused for a file that is too large, with a message', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    put(project, REGISTRY, `active_intents: []\n# ${'x'.repeat(300 * 1024)}\n`)
    expect(await failure(() => workspace.trust())).toMatchObject({
      reason: 'policy_invalid',
      message: expect.stringContaining('.orchestration/active_intents.yaml is larger than 256 KiB.'),
    })
  })

  it('applies only to the files that were shown and can be read', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { digest } = await workspace.trust()
    put(project, POLICY, 'claims: refuse\n')
    expect(await reasonOf(() => workspace.accept(digest))).toBe('stale_file')
    put(project, POLICY, 'nonsense: 1\n')
    expect(await failure(async () => workspace.accept((await workspace.trust()).digest))).toMatchObject({
      reason: 'policy_invalid',
      message: expect.stringContaining('policy.yaml, line 1'),
    })
  })

  it('is reported: when, by whom, and that nothing is pending', async () => {
    const project = testWorkspace()
    put(project, POLICY, 'limits: {files: 3}\n')
    const workspace = await project.open()
    expect(await workspace.trust()).toMatchObject({ waiting: false, changes: [{ effect: 'tightens' }] })
    put(project, POLICY, 'format: {"*.ts": "sh x"}\n')
    expect(await workspace.trust()).toMatchObject({ waiting: true, changes: [{ effect: 'runs' }] })
    await workspace.accept((await workspace.trust()).digest, { name: 'Ann' })
    expect(await workspace.trust()).toMatchObject({ waiting: false, changes: [], files: [], acceptedBy: 'Ann' })
  })
})

describe('a change and its reverse', () => {
  it('never both tighten', () => {
    const word = fc.constantFrom('allow', 'ask', 'read-only', 'deny', 'hidden')
    const policy = fc.record(
      {
        access: fc.dictionary(fc.constantFrom('a', 'b'), word),
        outside: fc.dictionary(fc.constantFrom('~/x', '/y'), word),
        protected: fc.uniqueArray(fc.constantFrom('p', 'q')),
        approval: fc.record({ by: fc.constantFrom('any', 'person') }, { requiredKeys: [] }),
        limits: fc.record({ files: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] }),
        terminal: fc.record(
          {
            network: fc.constantFrom(true, false, 'ask', [], ['a.example'], ['a.example', 'b.example']),
            isolation_none: fc.boolean(),
            require: fc.constantFrom([], ['write_fence'], ['write_fence', 'network_off']),
          },
          { requiredKeys: [] },
        ),
        format: fc.dictionary(fc.constantFrom('*.ts', '*.js'), fc.constantFrom('x', 'y')),
      },
      { requiredKeys: [] },
    )
    const isTighter = (changes: readonly Omit<TrustChange, 'file'>[]) =>
      changes.length > 0 && changes.every(({ effect }) => effect === 'tightens')
    fc.assert(
      fc.property(policy, policy, (a, b) => {
        const [one, other] = [JSON.stringify(a), JSON.stringify(b)]
        const isNothing = policyChanges(one, other).every(({ what }) => /false|any/.test(what))
        return !(isTighter(policyChanges(one, other)) && isTighter(policyChanges(other, one))) || isNothing
      }),
    )
  })
})
