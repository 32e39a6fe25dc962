import fs, { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { treeOf } from '../support/facade.js'
import { stateOf } from '../support/state.js'
import {
  failure,
  INTENTS,
  metadataOf,
  reasonOf,
  recordsOf,
  startSession,
  type TestWorkspace,
  testWorkspace,
} from '../support/workspace.js'

/** Bad input causes a named error with a hint; nothing is written and nothing is lost. */

/** A workspace with one staged edit in a closed session, and at least one line in the ledger. */
async function setUpUsedWorkspace(): Promise<TestWorkspace> {
  const project = testWorkspace()
  const workspace = await openWorkspace(project.root)
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'staged\n')
  session.fs.writeFileSync('src/b.ts', 'staged too\n')
  await workspace.close()
  return project
}

const files = (project: TestWorkspace) => treeOf(fs, project.root)
const orchestration = (project: TestWorkspace, name: string) => `${project.root}/.orchestration/${name}`
const inState = (project: TestWorkspace, name: string) => `${stateOf(project.root)}/${name}`

describe('a directory that is not a workspace', () => {
  it.each([
    ['does not exist', (root: string) => `${root}/nowhere`, /nowhere.*does not exist/],
    ['is a file', (root: string) => `${root}/src/a.ts`, /a\.ts.*not a directory/],
    ['is a circular link', (root: string) => `${root}/loop`, /loop.*cannot be read \(ELOOP\)/],
  ])('%s', async (_, name, message) => {
    const project = testWorkspace()
    symlinkSync('loop', `${project.root}/loop`)
    const before = files(project)
    const error = await failure(() => openWorkspace(name(project.root)))
    expect(error).toMatchObject({ name: 'EscrowError', reason: 'access_denied' })
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/\.$/)
    expect(files(project)).toEqual(before)
  })

  it('cannot be listed', async () => {
    const project = testWorkspace()
    fs.chmodSync(project.root, 0o300)
    const error = await withoutPrivileges(() => failure(() => openWorkspace(project.root)))
    fs.chmodSync(project.root, 0o700)
    expect(error).toMatchObject({ reason: 'access_denied', hint: expect.stringContaining('read') })
  })
})

describe('a foreign state directory', () => {
  it('is refused by name, and nothing changes', async () => {
    const project = testWorkspace()
    const before = treeOf(fs, project.root)
    const state = stateOf(project.root)
    fs.chmodSync(state, 0o777)
    onTestFinished(() => fs.chmodSync(state, 0o700))
    const error = await failure(() => project.open())
    expect(error).toMatchObject({ name: 'EscrowError', reason: 'access_denied' })
    expect(error.message).toContain('is not a directory that only you can write to')
    expect(treeOf(fs, project.root)).toEqual(before)
  })
})

/** Root may do everything, so this runs as another user. */
async function withoutPrivileges<T>(run: () => Promise<T>): Promise<T> {
  if (process.geteuid?.() !== 0) return run()
  process.seteuid?.(65534)
  try {
    return await run()
  } finally {
    process.seteuid?.(0)
  }
}

describe('a broken registry', () => {
  const BROKEN = {
    'invalid YAML': 'active_intents: [unclosed\n',
    'another shape': 'active_intents: 7\n',
    'an alias': 'active_intents:\n  - &a {id: INT-001, name: x}\n  - *a\n',
    'an unknown status': INTENTS.replace('IN_PROGRESS', 'STARTED'),
    'an unsupported glob': INTENTS.replace('src/**', '(a+)+b'),
    'a duplicate id': INTENTS.replace('INT-002', 'INT-001'),
  }

  it.each(Object.entries(BROKEN))(
    'with %s denies every write with a named error; reads work and the file stays',
    async (_, text) => {
      const project = testWorkspace(undefined, text)
      const workspace = await project.open()
      const session = await workspace.session({ id: 's' })
      const selecting = await failure(() => session.selectIntent('INT-001'))
      const writing = await failure(() => session.fs.writeFileSync('src/a.ts', 'x'))
      expect(selecting.reason).toBe('policy_invalid')
      expect(writing).toMatchObject({ code: 'EIO', reason: 'policy_invalid' })
      expect(writing.message).toContain('active_intents.yaml')
      expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
      expect(project.text('.orchestration/active_intents.yaml')).toBe(text)
      expect(await reasonOf(() => workspace.intents.list())).toBe('policy_invalid')
    },
  )

  it('denies at once when it breaks during a session, and works again once repaired', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    session.fs.writeFileSync('src/a.ts', 'before')
    project.write('.orchestration/active_intents.yaml', '{')
    expect(await reasonOf(() => session.fs.writeFileSync('src/a.ts', 'x'))).toBe('policy_invalid')
    project.write('.orchestration/active_intents.yaml', INTENTS)
    session.fs.writeFileSync('src/a.ts', 'after')
    expect((await session.changes()).changes).toHaveLength(1)
  })
})

