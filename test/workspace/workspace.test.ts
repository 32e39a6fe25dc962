import fs, { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it } from 'vitest'
import { digest } from '../../overlay/index.js'
import { commitEntries } from '../../src/commit/index.js'
import type { Workspace } from '../../src/core/api.js'
import type { Layout } from '../../src/core/layout.js'
import { initWorkspace } from '../../src/index.js'
import { thisProcess } from '../../src/os/process.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { newDraft } from '../../src/trace/index.js'
import { startChild } from '../children/run.js'
import { entryFor } from '../commit/kit.js'
import { CrashError, reportingDisk } from '../crash/faulty-disk.js'
import { treeOf } from '../support/facade.js'
import { stateOf } from '../support/state.js'
import {
  failure,
  metadataOf,
  reasonOf,
  recordsOf,
  startSession,
  type TestWorkspace,
  testWorkspace,
} from '../support/workspace.js'

const ANN = { name: 'Ann' }

/** An agent with one staged edit, and a person who looks at it through another Workspace object. */
async function setUpStaged(): Promise<{
  project: TestWorkspace
  agent: Awaited<ReturnType<typeof startSession>>
  person: Workspace
}> {
  const project = testWorkspace()
  const agent = await startSession(await project.open())
  agent.fs.readFileSync('src/a.ts')
  agent.fs.writeFileSync('src/a.ts', 'a one\na TWO\n')
  return { project, agent, person: await project.open() }
}

describe('opening', () => {
  it('accepts a path, a file URL and a link to the root, and resolves paths by each of them', async () => {
    const project = testWorkspace()
    fs.symlinkSync(project.root, `${project.root}.link`)
    try {
      const { openWorkspace } = await import('../../src/index.js')
      for (const root of [
        project.root,
        pathToFileURL(project.root),
        `${project.root}/src/..`,
        `${project.root}.link`,
      ]) {
        const workspace = await openWorkspace(root)
        expect(workspace.root).toBe(project.root)
        await workspace.close()
      }
      const workspace = await openWorkspace(`${project.root}.link`)
      const session = await startSession(workspace)
      session.fs.writeFileSync(`${project.root}.link/src/b.ts`, 'by the link')
      expect(session.fs.readFileSync(`${project.root}/src/b.ts`, 'utf8')).toBe('by the link')
      await workspace.close()
    } finally {
      fs.unlinkSync(`${project.root}.link`)
    }
  })

  it('changes nothing on disk', async () => {
    const project = testWorkspace()
    const before = treeOf(fs, project.root)
    const workspace = await project.open()
    await workspace.sessions()
    await workspace.intents.list()
    await workspace.close()
    expect(treeOf(fs, project.root)).toEqual(before)
  })

  it('without .orchestration has no intents, denies every write with a hint, and creates nothing', async () => {
    const project = testWorkspace(undefined, '')
    const before = treeOf(fs, project.root)
    const workspace = await project.open()
    const session = await workspace.session({ id: 's' })
    const error = await failure(() => session.fs.writeFileSync('src/a.ts', 'x'))
    expect(error).toMatchObject({ code: 'EACCES', reason: 'missing_intent_id' })
    expect(error.hint).toContain('escrow init')
    expect(session.fs.readFileSync('src/b.ts', 'utf8')).toBe('b\n')
    expect(await workspace.sessions()).toEqual([])
    await workspace.close()
    expect(treeOf(fs, project.root)).toEqual(before)
  })
})

/** The files of a commit attempt whose process died before the commit point. */
function leaveAttempt({ attempts, tx }: Layout, id: string): void {
  fs.mkdirSync(`${tx}/${id}-00`, { recursive: true })
  fs.mkdirSync(attempts, { recursive: true, mode: 0o700 })
  const owner = { ...thisProcess(), pid: 2 ** 22, start: '1' }
  fs.writeFileSync(`${attempts}/${id}.tx`, JSON.stringify({ name: `${id}-00`, owner }))
}

