import { mkdirSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { site } from '../terminal/site.js'
import { escrowAt } from './real.js'

const POLICY = 'access:\n  src/closed/**: deny\n'
const SELECTED = `active_intent_id: INT-001\n${INTENTS}`

function why(root: string) {
  return async (...argv: string[]) => {
    const { code, out, err } = await escrowAt(root, ['why', ...argv, '--json'])
    expect([code, err]).toEqual([0, ''])
    const found = JSON.parse(out)
    return { ...found, commands: found.remedies.flatMap(({ command }: { command?: string }) => command ?? []) }
  }
}

function workspace(intents = SELECTED) {
  const project = testWorkspace({ 'src/a.ts': 'a\n', '.orchestration/policy.yaml': POLICY }, intents)
  return { ...project, why: why(project.root) }
}

describe('why', () => {
  it('reports that a path in scope may be written', async () => {
    const found = await workspace().why('src/a.ts')
    expect(found.write.verdict).toBe('stage')
    expect([found.intent.id, found.owners, found.commands]).toEqual(['INT-001', ['INT-001'], []])
  })

  it('names the command that widens the scope, and the intents that may change the path', async () => {
    const found = await workspace().why('mail/new.ts')
    expect(found.write).toMatchObject({ verdict: 'deny', reason: 'scope_violation' })
    expect(found.owners).toEqual(['INT-002'])
    expect(found.commands).toEqual(['escrow intents scope INT-001 --add mail/new.ts'])
  })

  it('proposes the intent that owns the path if none is selected', async () => {
    const at = workspace(INTENTS)
    expect((await at.why('mail/m.ts')).commands).toEqual(['escrow use INT-002'])
    expect((await at.why('mail/m.ts', '--intent', 'INT-002')).write.verdict).toBe('stage')
    expect((await at.why('docs/m.md')).commands).toEqual([
      'escrow intents scope INT-001 --add docs/m.md && escrow use INT-001',
    ])
  })

  it('explains a refused path under the intent of the refusal, if no intent is selected', async () => {
    const { root, workspace: opened } = await site({ 'src/a.ts': 'a\n' }, INTENTS)
    const session = await opened.session({ id: 'over' })
    await session.selectIntent('INT-001')
    expect(() => session.fs.writeFileSync(`${root}/mail/new.ts`, '')).toThrow()
    await opened.close()
    const found = await why(root)('mail/new.ts')
    expect([found.intent.id, found.write.reason]).toEqual(['INT-001', 'scope_violation'])
  })

  it('names the line of the rule that denies a path', async () => {
    const found = await workspace().why('src/closed/a.ts')
    expect(found.write.rules.at(-1)).toMatchObject({ rule: 'access', source: '.orchestration/policy.yaml:2' })
    expect(found.remedies[0].advice).toContain('.orchestration/policy.yaml:2')
  })

  it('names what to write in policy.yaml to open a secret, and never the command just typed', async () => {
    const at = workspace()
    const { out } = await escrowAt(at.root, ['why', '.env'])
    const open = out.slice(out.indexOf('\nrefused'))
    expect(open).toContain('`access: { ".env": allow }` in .orchestration/policy.yaml')
    expect(open).not.toContain('escrow why')
  })

  it.each([
    ['.git/config', undefined],
    ['.npmrc', 'escrow intents scope INT-001 --add .npmrc'],
  ])('reports whether a wider scope allows %s', async (path, command) => {
    const found = await workspace().why(path)
    expect([found.write.reason, found.commands]).toEqual(['protected_path', command === undefined ? [] : [command]])
  })

  it('follows links', async () => {
    const at = workspace()
    mkdirSync(`${at.root}/mail`)
    symlinkSync('../mail', `${at.root}/src/link`)
    expect((await at.why('src/link/m.ts')).write.reason).toBe('scope_violation')
  })

  it('refuses a mistyped intent and an unknown session', async () => {
    const at = workspace()
    expect((await escrowAt(at.root, ['why', 'a', '--intent', 'INT-01'])).err).toContain("Did you mean 'INT-001'?")
    expect((await escrowAt(at.root, ['why', 'a', '--session', 'nobody'])).code).toBe(1)
  })
})

it('why lists past refusals, staged changes and quarantined ones', async () => {
  const fixture = await site({ 'src/a.ts': 'a\n', 'docs/d.md': 'd\n' }, SELECTED)
  await fixture.session.exec('echo y >> src/a.ts; echo z >> docs/d.md')
  await fixture.session.close()
  const ask = why(fixture.root)
  const docs = await ask('docs/d.md')
  expect(docs.refused).toMatchObject([{ session: 'agent', intent: 'INT-001', reason: 'scope_violation' }])
  expect(docs.quarantined).toMatchObject([{ session: 'agent', intentId: 'INT-001' }])
  expect(docs.commands).toEqual([
    'escrow intents scope INT-001 --add docs/d.md && escrow quarantine agent --take docs/d.md --intent INT-001',
  ])
  await escrowAt(fixture.root, ['intents', 'scope', 'INT-001', '--add', 'docs/d.md', '--by', 'Ada'])
  expect((await ask('docs/d.md')).commands).toEqual(['escrow quarantine agent --take docs/d.md --intent INT-001'])
  const { out } = await escrowAt(fixture.root, ['why', 'src/a.ts', '--session', 'agent'])
  expect(out).toMatch(/^ {2}write {3}staged for review$/m)
  expect(out).toMatch(/^Staged\n {2}agent {2}pending$/m)
})