describe('a broken policy', () => {
  it.each([
    ['an unknown key', 'acess: {}\n'],
    ['an unknown value', 'access: {src/**: maybe}\n'],
    ['invalid YAML', 'access: [\n'],
  ])('with %s denies every write with a named error', async (_, text) => {
    const project = testWorkspace()
    project.write('.orchestration/policy.yaml', text)
    const session = await startSession(await project.open())
    const error = await failure(() => session.fs.writeFileSync('src/a.ts', 'x'))
    expect(error).toMatchObject({ code: 'EIO', reason: 'policy_invalid' })
    expect(error.message).toContain('policy.yaml')
    expect((await session.changes()).changes).toEqual([])
  })
})

describe('a ledger', () => {
  it('with a torn last line is repaired at the next record, and reports it', async () => {
    const project = await setUpUsedWorkspace()
    const before = readFileSync(orchestration(project, 'agent_trace.jsonl'))
    appendFileSync(orchestration(project, 'agent_trace.jsonl'), '{"version":"0.1.0","id":"torn')
    const workspace = await project.open()
    const session = await startSession(workspace)
    expect(readFileSync(orchestration(project, 'agent_trace.jsonl')).subarray(0, before.length)).toEqual(before)
    expect((await recordsOf(workspace)).map((record) => metadataOf(record).type)).toContain('recovered')
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('staged\n')
  })

  it('with a changed middle is refused by line: no intent can be selected, nothing is written, the stage stays', async () => {
    const project = await setUpUsedWorkspace()
    const text = project.text('.orchestration/agent_trace.jsonl').replace('"INT-001"', '"INT-002"')
    project.write('.orchestration/agent_trace.jsonl', text)
    const workspace = await project.open()
    expect(await workspace.ledger.verify()).toMatchObject({ ok: false, firstBad: { line: 1 } })
    const session = await workspace.session({ id: 'agent' })
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('staged\n')
    const review = await workspace.review('agent')
    await review.changes()
    const error = await failure(() => review.approve())
    expect(['ledger_corrupt', 'ledger_fork']).toContain(error.reason)
    expect(error.message).toMatch(/line 1|agent_trace\.jsonl/)
    expect(await review.commit()).toMatchObject({ id: '' })
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    expect(project.text('.orchestration/agent_trace.jsonl')).toBe(text)
  })
})