describe('recover', () => {
  /** A decided commit whose process died, a later save by another program, and an attempt that died earlier. */
  async function cutOff(): Promise<TestWorkspace> {
    const project = testWorkspace()
    const layout = layoutAt(project.root)
    let isPublished = false
    const { disk } = reportingDisk(({ name, args }) => {
      if (isPublished && name !== 'lstat') throw new CrashError()
      if (name === 'link' && String(args[1]).startsWith(layout.commits)) isPublished = true
    }, 'all')
    const draft = newDraft({ type: 'commit', intent: null, session: 'dead' })
    const entries = [
      entryFor('src/b.ts', { file: 'b\n' }, { file: 'ours' }),
      entryFor('src/new.ts', null, { file: 'new' }),
    ]
    const commit = commitEntries(
      {
        layout,
        sessionId: 'dead',
        entries,
        gate: () => undefined,
        records: ({ tx }) => [{ ...draft, tx }],
        append: async () => undefined,
      },
      disk,
    )
    await expect(commit).rejects.toThrow(CrashError)
    leaveAttempt(layout, '2-abcd')
    project.write('src/b.ts', 'theirs')
    return project
  }

  it('happens when a workspace opens, is reported by recover(), and happens once', async () => {
    const project = await cutOff()
    const workspace = await project.open()
    expect([project.text('src/b.ts'), project.text('src/new.ts')]).toEqual(['theirs', 'new'])
    const recovery = await workspace.recover()
    expect(recovery).toMatchObject({ finished: [1], rolledBack: ['2-abcd'], left: [{ seq: 1, path: 'src/b.ts' }] })
    expect(project.text(recovery.left[0]?.kept ?? '')).toBe('ours')
    expect(await workspace.recover()).toEqual(recovery)
    expect((await recordsOf(workspace)).map((record) => metadataOf(record).type)).toEqual(['commit'])
    expect(await (await project.open()).recover()).toEqual({ finished: [], rolledBack: [], left: [] })
  })

  it('finishes a commit of another process that died since', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    leaveAttempt(layoutAt(project.root), '1-abcd')
    expect(await workspace.recover()).toEqual({ finished: [], rolledBack: ['1-abcd'], left: [] })
    expect(fs.readdirSync(layoutAt(project.root).tx)).toEqual([])
  })
})

describe('init', () => {
  it('creates a workspace that opens without an intent; a second run keeps everything', async () => {
    const project = testWorkspace(undefined, '')
    const { created, kept } = await initWorkspace(project.root)
    expect(created.sort()).toEqual([
      '.orchestration/.gitattributes',
      '.orchestration/.gitignore',
      '.orchestration/active_intents.yaml',
      '.orchestration/policy.yaml',
    ])
    expect(kept).toEqual([])
    const workspace = await project.open()
    expect(await workspace.intents.list()).toEqual([])
    const session = await workspace.session({ id: 's' })
    expect(await reasonOf(() => session.fs.writeFileSync('src/a.ts', 'x'))).toBe('missing_intent_id')
    project.write('.orchestration/active_intents.yaml', 'active_intents: [] # mine\n')
    expect(await initWorkspace(project.root)).toEqual({ created: [], kept: expect.arrayContaining(created) })
    expect(project.text('.orchestration/active_intents.yaml')).toBe('active_intents: [] # mine\n')
    expect(project.text('.orchestration/.gitignore')).toContain('/sessions/')
  })
})

