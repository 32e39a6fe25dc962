import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Session, Workspace } from '../../src/index.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const CODE = `export function price(amount: number): number {\n  const tax = amount * 0.19\n  return amount + tax\n}\n`
const FILES = {
  'src/price.ts': CODE,
  'docs/guide.md': '# Prices\n\nHow prices are made.\n',
  'package.json': '{ "name": "shop", "dependencies": { "left-pad": "1.0.0" } }\n',
}
const intents = (check: string) => `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["**"]
    acceptance_criteria:${check === '' ? ' []' : `\n      - run: ${JSON.stringify(check)}`}
`
const POLICY = `approval:
  auto:
    tiers:
      - { name: docs, paths: ["docs/**"], classes: [documentation], max_files: 5, max_lines: 50, requires: [no_link] }
      - { name: refactor, paths: ["src/**"], classes: [refactor], max_files: 5, max_lines: 50 }
    never: ["docs/legal/**"]
`

async function begin({ check = 'test -f src/price.ts', policy = POLICY, sentence = '' } = {}) {
  const project = testWorkspace(FILES, intents(check) + (sentence === '' ? '' : `      - ${sentence}\n`))
  project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  const session = await startSession(workspace)
  return { project, workspace, session, release: (options = {}) => releaseOf(workspace, session, options) }
}

async function releaseOf(workspace: Workspace, session: Session, options: { dryRun?: boolean }) {
  return (await workspace.review(session.id)).release(options)
}

const renamed = CODE.replaceAll('tax', 'vat')

