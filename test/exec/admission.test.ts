import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SessionAdmission } from '../../src/exec/admission.js'
import { approverOf, type Human } from '../../src/hooks/human.js'
import type { Answer, Question } from '../../src/index.js'
import { DEFAULT_SETTINGS } from '../../src/policy/settings.js'
import { trust } from '../support/trust.js'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

/** Commands and policy: denied commands, questions to a person, and the records in the ledger. */

const ADA = { name: 'Ada' }

async function scene(policy: string, approver?: (question: Question) => Promise<Answer | undefined>) {
  const project = testWorkspace()
  project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open(approver ? { approver } : {})
  const session = await startSession(workspace)
  const questions = async () => (await workspace.review(session.id)).questions()
  const answer = async (word: Answer['answer'], more: Partial<Answer> = {}) => {
    const other = await project.open()
    const review = await other.review(session.id)
    for (const { id } of await review.questions()) await review.answer(id, { answer: word, by: ADA, ...more })
  }
  const commands = async () => (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'command')
  return { ...project, workspace, session, questions, answer, commands }
}

describe('a policy for classes of commands', () => {
  it('refuses a denied class, runs others, and records the classes of each', async () => {
    const { session, commands, workspace } = await scene('terminal: {classes: {destructive: deny, network: deny}}\n')
    for (const line of ['rm -rf src', 'r\\m src/a.ts', 'sh -c "rm src/a.ts"', 'curl x', 'echo x | xargs rm'])
      expect(await reasonOf(() => session.exec(line)), line).toBe('access_denied')
    expect(await reasonOf(() => session.exec(['rm', '-rf', 'src']))).toBe('access_denied')
    expect((await session.exec('cat src/a.ts')).exitCode).toBe(0)
    expect((await session.changes()).changes).toEqual([])
    expect((await commands()).map(({ classes }) => classes)).toEqual([['read-only']])
    await session.flush()
    const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
    expect(denied.length).toBe(6)
  })

  it('names a denied script by its first line', async () => {
    const { session } = await scene('terminal: {classes: {destructive: deny}}\n')
    await expect(session.exec('cd src\nrm a.ts\nls')).rejects.toThrow('does not allow `cd src … (2 more lines)` (')
  })

  it('denies nothing without a rule, and runs what cannot be classified', async () => {
    const { session, commands } = await scene('{}\n')
    await session.exec('eval "rm src/a.ts"')
    expect((await session.changes()).changes).toMatchObject([{ kind: 'delete', path: 'src/a.ts' }])
    expect((await commands())[0]).toMatchObject({ classes: ['destructive', 'other'] })
  })

  it('asks about unclassified commands if any class has a rule, unless `other` has one', async () => {
    const { session, root, questions } = await scene('terminal: {classes: {destructive: deny}}\n')
    expect(await reasonOf(() => session.exec('X=rm; $X src/a.ts'))).toBe('needs_approval')
    expect(await questions()).toMatchObject([{ kind: 'command', command: 'X=rm; $X src/a.ts', rules: ['other'] }])
    fs.writeFileSync(`${root}/.orchestration/policy.yaml`, 'terminal: {classes: {destructive: deny, other: allow}}\n')
    trust(root)
    expect((await session.exec('X=ls; $X')).exitCode).toBe(0)
    fs.writeFileSync(`${root}/.orchestration/policy.yaml`, 'terminal: {classes: {destructive: no}}\n')
    expect(await reasonOf(() => session.exec('ls'))).toBe('policy_invalid')
  })

  it('classifies a command with its variables', async () => {
    const { session } = await scene('terminal: {classes: {other: deny}}\n')
    expect((await session.exec('ls', { env: { WORD: 'x' } })).exitCode).toBe(0)
    expect(await reasonOf(() => session.exec('ls', { env: { LD_PRELOAD: './x.so' } }))).toBe('access_denied')
  })
})

