import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { withStateHome } from '../../src/os/state-dir.js'
import { escrowAt } from '../cli/real.js'
import { blame, land as landAt, text } from '../git/kit.js'
import { commitAll, git } from '../support/git.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'

const F = ['function first(a, b) {', "  const total = add('first', b)", '  return total', '}', '']
const G = ['function second(c) {', "  log('the second one is called', c)", '}', '']
const LEDGER = '.orchestration/agent_trace.jsonl'

const places: string[] = []
afterEach(() => {
  for (const place of places.splice(0)) rmSync(place, { recursive: true, force: true })
})

/** An agent appends lines to a file, Ann approves them, and a person commits them to git with the ledger. */
async function land(project: TestWorkspace, path: string, lines: readonly string[]): Promise<void> {
  await landAt(project, { id: 'agent', path, content: project.text(path) + text(lines), intoGit: false })
  commitAll(project.root)
}

/** A repository that keeps its ledger in git. Its second record is lost: a later commit restored the older file. */
async function repository() {
  const project = testWorkspace({ 'src/a.ts': text(F), 'src/b.ts': text(F) })
  git(project.root, 'init', '-q', '-b', 'main')
  await land(project, 'src/a.ts', ['first()'])
  const before = project.text(LEDGER)
  project.write('src/b.ts', text(F, ['personally()']))
  await land(project, 'src/a.ts', G)
  const lines = project.text(LEDGER).slice(before.length).split('\n').filter(Boolean)
  project.write(LEDGER, before)
  commitAll(project.root)
  return { ...project, lost: lines.find((line) => line.includes('"commit"')) ?? '' }
}

/** As another machine, which has no anchor of the ledger. */
async function onOtherMachine<T>(work: () => Promise<T>): Promise<T> {
  const place = await mkdtemp(join(tmpdir(), 'escrowfs-lost-'))
  places.push(place)
  return withStateHome(place, work)
}

describe('a record that the ledger has lost', () => {
  it('is read from git for the lines that it explains, and for no others', async () => {
    const at = await repository()
    const found = await blame(at.root)
    expect(found.slice(0, 6).map(({ contributor, fromGit }) => [contributor, fromGit])).toEqual([
      ...F.map(() => ['human', undefined]),
      ['ai', undefined],
    ])
    for (const line of found.slice(6)) {
      expect(line).toMatchObject({ contributor: 'ai', intentId: 'INT-001', approvedBy: 'Ann', fromGit: true })
      expect(line.unanchored).toBeUndefined()
    }
    expect((await blame(at.root, 'src/b.ts')).at(-1)).toMatchObject({ contributor: 'human' })
    const { out } = await escrowAt(at.root, ['blame', 'src/a.ts'])
    expect(out).toMatch(/\^ .*function second/)
    expect(out).toContain('whose record this ledger has lost')
  })

  it('stays missing for verify, and blame writes nothing', async () => {
    const at = await repository()
    const before = at.text(LEDGER)
    await blame(at.root)
    expect(at.text(LEDGER)).toBe(before)
    expect(git(at.root, 'status', '--porcelain')).toBe('')
    const workspace = await at.open()
    expect((await workspace.ledger.verify()).ok).toBe(false)
    await workspace.close()
  })

  it('is only a claim without an approval if nothing anchors it', async () => {
    const at = await repository()
    const found = await onOtherMachine(() => blame(at.root))
    for (const line of found.slice(6)) {
      expect(line).toMatchObject({ contributor: 'ai', intentId: 'INT-001', fromGit: true, unanchored: true })
      expect(line.approvedBy).toBeUndefined()
    }
  })

  it('is found in a branch that git removed, by the reflog', async () => {
    const project = testWorkspace({ 'src/a.ts': text(F) })
    git(project.root, 'init', '-q', '-b', 'main')
    await land(project, 'src/a.ts', ['first()'])
    git(project.root, 'switch', '-q', '-c', 'feature')
    await land(project, 'src/a.ts', G)
    const file = project.text('src/a.ts')
    git(project.root, 'switch', '-q', 'main')
    git(project.root, 'branch', '-q', '-D', 'feature')
    project.write('src/a.ts', file)
    git(project.root, 'commit', '-qam', 'A pull request (#1)', '-m', 'Intent: INT-001')
    expect((await blame(project.root)).slice(6).map(({ intentId, fromGit }) => [intentId, fromGit])).toEqual(
      G.map(() => ['INT-001', true]),
    )
  })

  it('cannot be forged: no approval, no person, and no authorship of a line that the ledger knows', async () => {
    const at = await repository()
    const forgeRecord = (change: (record: Record<string, unknown>) => void) => {
      const record = JSON.parse(at.lost)
      change(record)
      return JSON.stringify(record)
    }
    const asPerson = forgeRecord((record) => {
      record.id = 'forged-1'
      const human = JSON.stringify(record.files).replaceAll('"type":"ai"', '"type":"human"')
      record.files = JSON.parse(human.replaceAll('"entity_type":"AI"', '"entity_type":"Human"'))
    })
    const sameId = forgeRecord((record) => {
      record.intent_id = 'INT-666'
    })
    git(at.root, 'switch', '-q', '-c', 'hostile')
    at.write(LEDGER, `${asPerson}\n${sameId}\nno json\n{"id":1}\n`)
    commitAll(at.root)
    git(at.root, 'switch', '-q', 'main')
    for (const line of (await blame(at.root)).slice(6))
      expect(line).toMatchObject({ contributor: 'ai', intentId: 'INT-001' })
    const found = await onOtherMachine(() => blame(at.root))
    for (const { contributor, approvedBy, unanchored } of found.slice(6)) {
      expect(contributor).not.toBe('human')
      expect(approvedBy).toBeUndefined()
      if (contributor === 'ai') expect(unanchored).toBe(true)
    }
    expect(found.slice(0, 6).every(({ fromGit }) => fromGit === undefined)).toBe(true)
  })
})