describe('sessions', () => {
  it('returns one object for one id, also to concurrent callers, and a new one after close', async () => {
    const workspace = await testWorkspace().open()
    const [a, b] = await Promise.all([workspace.session({ id: 's' }), workspace.session({ id: 's' })])
    expect(a).toBe(b)
    expect(await workspace.session({ id: 's' })).toBe(a)
    await a.close()
    expect(await workspace.session({ id: 's' })).not.toBe(a)
  })

  it('refuses an id that is not a plain file name, and creates nothing', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    for (const id of ['', '..', '../x', 'a/b', '.hidden', 'x'.repeat(101), 'a\0b', 'a b'])
      expect(await reasonOf(() => workspace.session({ id }))).toBe('path_escape')
    expect(existsSync(`${stateOf(project.root)}/sessions`)).toBe(false)
  })

  it('lists sessions with their agent, their changes and whether a process holds them', async () => {
    const { agent, person } = await setUpStaged()
    expect(await person.sessions()).toEqual([
      { id: 'agent', live: true, changes: 1, agent: { model: 'm-1', tool: 'tester' }, intents: ['INT-001'] },
    ])
    await agent.close()
    expect(await person.sessions()).toMatchObject([{ id: 'agent', live: false, changes: 1 }])
  })

  it('lists a session of another process and shows its stage; opening it is session_busy until that process ends', async () => {
    const project = testWorkspace()
    const child = startChild('holder.ts', project.root, 'theirs')
    expect(await child.line()).toBe('held')
    const workspace = await project.open()
    expect(await workspace.sessions()).toMatchObject([{ id: 'theirs', live: true, changes: 1 }])
    const { changes } = await (await workspace.review('theirs')).changes()
    expect(changes).toMatchObject([{ path: 'src/held.ts', kind: 'create' }])
    const opening = failure(() => workspace.session({ id: 'theirs' }))
    // A process that waits for a session can still review it.
    expect(await workspace.sessions()).toMatchObject([{ id: 'theirs', live: true, changes: 1 }])
    expect((await (await workspace.review('theirs')).changes()).changes).toHaveLength(1)
    const busy = await opening
    expect(busy.reason).toBe('session_busy')
    expect(busy.hint).toContain('another id')
    await child.end()
    const session = await workspace.session({ id: 'theirs' })
    expect(session.fs.readFileSync('src/held.ts', 'utf8')).toBe(String(child.process.pid))
  })

  it('names the process of another container that holds a session, and the file to remove if it has ended', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const { dir, owner } = layoutAt(project.root).session('theirs')
    mkdirSync(dir, { recursive: true })
    const gone = { ...thisProcess(), host: '3f2a', pid: 7, start: '1', pidNamespace: 'pid:[1]', nonce: 'n' }
    writeFileSync(owner, JSON.stringify(gone))
    const busy = await failure(() => workspace.session({ id: 'theirs' }))
    expect(busy).toMatchObject({ reason: 'session_busy', message: expect.stringContaining('process 7 of 3f2a') })
    expect(busy.hint).toContain(`remove ${owner}`)
    rmSync(owner)
    expect((await workspace.session({ id: 'theirs' })).id).toBe('theirs')
  })

  it('resumes a session of a killed process with its stage and without its intent', async () => {
    const project = testWorkspace()
    const child = startChild('holder.ts', project.root, 'theirs')
    await child.line()
    await child.kill()
    const workspace = await project.open()
    expect(await workspace.sessions()).toMatchObject([{ id: 'theirs', live: false, changes: 1 }])
    const session = await workspace.session({ id: 'theirs' })
    expect(session.intent).toBeUndefined()
    expect(session.fs.readFileSync('src/held.ts', 'utf8')).toBe(String(child.process.pid))
    expect(await reasonOf(() => session.fs.writeFileSync('src/held.ts', 'x'))).toBe('missing_intent_id')
  })
})

