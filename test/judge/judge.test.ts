import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { openJudge, serveShell } from '../../src/index.js'
import { stateOf } from '../support/state.js'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

it("judges by the session's stage and answers, and changes neither", async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace, 'agent')
  session.fs.symlinkSync('sub', 'src/away', 'dir')
  project.write('.orchestration/policy.yaml', 'access: {src/b.ts: ask, src/sub/c.ts: deny}\n')
  expect(await reasonOf(() => session.fs.writeFileSync('src/b.ts', 'x'))).toBe('needs_approval')
  await session.flush()
  const log = `${stateOf(project.root)}/sessions/agent/stage.log`
  const before = readFileSync(log, 'utf8')
  const reasonFor = async (path: string) => {
    const judge = await openJudge(project.root, { session: 'agent' })
    expect([judge.isHeld, judge.intent?.id]).toEqual([true, 'INT-001'])
    return (await judge.judge({ tool: 'Write', writes: [{ path, effect: 'put' }] }))?.reason
  }
  // The link is only staged: on the disk alone it would be a new directory.
  expect(await reasonFor('src/away/c.ts')).toBe('access_denied')
  expect(await reasonFor('src/b.ts')).toBe('needs_approval')
  const review = await workspace.review('agent')
  const [question] = await review.questions()
  await review.answer(question?.id ?? '', { answer: 'allow' })
  expect(await reasonFor('src/b.ts')).toBeUndefined()
  expect(readFileSync(log, 'utf8')).toBe(before)
  const denied = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'denied')
  expect(denied.map(({ reason }) => reason)).toContain('access_denied')
})

it('creates no session, and requires a selectable intent', async () => {
  const project = testWorkspace()
  for (const [intent, reason] of [
    ['INT-003', 'intent_not_active'],
    ['INT-404', 'unknown_intent'],
  ] as const) {
    const judge = await openJudge(project.root, { session: 'new', intent })
    expect(judge.intent).toBeUndefined()
    expect((await judge.judge({ tool: 'x', needsIntent: true }))?.reason).toBe(reason)
  }
  const none = await openJudge(project.root, { session: 'new' })
  expect((await none.judge({ tool: 'x', writes: [{ path: 'src/a.ts', effect: 'put' }] }))?.reason).toBe(
    'missing_intent_id',
  )
  expect(await none.feedback()).toEqual([])
  expect(existsSync(`${stateOf(project.root)}/sessions`)).toBe(false)
  expect(await reasonOf(() => openJudge(project.root, { session: 'a/b' }))).toBe('path_escape')
})

it("reports the model to the session's owner once, and to nobody without an owner", async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await workspace.session({ id: 'served', agent: { tool: 'client' } })
  const server = await serveShell(session, { announcedIn: project.root })
  const reportModel = async (agent: { tool: string; model?: string }) =>
    (await openJudge(project.root, { session: 'served', agent })).introduceAgent()
  await reportModel({ tool: 'client' })
  expect(session.agent).toEqual({ tool: 'client' })
  await reportModel({ tool: 'client', model: 'one' })
  expect(session.agent).toEqual({ tool: 'client', model: 'one' })
  await session.flush()
  const log = `${stateOf(project.root)}/sessions/served/stage.log`
  const before = readFileSync(log, 'utf8')
  await reportModel({ tool: 'client', model: 'one' })
  expect(readFileSync(log, 'utf8')).toBe(before)
  await server.close()
  await reportModel({ tool: 'client', model: 'two' })
  expect(session.agent).toEqual({ tool: 'client', model: 'one' })
})
