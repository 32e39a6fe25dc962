import fs, { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { treeOf } from '../support/facade.js'
import { stateOf } from '../support/state.js'
import { failure, metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const put = (session: Session, path: string, text: string) => session.fs.writeFileSync(path, text)

describe('selecting an intent', () => {
  it('returns the context, opens the scope, and leaves the YAML of an intent in progress byte-identical', async () => {
    const project = testWorkspace()
    const before = project.text('.orchestration/active_intents.yaml')
    const session = await (await project.open()).session({ id: 's' })
    expect(session.intent).toBeUndefined()
    const { xml, intent } = await session.selectIntent('INT-001')
    expect(xml).toMatch(/^Active intent set to INT-001\.\n\n<intent_context>/)
    expect(intent).toMatchObject({ id: 'INT-001', status: 'IN_PROGRESS' })
    expect(session.intent).toEqual(intent)
    expect(project.text('.orchestration/active_intents.yaml')).toBe(before)
    put(session, 'src/a.ts', 'new')
  })

  it('sets a pending intent to IN_PROGRESS and keeps the comments of the file', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open(), 's', 'INT-002')
    expect(session.intent?.status).toBe('IN_PROGRESS')
    const text = project.text('.orchestration/active_intents.yaml')
    expect(text.match(/IN_PROGRESS/g)).toHaveLength(2)
    expect(text).toContain('# since Monday')
  })

  it('is refused for an unknown and a completed intent, and keeps the active one', async () => {
    const session = await startSession(await testWorkspace().open())
    expect(await reasonOf(() => session.selectIntent('INT-999'))).toBe('unknown_intent')
    const done = await failure(() => session.selectIntent('INT-003'))
    expect(done.reason).toBe('intent_not_active')
    expect(done.message).toContain('COMPLETED')
    expect(session.intent?.id).toBe('INT-001')
  })

  it('with null clears the intent and denies every write', async () => {
    const session = await startSession(await testWorkspace().open())
    expect(await session.selectIntent(null)).toEqual({ intent: undefined, xml: 'Active intent cleared.' })
    expect(session.intent).toBeUndefined()
    expect(await reasonOf(() => put(session, 'src/a.ts', 'x'))).toBe('missing_intent_id')
  })
})

describe('the fs of a session', () => {
  it('shows its own writes, which neither the disk nor another session sees', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const [one, two] = [await startSession(workspace, 'one'), await startSession(workspace, 'two')]
    const before = treeOf(fs, `${project.root}/src`)
    put(one, 'src/a.ts', 'mine')
    await one.fs.promises.mkdir(`${project.root}/src/new/deep`, { recursive: true })
    await one.fs.promises.writeFile(`${project.root}/src/new/deep/f.ts`, 'f')
    one.fs.rmSync('src/sub', { recursive: true })
    one.fs.renameSync('src/b.ts', 'src/moved.ts')
    expect(one.fs.readFileSync('src/a.ts', 'utf8')).toBe('mine')
    expect(one.fs.readdirSync('src')).toEqual(['a.ts', 'moved.ts', 'new'])
    expect(one.fs.readFileSync('src/moved.ts', 'utf8')).toBe('b\n')
    expect(two.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
    expect(treeOf(fs, `${project.root}/src`)).toEqual(before)
  })

  it('refuses a path out of scope with the exact shape of a node:fs error', async () => {
    const session = await startSession(await testWorkspace().open())
    const error = await failure(() => put(session, 'mail/m.ts', 'x'))
    expect(error).toMatchObject({ code: 'EACCES', syscall: 'open', path: 'mail/m.ts', reason: 'scope_violation' })
    expect(error.message).toBe(
      "EACCES: Scope Violation: INT-001 is not authorized to edit mail/m.ts. Request scope expansion., open 'mail/m.ts'",
    )
  })

  it('resolves relative paths from the root, never from the working directory', async () => {
    const session = await startSession(await testWorkspace().open())
    expect(session.fs.readFileSync('src/b.ts', 'utf8')).toBe('b\n')
    expect(session.fs.existsSync('package.json')).toBe(false)
  })

  it('refuses a write to a file that changed since the agent read it, until it reads it again', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    session.fs.readFileSync('src/a.ts')
    project.write('src/a.ts', 'a person was here\n')
    expect(await failure(() => put(session, 'src/a.ts', 'x'))).toMatchObject({ code: 'ESTALE', reason: 'stale_file' })
    session.fs.readFileSync('src/a.ts')
    put(session, 'src/a.ts', 'x')
  })

  it("does not count an edit tool's own re-read as a read by the model", async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    await session.toolCall({ tool: 'read_file', kind: 'read' }, () => session.fs.readFileSync('src/a.ts'))
    project.write('src/a.ts', 'a person was here\n')
    const edit = () =>
      session.toolCall({ tool: 'apply_diff', kind: 'edit' }, () => {
        session.fs.readFileSync('src/a.ts')
        put(session, 'src/a.ts', 'x')
      })
    expect(await reasonOf(edit)).toBe('stale_file')
  })

  it('flags drift of a staged file but never refuses its write', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    put(session, 'src/a.ts', 'one')
    project.write('src/a.ts', 'a person was here\n')
    put(session, 'src/a.ts', 'two')
    const { changes } = await session.changes()
    expect(changes).toMatchObject([{ path: 'src/a.ts', flags: ['drifted'] }])
  })

  it('denies a multi-path call as a whole, before its first write', async () => {
    const session = await startSession(await testWorkspace().open())
    const writes = [
      { path: 'src/a.ts', effect: 'put' as const },
      { path: 'mail/m.ts', effect: 'put' as const },
    ]
    const call = () =>
      session.toolCall({ tool: 'apply_patch', kind: 'edit', writes }, () => put(session, 'src/a.ts', 'x'))
    expect(await reasonOf(call)).toBe('scope_violation')
    expect((await session.changes()).changes).toEqual([])
  })

  it('judges a new directory with its missing parents, and skips existing ones', async () => {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', 'access: {src/shut: read-only}\n')
    const session = await startSession(await project.open())
    fs.symlinkSync('../mail', `${project.root}/src/away`, 'dir')
    const created: string[] = []
    const make = (path: string) => {
      const writes = [{ path, effect: 'mkdir' as const }]
      return session.toolCall({ tool: 'make', kind: 'edit', writes }, () => void created.push(path))
    }
    const reason = (path: string) => reasonOf(() => make(path))
    for (const path of ['src/new', 'src/new/deep', 'src', 'mail', '.', 'src/', 'src/none/../x']) await make(path)
    for (const path of ['mail/new', 'mail/new/deep', 'src/away/new/deep', 'src/shut/new'])
      expect([path, await reason(path)]).toEqual([path, expect.stringMatching(/^(scope_violation|access_denied)$/)])
    expect(await reason('src/.git/hooks')).toBe('protected_path')
    expect(await reason('src/new/.orchestration/x')).toBe('protected_path')
    expect(await reason('../out/side')).toBe('path_escape')
    expect(created).toHaveLength(7)
  })
})