describe('a review', () => {
  it('of an unknown session lists the known ones', async () => {
    const { person } = await setUpStaged()
    const error = await failure(() => person.review('nobody'))
    expect(error.reason).toBe('nothing_selected')
    expect(error.message).toContain('agent')
    expect(await reasonOf(() => person.review('../agent'))).toBe('nothing_selected')
  })

  it('shows what a live session staged, from another Workspace object', async () => {
    const { agent, person } = await setUpStaged()
    const review = await person.review('agent')
    const displayed = await review.changes()
    expect(displayed.changes).toMatchObject([
      { path: 'src/a.ts', kind: 'modify', state: 'pending', intentId: 'INT-001', before: digest('a one\na two\n') },
    ])
    const changes = displayed.changes.map(({ mutation: _, ...each }) => each)
    expect({ ...displayed, changes }).toEqual(await agent.changes())
    agent.fs.writeFileSync('src/new.ts', 'n')
    expect((await review.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts', 'src/new.ts'])
  })

  it('approves and commits; the disk, the ledger and the stage agree, and the agent continues', async () => {
    const { project, agent, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    const verdict = await review.approve(undefined, ANN)
    expect(verdict).toMatchObject({ verdict: 'approved', paths: ['src/a.ts'], by: ANN })
    expect((await agent.changes()).changes).toMatchObject([{ state: 'approved' }])
    const result = await review.commit()
    expect(result).toMatchObject({ committed: ['src/a.ts'], conflicts: [] })
    expect(project.text('src/a.ts')).toBe('a one\na TWO\n')
    expect((await agent.changes()).changes).toEqual([])
    expect((await review.changes()).changes).toEqual([])
    const commit = (await recordsOf(person)).find((record) => metadataOf(record).type === 'commit')
    expect(commit).toMatchObject({ intent_id: 'INT-001', session_id: 'agent' })
    expect(metadataOf(commit ?? {})).toMatchObject({
      tx: result.id,
      approved_by: ['Ann'],
      changes: [{ path: 'src/a.ts' }],
    })
    expect(await person.ledger.verify()).toMatchObject({ ok: true })
    agent.fs.writeFileSync('src/a.ts', 'more')
    expect((await agent.changes()).changes).toMatchObject([
      { path: 'src/a.ts', before: digest('a one\na TWO\n'), flags: [], state: 'pending' },
    ])
  })

  it('commits creations, deletions, renames and a new empty directory together', async () => {
    const { project, agent, person } = await setUpStaged()
    agent.fs.mkdirSync('src/empty/deep', { recursive: true })
    agent.fs.renameSync('src/sub', 'src/moved')
    agent.fs.renameSync('src/b.ts', 'src/bb.ts')
    agent.fs.mkdirSync('src/n')
    agent.fs.writeFileSync('src/n/new.ts', 'n')
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    const wanted = treeOf(agent.fs, 'src')
    await review.commit()
    expect(treeOf(fs, `${project.root}/src`)).toEqual(wanted)
    expect((await agent.changes()).changes).toEqual([])
    expect(treeOf(agent.fs, 'src')).toEqual(wanted)
    expect(agent.fs.readFileSync('src/moved/c.ts', 'utf8')).toBe('c\n')
  })

  it('approves only what was shown; later writes need their own verdict', async () => {
    const { project, agent, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    agent.fs.writeFileSync('src/a.ts', 'something else')
    expect(await reasonOf(() => review.approve())).toBe('stale_file')
    await review.changes()
    await review.approve()
    agent.fs.writeFileSync('src/a.ts', 'after the verdict')
    const left = [expect.objectContaining({ path: 'src/a.ts' })]
    expect(await review.commit()).toEqual({ id: '', seq: 0, committed: [], conflicts: [], left })
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('commits nothing and records nothing when nothing is approved', async () => {
    const { person } = await setUpStaged()
    const before = (await recordsOf(person)).length
    const review = await person.review('agent')
    expect(await review.commit()).toEqual({ id: '', seq: 0, committed: [], conflicts: [] })
    expect(await recordsOf(person)).toHaveLength(before)
  })

  it('commits a part and keeps the rest staged', async () => {
    const { project, agent, person } = await setUpStaged()
    agent.fs.writeFileSync('src/b.ts', 'b2')
    const review = await person.review('agent')
    await review.changes()
    await review.approve('src/b.ts')
    expect((await review.commit()).committed).toEqual(['src/b.ts'])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    expect((await agent.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
    expect(agent.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na TWO\n')
  })

  it('rejects a change: the agent gets it once as feedback and once at its next write, and it is never committed', async () => {
    const { project, agent, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    await review.reject('src/a.ts', 'Keep it lower case.', ANN)
    await review.approve()
    expect((await review.commit()).id).toBe('')
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
    expect(await agent.feedback()).toEqual([
      { path: 'src/a.ts', kind: 'rejected', reason: 'Keep it lower case.', by: ANN },
    ])
    expect(await agent.feedback()).toEqual([])
    expect((await agent.changes()).changes).toMatchObject([{ path: 'src/a.ts', state: 'rejected' }])
    const refused = await failure(() => agent.fs.writeFileSync('src/a.ts', 'try'))
    expect(refused).toMatchObject({ code: 'ECANCELED', reason: 'user_rejected' })
    expect(refused.message).toContain('Keep it lower case.')
    expect(agent.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na TWO\n')
    agent.fs.writeFileSync('src/a.ts', 'a one\nbetter\n')
    expect((await agent.changes()).changes).toMatchObject([{ state: 'pending' }])
  })

  it('does not deliver feedback again after a restart', async () => {
    const { agent, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    await review.reject('src/a.ts', 'No.')
    expect(await agent.feedback()).toHaveLength(1)
    await agent.close()
    const again = await startSession(person, 'agent')
    expect(await again.feedback()).toEqual([])
    expect(await reasonOf(() => again.fs.writeFileSync('src/a.ts', 'x'))).toBe('user_rejected')
    again.fs.writeFileSync('src/a.ts', 'x')
  })

  it('discards a change: the agent sees the disk again, and no verdict remains', async () => {
    const { agent, person } = await setUpStaged()
    agent.fs.writeFileSync('src/b.ts', 'b2')
    const review = await person.review('agent')
    await review.changes()
    await review.discard('src/a.ts')
    expect((await review.changes()).changes.map(({ path }) => path)).toEqual(['src/b.ts'])
    expect((await agent.changes()).changes.map(({ path }) => path)).toEqual(['src/b.ts'])
    expect(agent.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
    await review.discard()
    expect((await agent.changes()).changes).toEqual([])
  })

  it("flags a person's edit on disk and never overwrites it", async () => {
    const { project, agent, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    project.write('src/a.ts', 'by hand\n')
    const refused = await failure(() => review.commit())
    expect(refused).toMatchObject({ reason: 'stale_file', refused: [{ path: 'src/a.ts', reason: 'stale_file' }] })
    expect(project.text('src/a.ts')).toBe('by hand\n')
    expect((await review.changes()).changes).toMatchObject([{ path: 'src/a.ts', flags: ['drifted'] }])
    expect(await reasonOf(() => review.approve('src/a.ts'))).toBe('stale_file')
    expect((await review.approve()).paths).toEqual([])
    expect(agent.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na TWO\n')
  })

  it("makes other sessions' reads stale and their staged changes drifted when one session commits", async () => {
    const { agent, person } = await setUpStaged()
    const two = await startSession(person, 'two')
    const three = await startSession(person, 'three')
    two.fs.readFileSync('src/a.ts')
    three.fs.writeFileSync('src/a.ts', 'three was here')
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    await review.commit()
    expect(await reasonOf(() => two.fs.writeFileSync('src/a.ts', 'x'))).toBe('stale_file')
    expect((await three.changes()).changes).toMatchObject([{ path: 'src/a.ts', flags: ['drifted'] }])
    expect((await agent.changes()).changes).toEqual([])
  })

  it('flags a deletion as drifted when another session committed the file since', async () => {
    const { project, person } = await setUpStaged()
    const two = await startSession(person, 'two')
    two.fs.rmSync('src', { recursive: true })
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    await review.commit()
    const theirs = await person.review('two')
    const { changes } = await theirs.changes()
    expect(changes.find(({ path }) => path === 'src/a.ts')).toMatchObject({ kind: 'delete', flags: ['drifted'] })
    await theirs.approve()
    await theirs.commit()
    expect(project.text('src/a.ts')).toBe('a one\na TWO\n')
  })

  it('refuses the whole commit after its scope was narrowed', async () => {
    const { project, person } = await setUpStaged()
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    project.write(
      '.orchestration/active_intents.yaml',
      project.text('.orchestration/active_intents.yaml').replace('src/**', 'lib/**'),
    )
    const refused = await failure(() => review.commit())
    expect(refused.refused).toMatchObject([{ path: 'src/a.ts', reason: 'scope_violation' }])
    expect(project.text('src/a.ts')).toBe('a one\na two\n')
  })

  it('commits a closed session from its files only', async () => {
    const { project, agent, person } = await setUpStaged()
    await agent.close()
    const review = await person.review('agent')
    await review.changes()
    await review.approve()
    await review.commit()
    expect(project.text('src/a.ts')).toBe('a one\na TWO\n')
    expect(await person.sessions()).toMatchObject([{ id: 'agent', live: false, changes: 0 }])
    const again = await startSession(person, 'agent')
    expect((await again.changes()).changes).toEqual([])
  })

  it('gives the agent no way to approve or commit', async () => {
    const { agent } = await setUpStaged()
    for (const name of ['approve', 'commit', 'reject', 'review', 'discard']) expect(agent).not.toHaveProperty(name)
  })
})

describe('closing the workspace', () => {
  it('closes its sessions and releases them to other processes', async () => {
    const { project, agent, person } = await setUpStaged()
    const mine = await startSession(person, 'mine')
    await person.close()
    expect(await reasonOf(() => mine.changes())).toBe('session_busy')
    expect(existsSync(`${stateOf(project.root)}/sessions/mine/owner`)).toBe(false)
    expect(readFileSync(`${stateOf(project.root)}/sessions/agent/owner`, 'utf8')).toContain(String(process.pid))
    await agent.close()
  })
})

describe('a session that another agent continues', () => {
  const write = async (project: TestWorkspace, agent: { model: string; tool: string } | undefined, path: string) => {
    const workspace = await project.open()
    const session = await workspace.session({ id: 'agent', ...(agent && { agent }) })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync(path, `by ${agent?.model ?? 'nobody'}`)
    await workspace.close()
  }

  async function commitPaths(project: TestWorkspace, ...paths: string[]) {
    const workspace = await project.open()
    const review = await workspace.review('agent')
    await review.approve(paths, ANN)
    await review.commit()
    const record = (await recordsOf(workspace)).findLast((each) => metadataOf(each).type === 'commit')
    const files = record?.files as { path: string; contributor: { model_identifier: string | null } }[]
    return { tool: record?.tool, models: files.map((file) => [file.path, file.contributor.model_identifier]) }
  }

  it('credits each agent with its own lines, and the record with the agent that wrote all of it', async () => {
    const project = testWorkspace()
    await write(project, { model: 'm-1', tool: 'first' }, 'src/a.ts')
    await write(project, { model: 'm-2', tool: 'second' }, 'src/b.ts')
    await write(project, undefined, 'src/sub/c.ts')
    await write(project, { model: 'm-1', tool: 'first' }, 'src/new.ts')
    expect(await commitPaths(project, 'src/a.ts', 'src/new.ts')).toEqual({
      tool: { name: 'first' },
      models: [
        ['src/a.ts', 'm-1'],
        ['src/new.ts', 'm-1'],
      ],
    })
    expect((await commitPaths(project, 'src/b.ts', 'src/sub/c.ts')).models).toEqual([
      ['src/b.ts', 'm-2'],
      // Opened without an agent, a session continues with its last one.
      ['src/sub/c.ts', 'm-2'],
    ])
  })

  it('does not credit a named agent with lines whose agent is unknown', async () => {
    const project = testWorkspace()
    await write(project, undefined, 'src/a.ts')
    await write(project, { model: 'm-2', tool: 'second' }, 'src/b.ts')
    expect((await commitPaths(project, 'src/a.ts')).models).toEqual([['src/a.ts', null]])
    expect((await commitPaths(project, 'src/b.ts')).models).toEqual([['src/b.ts', 'm-2']])
  })
})

it('sessions() lists a damaged session next to the others, with the file and a hint', async () => {
  const project = testWorkspace()
  const first = await project.open()
  for (const id of ['bad', 'good']) (await startSession(first, id)).fs.writeFileSync('src/a.ts', id)
  await first.close()
  const log = `${stateOf(project.root)}/sessions/bad/stage.log`
  const bytes = readFileSync(log)
  bytes[12] = (bytes[12] ?? 0) ^ 1
  fs.writeFileSync(log, bytes)
  const workspace = await project.open()
  const [bad, good] = await workspace.sessions()
  expect(bad).toMatchObject({ id: 'bad', live: false, changes: 0, agent: { model: 'm-1' } })
  expect(bad?.damaged).toMatch(/stage\.log is damaged at line 1/)
  expect(good).toEqual({
    id: 'good',
    live: false,
    changes: 1,
    agent: { model: 'm-1', tool: 'tester' },
    intents: ['INT-001'],
  })
  expect(await reasonOf(() => workspace.review('bad'))).toBe('ledger_unavailable')
})