describe('a command that is asked about', () => {
  const ASK = 'terminal: {classes: {destructive: ask}}\n'

  it('is refused without an approver: one question stays open, and an answer applies to the same command only', async () => {
    const { session, questions, answer, commands } = await scene(ASK)
    const run = () => session.exec('rm src/a.ts')
    expect(await reasonOf(run)).toBe('needs_approval')
    expect(await reasonOf(run)).toBe('needs_approval')
    expect(await questions()).toMatchObject([
      { kind: 'command', command: 'rm src/a.ts', cwd: '', rules: ['destructive'] },
    ])
    await answer('allow')
    expect((await run()).effects.changes).toMatchObject([{ kind: 'delete', path: 'src/a.ts' }])
    expect((await commands())[0]).toMatchObject({
      classes: ['destructive'],
      allowed: { by: 'Ada', answer: 'allow' },
    })
    expect(await session.feedback()).toMatchObject([{ kind: 'granted', by: ADA }])
    expect((await run()).exitCode).not.toBe(0)
    for (const other of [
      () => session.exec('rm src/b.ts'),
      () => session.exec('rm src/a.ts', { cwd: 'src' }),
      () => session.exec('rm src/a.ts', { env: { HOME: '/x' } }),
      () => session.exec('rm src/a.ts', { stdin: 'y' }),
    ])
      expect(await reasonOf(other)).toBe('needs_approval')
  })

  it('runs once after the answer `once`, and then asks again', async () => {
    const { session, answer, questions } = await scene(ASK)
    expect(await reasonOf(() => session.exec('rm -f x'))).toBe('needs_approval')
    await answer('once')
    expect((await session.exec('rm -f x')).exitCode).toBe(0)
    expect(await reasonOf(() => session.exec('rm -f x'))).toBe('needs_approval')
    expect(await questions()).toHaveLength(1)
  })

  it("is refused after `deny`, with the reviewer's words; `subtree` is not an answer", async () => {
    const { session, answer } = await scene(ASK)
    expect(await reasonOf(() => session.exec('rm -f x'))).toBe('needs_approval')
    await expect(answer('subtree')).rejects.toMatchObject({ reason: 'unsupported' })
    await answer('deny', { words: 'Keep it.' })
    await expect(session.exec('rm -f x')).rejects.toMatchObject({ reason: 'access_denied', hint: 'Keep it.' })
    await expect(session.exec('rm -f x')).rejects.toMatchObject({ reason: 'access_denied' })
  })

  it.each([
    ['allow', 'terminal: { classes: { destructive: allow } }'],
    ['deny', 'terminal: { classes: { destructive: deny } }'],
  ] as const)('makes the answer %s the rule of its class on request', async (word, line) => {
    const { session, answer, root, workspace } = await scene(`# ours\n${ASK}`)
    expect(await reasonOf(() => session.exec('rm -f x'))).toBe('needs_approval')
    await answer(word, { remember: true, words: 'so' })
    expect(fs.readFileSync(`${root}/.orchestration/policy.yaml`, 'utf8').replace(/\s+/g, ' ')).toContain(
      line.replace(/\{ /g, '{').replace(/ \}/g, '}').replace(/\s+/g, ' '),
    )
    const other = await startSession(workspace, 'two')
    const ran = await other.exec('rm -f y').then(
      () => 'allow',
      (error: { reason: string }) => error.reason,
    )
    expect(ran).toBe(word === 'allow' ? 'allow' : 'access_denied')
  })

  it('waits for an approver, which is asked once for each command', async () => {
    const asked: Question[] = []
    const { session, commands } = await scene(ASK, async (question) => {
      asked.push(question)
      await new Promise((resolve) => setTimeout(resolve, 20))
      if (asked.length === 1) return { answer: 'once', by: ADA }
      return asked.length === 2 ? { answer: 'deny', words: 'No.', by: ADA } : undefined
    })
    expect((await session.exec('rm src/a.ts')).exitCode).toBe(0)
    await expect(session.exec('rm src/b.ts')).rejects.toMatchObject({ reason: 'access_denied', hint: 'No.' })
    expect(await reasonOf(() => session.exec('rm src/c.ts'))).toBe('needs_approval')
    expect(asked.map((each) => each.kind === 'command' && each.command)).toEqual([
      'rm src/a.ts',
      'rm src/b.ts',
      'rm src/c.ts',
    ])
    expect((await commands())[0]).toMatchObject({ allowed: { by: 'Ada', answer: 'once' } })
  })

  it('is shown to the person behind hooks, whose approval allows one run', async () => {
    const asked: string[] = []
    const human: Human = async ({ kind, message, detail }) => {
      asked.push(kind, message, detail)
      return { approved: true, by: ADA }
    }
    const { session, commands } = await scene(ASK, approverOf(human))
    await session.exec('rm src/a.ts')
    const script = `ls\n${'# not the end\n'.repeat(300)}rm src/b.ts`
    await session.exec(script)
    expect(asked).toEqual([
      'command',
      'May this command run? rm src/a.ts (destructive asks.)',
      'destructive: rm src/a.ts deletes files',
      'command',
      'May this command run? ls … (301 more lines) (destructive asks.)',
      `${script}\n\ndestructive: rm src/b.ts deletes files`,
    ])
    expect((await commands())[0]).toMatchObject({ allowed: { by: 'Ada', answer: 'once' } })
  })

  it('is refused if its caller aborts or the session closes', async () => {
    const controller = new AbortController()
    let onAsked = () => controller.abort()
    const { session } = await scene(ASK, () => {
      onAsked()
      return new Promise(() => undefined)
    })
    expect(await reasonOf(() => session.exec('rm -f x', { signal: controller.signal }))).toBe('needs_approval')
    const waiting = new Promise<void>((resolve) => {
      onAsked = resolve
    })
    const second = reasonOf(() => session.exec('rm -f y'))
    await waiting
    await session.close()
    expect(await second).toBe('needs_approval')
  })
})

describe('the network', () => {
  it('is asked about for a command that requests it, and allowed if a person answers so', async () => {
    const { session, answer, questions, commands } = await scene('terminal: {network: ask}\n')
    expect((await session.exec('true')).exitCode).toBe(0)
    expect(await reasonOf(() => session.exec('true', { network: true }))).toBe('needs_approval')
    expect(await questions()).toMatchObject([{ kind: 'command', command: 'true', rules: ['terminal.network'] }])
    await answer('once')
    expect((await session.exec('true', { network: true })).exitCode).toBe(0)
    expect((await commands()).map(({ network, allowed }) => [network, allowed])).toEqual([
      [false, undefined],
      [true, expect.objectContaining({ by: 'Ada' })],
    ])
  })
})

describe('a classifier that fails', () => {
  it.each([
    [{ destructive: 'ask', other: 'allow' }, 'access_denied'],
    [{ destructive: 'allow' }, 'other'],
    [{}, 'other'],
  ] as const)('under %j: %s', async (classes, expected) => {
    const rejectGrammar = async () => Promise.reject(new Error('no grammar'))
    const policy = { settings: () => ({ ...DEFAULT_SETTINGS, classes }) }
    const questions = { takeCommand: () => undefined, askCommand: () => undefined, waitForAnswers: async () => false }
    const noop = () => undefined
    const admission = new SessionAdmission(policy, questions, noop, noop, rejectGrammar)
    const admitted = admission.admit('ls', {}, '').then(
      (admission) => String(admission.classes),
      (error: { reason: string }) => error.reason,
    )
    expect(await admitted).toBe(expected)
  })
})