describe('a release by rule', () => {
  it('approves and commits what a tier releases, once its checks are green, and leaves the rest', async () => {
    const { project, session, release, workspace } = await begin()
    session.fs.writeFileSync('src/price.ts', renamed)
    session.fs.writeFileSync('docs/guide.md', '# Prices\n\nHow prices are made, with tax.\n')
    session.fs.writeFileSync('src/new.ts', 'export const rate = 2\n')
    const report = await release()
    expect(report.decisions.map(({ path, tier }) => [path, tier])).toEqual([
      ['docs/guide.md', 'docs'],
      ['src/new.ts', undefined],
      ['src/price.ts', 'refactor'],
    ])
    expect(report).toMatchObject({ commit: { paths: ['docs/guide.md', 'src/price.ts'], seq: 1 } })
    expect(project.text('src/price.ts')).toBe(renamed)
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/new.ts'])
    const records = (await recordsOf(workspace)).map(metadataOf)
    expect(records.filter(({ type }) => type === 'verdict').map(({ rule, reviewer }) => [rule, reviewer])).toEqual([
      [{ tier: 'docs', policy: expect.stringMatching(/^sha256:/) }, { name: 'policy: docs' }],
      [{ tier: 'refactor', policy: expect.stringMatching(/^sha256:/) }, { name: 'policy: refactor' }],
    ])
    const { approved_by: by } = records.find(({ type }) => type === 'commit') ?? {}
    expect(records.find(({ type }) => type === 'commit')?.evidence).toEqual(report.evidence)
    expect(report.evidence).toEqual([records.find(({ type }) => type === 'check')?.check])
    expect(new Set(by as string[])).toEqual(new Set(['policy: docs', 'policy: refactor']))
    expect((await workspace.undo(report.commit?.id ?? '')).sessionId).toBe('undo-1')
  })

  it('does nothing on a dry run', async () => {
    const { project, session, release, workspace } = await begin()
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    const { decisions, approved } = await release({ dryRun: true })
    expect([decisions[0]?.tier, approved]).toEqual(['docs', []])
    expect((await (await workspace.review('agent')).changes()).changes[0]?.state).toBe('pending')
    expect(project.text('docs/guide.md')).toBe(FILES['docs/guide.md'])
  })

  it('releases nothing without tiers', async () => {
    const { session, release } = await begin({ policy: 'approval: { merge: auto }\n' })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    expect((await release()).decisions).toMatchObject([{ reasons: [expect.stringContaining('approval.auto')] }])
  })

  it.each([
    ['behaviour', 'src/price.ts', CODE.replace('0.19', '0.07')],
    ['text that does not parse', 'src/price.ts', 'export function {{{\n'],
    ['a path without a tier', 'other/a.md', 'text\n'],
    ['a path under never', 'docs/legal/terms.md', 'text\n'],
    ['a manifest', 'package.json', FILES['package.json'].replace('1.0.0', '1.0.1')],
    ['a lockfile', 'docs/package-lock.json', '{}\n'],
    ['invisible characters', 'docs/guide.md', '# Prices\u202e\n'],
    [
      'a secret',
      'docs/guide.md',
      `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEowIBAAKCAQEA7'.repeat(20)}\n-----END RSA PRIVATE KEY-----\n`,
    ],
  ])('leaves %s to a person', async (_, path, text) => {
    const { session, release } = await begin()
    session.fs.mkdirSync(path.replace(/[^/]*$/, '') || '.', { recursive: true })
    session.fs.writeFileSync(path, text)
    const report = await release()
    expect(report).toMatchObject({ approved: [] })
    expect(report.commit).toBeUndefined()
    expect(report.decisions.find((each) => each.path === path)?.reasons).not.toEqual([])
  })

  it('leaves a deletion, a mode, a link and a binary file to a person', async () => {
    const { session, release } = await begin()
    session.fs.rmSync('docs/guide.md')
    session.fs.chmodSync('src/price.ts', 0o755)
    session.fs.symlinkSync('guide.md', 'docs/link.md')
    session.fs.writeFileSync('docs/image.md', Buffer.from([0, 1, 2, 255]))
    const { decisions, commit } = await release()
    expect(commit).toBeUndefined()
    expect(decisions.filter(({ tier }) => tier !== undefined)).toEqual([])
    expect(decisions).toHaveLength(4)
  })

  it('withdraws its approvals if a check fails, or if none covers the changes', async () => {
    for (const check of ['false', '']) {
      const { project, session, release, workspace } = await begin({ check })
      session.fs.writeFileSync('src/price.ts', renamed)
      expect(await release()).toMatchObject({ approved: [], stopped: expect.stringContaining('withdrawn') })
      expect((await (await workspace.review('agent')).changes()).changes[0]?.state).toBe('pending')
      expect(project.text('src/price.ts')).toBe(CODE)
    }
  })

  it('releases nothing of a tier beyond its budget', async () => {
    const { session, release } = await begin()
    for (let n = 0; n < 6; n++) session.fs.writeFileSync(`docs/${n}.md`, 'text\n')
    const { decisions, commit } = await release()
    expect(commit).toBeUndefined()
    expect(decisions[0]?.reasons).toEqual(['the tier docs releases 5 files at most, not 6'])
  })

  it('applies for as long as the tier says, and a rejection stops it', async () => {
    const { project, session, release, workspace } = await begin({
      policy: POLICY.replace('requires: [no_link]', 'requires: [no_link], hold: 30'),
    })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    const report = await release()
    expect(report.approved).toEqual(['docs/guide.md'])
    expect(Date.parse(report.heldUntil ?? '') - Date.now()).toBeGreaterThan(29 * 60_000)
    expect((await release()).commit).toBeUndefined()
    const review = await workspace.review('agent')
    await review.changes()
    await review.reject('docs/guide.md', 'Not so')
    expect(await release()).toMatchObject({ approved: [] })
    expect(project.text('docs/guide.md')).toBe(FILES['docs/guide.md'])
  })

  it("never overrides a person's rejection, and never commits what a person has approved", async () => {
    const { project, session, release, workspace } = await begin()
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    session.fs.writeFileSync('docs/other.md', 'other\n')
    session.fs.writeFileSync('src/new.ts', 'export const rate = 2\n')
    const review = await workspace.review('agent')
    await review.changes()
    await review.reject('docs/guide.md', 'Not so')
    await review.approve('src/new.ts', { name: 'Ann' })
    expect(await release()).toMatchObject({
      approved: ['docs/other.md'],
      stopped: expect.stringContaining('escrow commit'),
    })
    expect(() => project.text('src/new.ts')).toThrow()
  })

  it('stops if a person decides while it runs', async () => {
    const { project, session, workspace } = await begin()
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    const [review, other] = [await workspace.review('agent'), await workspace.review('agent')]
    await other.changes()
    const [report] = await Promise.all([review.release(), other.reject('docs/guide.md', 'No')])
    expect(report.commit).toBeUndefined()
    expect(project.text('docs/guide.md')).toBe(FILES['docs/guide.md'])
  })

  it('withdraws an approval whose rule was removed', async () => {
    const held = POLICY.replace('requires: [no_link]', 'requires: [no_link], hold: 30')
    const { project, session, release, workspace } = await begin({ policy: held })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    await release()
    project.write('.orchestration/policy.yaml', held.replace('docs/**', 'papers/**'))
    expect(await release()).toMatchObject({ approved: [] })
    expect((await (await workspace.review('agent')).changes()).changes[0]?.state).toBe('pending')
  })

  it('counts only rules that a person has accepted', async () => {
    const { project, session, release } = await begin({ policy: 'approval: { merge: manual }\n' })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    const { writeFileSync } = await import('node:fs')
    writeFileSync(`${project.root}/.orchestration/policy.yaml`, POLICY)
    expect((await release()).decisions[0]?.tier).toBeUndefined()
  })

  it('stops if policy requires ticks that are missing, and commits once a person has ticked', async () => {
    const policy = `${POLICY}commit: { checklist: required }\n`
    const { project, session, release, workspace } = await begin({ policy, sentence: 'Prices are integers' })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    const report = await release()
    expect(report).toMatchObject({
      approved: ['docs/guide.md'],
      stopped: expect.stringMatching(/INT-001 1: "Prices are integers".*'escrow tick agent INT-001 1'/),
    })
    expect(report.commit).toBeUndefined()
    const review = await workspace.review('agent')
    expect((await review.changes()).changes[0]?.state).toBe('approved')
    expect(project.text('docs/guide.md')).toBe(FILES['docs/guide.md'])
    await review.tick('INT-001', 'Prices are integers')
    expect(await release()).toMatchObject({ commit: { paths: ['docs/guide.md'] } })
  })

  it('needs no person if only a person approves, because accepting the rules was the decision', async () => {
    const { session, release } = await begin({ policy: POLICY.replace('approval:\n', 'approval:\n  by: person\n') })
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    expect((await release()).commit?.paths).toEqual(['docs/guide.md'])
  })

  it("is refused in an agent's session", async () => {
    const { session, release, workspace } = await begin()
    session.fs.writeFileSync('docs/guide.md', 'more\n')
    vi.stubEnv('ESCROW_SESSION', 'agent')
    onTestFinished(() => void vi.unstubAllEnvs())
    await expect(release()).rejects.toMatchObject({ reason: 'access_denied' })
    await expect(release({ dryRun: true })).rejects.toMatchObject({ reason: 'access_denied' })
    await expect(workspace.testRelease('HEAD')).rejects.toMatchObject({ reason: 'access_denied' })
  })
})