describe('staged changes', () => {
  it('have digests, kinds, hunks and the intent, deletions first, then by path', async () => {
    const session = await startSession(await testWorkspace().open())
    session.fs.unlinkSync('src/sub/c.ts')
    session.fs.renameSync('src/b.ts', 'src/z.ts')
    put(session, 'src/a.ts', 'a one\nchanged\n')
    put(session, 'src/new.ts', 'n\n')
    const { changes, digest } = await session.changes()
    expect(digest).toMatch(/^sha256:/)
    expect(changes.map(({ path, from, kind, intentId }) => ({ path, from, kind, intentId }))).toEqual([
      { path: 'src/sub/c.ts', from: undefined, kind: 'delete', intentId: 'INT-001' },
      { path: 'src/a.ts', from: undefined, kind: 'modify', intentId: 'INT-001' },
      { path: 'src/new.ts', from: undefined, kind: 'create', intentId: 'INT-001' },
      { path: 'src/z.ts', from: 'src/b.ts', kind: 'rename', intentId: 'INT-001' },
    ])
    expect(changes[1]?.hunks[0]?.text).toContain('-a two\n+changed')
    expect(changes[2]).toMatchObject({ before: null })
    expect(changes[0]).toMatchObject({ after: null })
  })

  it('are reverted completely or by path, and the disk shows again', async () => {
    const session = await startSession(await testWorkspace().open())
    put(session, 'src/a.ts', 'x')
    put(session, 'src/sub/c.ts', 'x')
    put(session, 'src/b.ts', 'x')
    await session.revert(['src/sub'])
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts', 'src/b.ts'])
    expect(session.fs.readFileSync('src/sub/c.ts', 'utf8')).toBe('c\n')
    await session.revert()
    expect((await session.changes()).changes).toEqual([])
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
  })

  it('are reverted completely for a removed and a renamed directory', async () => {
    const session = await startSession(await testWorkspace().open())
    session.fs.rmSync('src/sub', { recursive: true })
    await session.revert(['src/sub/c.ts'])
    expect(session.fs.readFileSync('src/sub/c.ts', 'utf8')).toBe('c\n')
    session.fs.renameSync('src/sub', 'src/moved')
    expect((await session.changes()).changes).toMatchObject([{ from: 'src/sub/c.ts', intentId: 'INT-001' }])
    await session.revert(['src/moved'])
    expect((await session.changes()).changes).toEqual([])
    expect(session.fs.readdirSync('src')).toEqual(['a.ts', 'b.ts', 'sub'])
  })
})

