import fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { AdmitOptions } from '../../src/access/admit-reviewer.js'
import {
  admitAgent,
  admitPerson,
  admitTruster,
  assertOutsideSession,
  enclosingSession,
  makeSigningKey,
} from '../../src/access/index.js'
import { admitReviewer } from '../../src/index.js'
import { makeReviewerKey } from '../../src/surface/index.js'
import { tempDir } from '../support/facade.js'
import { failure, reasonOf, startSession, testWorkspace } from '../support/workspace.js'

/** A state directory for the test. */
function stateHome(): string {
  const { path, dispose } = tempDir()
  vi.stubEnv('XDG_STATE_HOME', path)
  onTestFinished(() => {
    vi.unstubAllEnvs()
    dispose()
  })
  return path
}

describe("in an agent's session", () => {
  it('refuses every decision and allows every read', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    session.fs.writeFileSync('src/a.ts', 'x\n')
    session.requestScope(['mail/**'], 'mail too')
    const review = await workspace.review('agent')
    await review.approve('src/a.ts')
    const [question] = await review.questions()
    vi.stubEnv('ESCROW_SESSION', 'agent')
    onTestFinished(() => void vi.unstubAllEnvs())
    const { intents } = workspace
    const actions: Record<string, () => unknown> = {
      approve: () => review.approve(),
      reject: () => review.reject('src/a.ts', 'no'),
      edit: () => review.edit('src/a.ts', 'y\n'),
      key: () => makeReviewerKey(),
      commit: () => review.commit(),
      discard: () => review.discard(),
      answer: () => review.answer(question?.id ?? '', { answer: 'allow' }),
      undo: () => workspace.undo('1'),
      previewUndo: () => workspace.previewUndo('1'),
      add: () => intents.add({ name: 'More', ownedScope: ['**'] }),
      change: () => intents.edit('INT-001', { addScope: ['**'] }),
      expand: () => intents.expandScope('INT-001', ['**']),
      complete: () => intents.complete('INT-001'),
      select: () => intents.select('INT-002'),
      deselect: () => intents.deselect(),
      join: () => workspace.ledger.join(),
      anchor: () => workspace.ledger.anchor(),
      'the file': () => intents.editFile(async (text) => text.replace('src/**', '**')),
      command: () => admitReviewer(project.root, { terminal: true }),
    }
    for (const [name, action] of Object.entries(actions)) {
      const { reason, message } = await failure(action)
      expect([name, reason, message]).toEqual([name, 'access_denied', expect.stringContaining('session agent')])
    }
    expect((await review.changes()).changes.map(({ path, state }) => [path, state])).toEqual([['src/a.ts', 'approved']])
    expect((await review.questions()).length).toBe(1)
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    vi.unstubAllEnvs()
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
  })
})

describe('if policy requires a person', () => {
  const POLICY = { '.orchestration/policy.yaml': 'approval: { by: person }\n' }

  it('accepts a terminal, and otherwise requires a key', async () => {
    stateHome()
    const { root } = testWorkspace(POLICY)
    expect(admitReviewer(root, { terminal: true, env: {} })).toBeUndefined()
    expect(await reasonOf(() => admitReviewer(root, { terminal: false, env: {} }))).toBe('access_denied')
    expect(admitReviewer(testWorkspace().root, { terminal: false, env: {} })).toBeUndefined()
  })

  it("accepts a reviewer's key that is trusted here, outside of the workspace and private", async () => {
    const home = stateHome()
    const { root } = testWorkspace(POLICY)
    const key = makeReviewerKey()
    const admitWithKey = (file: string) => () =>
      admitReviewer(root, { terminal: false, env: { ESCROW_REVIEWER_KEY: file } })
    expect(key.created).toBe(true)
    expect(makeReviewerKey()).toMatchObject({ created: false, fingerprint: key.fingerprint })
    expect(admitWithKey(key.file)()).toBeUndefined()
    fs.cpSync(key.file, `${root}/key.pem`)
    expect((await failure(admitWithKey(`${root}/key.pem`))).message).toContain('is in the workspace')
    fs.symlinkSync(`${root}/key.pem`, `${home}/link.pem`)
    expect((await failure(admitWithKey(`${home}/link.pem`))).message).toContain('is in the workspace')
    fs.cpSync(key.file, `${home}/open.pem`)
    fs.chmodSync(`${home}/open.pem`, 0o644)
    expect((await failure(admitWithKey(`${home}/open.pem`))).message).toContain('readable by other users')
    expect((await failure(admitWithKey(`${home}/none.pem`))).message).toContain('cannot be read')
    fs.writeFileSync(`${home}/no.pem`, 'no key', { mode: 0o600 })
    expect(await reasonOf(admitWithKey(`${home}/no.pem`))).toBe('access_denied')
    // Another user's key, whose public half is not on this machine.
    vi.stubEnv('XDG_STATE_HOME', `${home}/other`)
    const other = makeReviewerKey().file
    vi.stubEnv('XDG_STATE_HOME', home)
    expect((await failure(admitWithKey(other))).message).toContain('not trusted')
    fs.cpSync(`${home}/other/escrowfs/keys/reviewers/own.pub.pem`, `${home}/escrowfs/keys/reviewers/ci.pub.pem`)
    expect(admitWithKey(other)()).toBeUndefined()
  })

  it('treats a policy that cannot be read as one that requires a person', async () => {
    stateHome()
    const broken = { '.orchestration/policy.yaml': 'approval: { by: person\n' }
    const { root } = testWorkspace(broken)
    const { reason, message } = await failure(() => admitReviewer(root, { terminal: false, env: {} }))
    expect([reason, message]).toEqual(['policy_invalid', expect.stringContaining('policy.yaml, line')])
    expect(admitReviewer(root, { terminal: true, env: {} })).toBeUndefined()
    const env = { ESCROW_REVIEWER_KEY: makeReviewerKey().file }
    expect(admitReviewer(root, { terminal: false, env })).toBeUndefined()
    const misspelt = testWorkspace({ '.orchestration/policy.yaml': 'approval: { by: person }\nnothing: 1\n' })
    expect(await reasonOf(() => admitReviewer(misspelt.root, { terminal: false, env: {} }))).toBe('policy_invalid')
  })
})