describe('a session', () => {
  it('with a stage log damaged in the middle is refused by name; nothing is cut, and other sessions work', async () => {
    const project = await setUpUsedWorkspace()
    const log = inState(project, 'sessions/agent/stage.log')
    const bytes = readFileSync(log)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    writeFileSync(log, bytes)
    const workspace = await project.open()
    for (const call of [() => workspace.session({ id: 'agent' }), () => review(project)]) {
      const error = await failure(call)
      expect(error).toMatchObject({ name: 'EscrowError', reason: 'ledger_unavailable' })
      expect(error.message).toMatch(/stage\.log is damaged at line 1.*Restore the file/)
    }
    expect(readFileSync(log)).toEqual(bytes)
    const other = await startSession(workspace, 'other')
    other.fs.writeFileSync('src/a.ts', 'x')
    expect(existsSync(inState(project, 'sessions/agent/owner'))).toBe(false)
  })

  async function review(project: TestWorkspace): Promise<unknown> {
    return (await (await project.open()).review('agent')).changes()
  }

  it('with a truncated stage log opens with the part before', async () => {
    const project = await setUpUsedWorkspace()
    const log = inState(project, 'sessions/agent/stage.log')
    const lines = readFileSync(log, 'utf8').split('\n')
    const put = lines.findIndex((line) => line.includes('"src/b.ts"'))
    writeFileSync(log, `${lines.slice(0, put).join('\n')}\n${lines[put]?.slice(0, 30)}`)
    const session = await startSession(await project.open())
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
    session.fs.writeFileSync('src/b.ts', 'again')
    expect(existsSync(`${log}.torn`)).toBe(true)
  })

  it('with a lost pack reports it when content is needed, and commits nothing', async () => {
    const project = await setUpUsedWorkspace()
    rmSync(inState(project, 'sessions/agent/pack'))
    const workspace = await project.open()
    const session = await workspace.session({ id: 'agent' })
    await expect(session.changes()).rejects.toThrow(/pack/)
    expect(() => session.fs.readFileSync('src/a.ts')).toThrow(/pack/)
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('with a damaged review log trusts no verdict: the error names the line, and nothing is committed', async () => {
    const project = await setUpUsedWorkspace()
    const workspace = await project.open()
    const first = await workspace.review('agent')
    await first.changes()
    await first.approve()
    appendFileSync(inState(project, 'sessions/agent/review.jsonl'), 'not a record\n')
    const again = await project.open()
    const error = await failure(async () => (await again.review('agent')).commit())
    expect(error).toMatchObject({ name: 'EscrowError', reason: 'ledger_corrupt' })
    expect(error.message).toMatch(/review\.jsonl, line 2/)
    expect(error.hint).toContain('Move the file away')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('with a torn review log is read without the last line', async () => {
    const project = await setUpUsedWorkspace()
    appendFileSync(inState(project, 'sessions/agent/review.jsonl'), '{"kind":"verdict","id"')
    const review = await (await project.open()).review('agent')
    await review.changes()
    await review.approve()
    expect((await review.commit()).committed).toEqual(['src/a.ts', 'src/b.ts'])
  })

  it('with an invalid agent file opens without the agent', async () => {
    const project = await setUpUsedWorkspace()
    writeFileSync(inState(project, 'sessions/agent/meta.json'), '{')
    expect(await (await project.open()).sessions()).toEqual([
      { id: 'agent', live: false, changes: 2, intents: ['INT-001'] },
    ])
  })

  it('that is damaged is named in the list of sessions, and hides no other', async () => {
    const project = await setUpUsedWorkspace()
    const log = inState(project, 'sessions/agent/stage.log')
    const bytes = readFileSync(log)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    mkdirSync(inState(project, 'sessions/good'))
    writeFileSync(log, bytes)
    const sessions = await (await project.open()).sessions()
    expect(sessions).toMatchObject([
      { id: 'agent', damaged: expect.stringContaining('sessions/agent/stage.log') },
      { id: 'good' },
    ])
  })
})

describe('a damaged commit journal', () => {
  it('is refused by file at open, and the tree stays unchanged', async () => {
    const project = await setUpUsedWorkspace()
    mkdirSync(inState(project, 'commits'), { recursive: true })
    writeFileSync(inState(project, 'commits/1'), 'no plan')
    const before = treeOf(fs, `${project.root}/src`)
    const error = await failure(() => openWorkspace(project.root))
    expect(error).toMatchObject({ name: 'EscrowError', reason: 'ledger_corrupt' })
    expect(error.message).toContain('journal 1')
    expect(treeOf(fs, `${project.root}/src`)).toEqual(before)
  })
})

describe('files in place of escrowfs directories', () => {
  it.each(['sessions', 'locks', 'tx', 'commits', 'ledger.d'])(
    '%s: causes a named error, and the file stays',
    async (name) => {
      const project = testWorkspace()
      const path = name === 'tx' ? orchestration(project, name) : inState(project, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      rmSync(path, { recursive: true, force: true })
      writeFileSync(path, "somebody's own")
      const work = async () => {
        const workspace = await project.open()
        const session = await startSession(workspace)
        session.fs.writeFileSync('src/a.ts', 'x')
        const review = await workspace.review('agent')
        await review.changes()
        await review.approve()
        await review.commit()
      }
      const error = await failure(work)
      expect(error.name, String(error)).toBe('EscrowError')
      expect(error.message).toMatch(new RegExp(`${name}|journal`))
      expect(readFileSync(path, 'utf8')).toBe("somebody's own")
      expect(project.text('src/a.ts')).toBe('a one\na two\n')
    },
  )

  it('.orchestration: no workspace, every write denied, the file stays', async () => {
    const project = testWorkspace(undefined, '')
    writeFileSync(`${project.root}/.orchestration`, 'a file')
    const error = await failure(async () => {
      const session = await (await project.open()).session({ id: 's' })
      session.fs.writeFileSync('src/a.ts', 'x')
    })
    expect(error.reason).toBeDefined()
    expect(project.text('.orchestration')).toBe('a file')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })
})