describe('explain', () => {
  it('lists the decision of each rule, up to the first that denies', async () => {
    const session = await startSession(await testWorkspace().open())
    expect(await session.explain('src/a.ts', 'write')).toMatchObject({ path: 'src/a.ts', verdict: 'stage' })
    expect(await session.explain('src/a.ts', 'read')).toMatchObject({ verdict: 'allow' })
    const denied = await session.explain('mail/m.ts', 'write')
    expect(denied).toMatchObject({ verdict: 'deny', reason: 'scope_violation' })
    expect(denied.rules.at(-1)).toMatchObject({ verdict: 'deny', reason: 'scope_violation' })
    expect(await session.explain('.git/config', 'write')).toMatchObject({ reason: 'protected_path' })
  })

  it('names the policy line behind a rule', async () => {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', '# rules\naccess:\n  docs: deny\n  src/a.ts: allow\n')
    const session = await startSession(await project.open())
    const sources = async (path: string) => {
      const { rules } = await session.explain(path, 'write')
      return Object.fromEntries(rules.flatMap(({ rule, source }) => (source === undefined ? [] : [[rule, source]])))
    }
    const intent = expect.stringMatching(/^\.orchestration\/active_intents\.yaml:\d+$/)
    expect(await sources('docs/x.md')).toEqual({ access: '.orchestration/policy.yaml:3' })
    expect(await sources('src/a.ts')).toEqual({ access: '.orchestration/policy.yaml:4', intent, scope: intent })
  })

  it('changes nothing', async () => {
    const session = await startSession(await testWorkspace().open())
    await session.explain('src/a.ts', 'remove')
    expect((await session.changes()).changes).toEqual([])
  })
})

describe('close', () => {
  it('says that the files of the session were removed meanwhile, and ends the session', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    put(session, 'src/a.ts', 'new')
    const log = `${stateOf(project.root)}/sessions/${session.id}/stage.log`
    renameSync(log, `${log}-away`)
    expect(await failure(() => session.flush())).toMatchObject({
      reason: 'ledger_unavailable',
      message: expect.stringContaining('Another program has removed or replaced'),
    })
    expect(await reasonOf(() => session.close())).toBe('ledger_unavailable')
    renameSync(`${log}-away`, log)
    const again = await startSession(workspace)
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('new')
  })

  it('keeps the stage and clears the intent; the closed session refuses everything', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    put(session, 'src/a.ts', 'kept')
    await session.close()
    expect(await reasonOf(() => session.changes())).toBe('session_busy')
    expect(await reasonOf(() => put(session, 'src/a.ts', 'x'))).toBe('access_denied')
    const again = await workspace.session({ id: 'agent' })
    expect(again).not.toBe(session)
    expect(again.intent).toBeUndefined()
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('kept')
    expect(await reasonOf(() => put(again, 'src/a.ts', 'x'))).toBe('missing_intent_id')
  })

  it('is what the end of a block does for a session and a workspace', async () => {
    const workspace = await testWorkspace().open()
    const [first, second] = [await startSession(workspace), await workspace.session({ id: 'second' })]
    await first[Symbol.asyncDispose]()
    expect(await reasonOf(() => first.changes())).toBe('session_busy')
    expect((await second.changes()).changes).toEqual([])
    await workspace[Symbol.asyncDispose]()
    expect(await reasonOf(() => second.changes())).toBe('session_busy')
  })

  it('records the selection, its end, calls and denials in the ledger', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await session.toolCall({ tool: 'write_to_file', kind: 'edit', id: 'call-1' }, () => put(session, 'src/a.ts', 'x'))
    await reasonOf(() => put(session, 'mail/m.ts', 'x'))
    await session.close()
    const records = await recordsOf(workspace)
    expect(records.map((record) => metadataOf(record).type)).toEqual([
      'intent_selected',
      'tool_call',
      'denied',
      'intent_cleared',
    ])
    expect(records[1]).toMatchObject({ req_id: 'call-1', intent_id: 'INT-001', session_id: 'agent' })
    expect(metadataOf(records[1] ?? {})).toMatchObject({ paths: ['src/a.ts'], outcome: 'ok' })
    expect(metadataOf(records[2] ?? {})).toMatchObject({ reason: 'scope_violation', path: 'mail/m.ts' })
    expect(await workspace.ledger.verify()).toEqual({ ok: true, records: 4, anchored: 4 })
  })
})

describe('durability', () => {
  it('memory keeps nothing on disk and nothing for the next process', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open({ durability: 'memory' }))
    put(session, 'src/a.ts', 'x')
    await session.flush()
    expect(existsSync(`${stateOf(project.root)}/sessions`)).toBe(false)
  })

  it("process writes to the session's files before the call returns", async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    const log = `${stateOf(project.root)}/sessions/agent/stage.log`
    const before = statSync(log).size
    put(session, 'src/a.ts', 'x')
    expect(statSync(log).size).toBeGreaterThan(before)
    expect(readdirSync(`${stateOf(project.root)}/sessions/agent`)).toContain('pack')
  })
})

describe('a ledger that cannot be written', () => {
  it('blocks every further write', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    put(session, 'src/a.ts', 'x')
    await reasonOf(() => put(session, 'mail/m.ts', 'x'))
    rmSync(`${project.root}/.orchestration/agent_trace.jsonl`)
    mkdirSync(`${project.root}/.orchestration/agent_trace.jsonl`)
    expect(await reasonOf(() => session.flush())).toBe('ledger_unavailable')
    expect(await failure(() => put(session, 'src/b.ts', 'x'))).toMatchObject({
      code: 'EIO',
      reason: 'ledger_unavailable',
    })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('x')
  })
})