describe('the session that started this process', () => {
  it.each([
    [{}, undefined],
    [{ ESCROW_SESSION: '' }, undefined],
    [{ ESCROW_SESSION: 'agent' }, 'agent'],
  ])('in %j is %s', (env, session) => {
    expect(enclosingSession(env)).toBe(session)
    for (const gate of [assertOutsideSession, admitAgent])
      if (session === undefined) expect(() => gate(env)).not.toThrow()
      else expect(() => gate(env)).toThrow(`inside session ${session}`)
  })
})

/** Each admits a person at a terminal, or a process with a trusted key. */
const GATES: Readonly<Record<string, (root: string, options: AdmitOptions) => void>> = {
  'accepts the files of a workspace': (root, options) => admitTruster(root, options, false),
  'changes the machine': admitPerson,
}

describe.each(Object.entries(GATES))('whoever %s', (_, admit) => {
  it('is a person at a terminal', async () => {
    stateHome()
    const { root } = testWorkspace()
    expect(admit(root, { terminal: true, env: {} })).toBeUndefined()
    for (const env of [{}, { ESCROW_REVIEWER_KEY: '' }])
      expect(await failure(() => admit(root, { terminal: false, env }))).toMatchObject({
        reason: 'access_denied',
        message: expect.stringContaining('there is no terminal'),
      })
  })

  it("has a trusted reviewer's key", async () => {
    const home = stateHome()
    const { root } = testWorkspace()
    const { file } = makeReviewerKey()
    expect(admit(root, { terminal: false, env: { ESCROW_REVIEWER_KEY: file } })).toBeUndefined()
    fs.writeFileSync(`${home}/no.pem`, 'no key', { mode: 0o600 })
    const env = { ESCROW_REVIEWER_KEY: `${home}/no.pem` }
    expect((await failure(() => admit(root, { terminal: false, env }))).message).toContain('may not decide')
  })

  it("is never an agent's session, even at a terminal and with a key", async () => {
    stateHome()
    const { root } = testWorkspace()
    const env = { ESCROW_REVIEWER_KEY: makeReviewerKey().file, ESCROW_SESSION: 'agent' }
    for (const terminal of [true, false])
      expect((await failure(() => admit(root, { terminal, env }))).message).toContain('inside session agent')
  })
})

it('a machine that has accepted nothing accepts by digest, but not in a session', async () => {
  const { root } = testWorkspace()
  expect(admitTruster(root, { terminal: false, env: {} }, true)).toBeUndefined()
  const env = { ESCROW_SESSION: 'agent' }
  expect(await reasonOf(() => admitTruster(root, { terminal: false, env }, true))).toBe('access_denied')
})

it('outside of a workspace no key changes the machine', async () => {
  stateHome()
  const env = { ESCROW_REVIEWER_KEY: makeReviewerKey().file }
  expect(await reasonOf(() => admitPerson(undefined, { terminal: false, env }))).toBe('access_denied')
  expect(admitPerson(undefined, { terminal: true, env: {} })).toBeUndefined()
})

it('keys are not created in a workspace', async () => {
  const { root } = testWorkspace()
  vi.stubEnv('XDG_STATE_HOME', `${root}/state`)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const make of [makeReviewerKey, makeSigningKey]) expect(await reasonOf(make)).toBe('access_denied')
  expect(fs.existsSync(`${root}/state`)).toBe(false)
})
