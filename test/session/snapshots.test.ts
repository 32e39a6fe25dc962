import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ChangeSet, Session, Workspace } from '../../src/core/api.js'
import { recordEvents, waitForEvents } from '../fs/watching.js'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const kinds = ({ changes }: ChangeSet) => changes.map(({ kind, path, from }) => [kind, ...(from ? [from] : []), path])
const read = (session: Session, path: string) =>
  session.fs.existsSync(path) ? session.fs.readFileSync(path, 'utf8') : undefined

function call(session: Session, id: string, files: Readonly<Record<string, string>>): Promise<void> {
  return session.toolCall({ tool: 'write_to_file', kind: 'edit', id }, () => {
    for (const [path, text] of Object.entries(files)) session.fs.writeFileSync(path, text)
  })
}

async function approveAll(workspace: Workspace, session: Session): Promise<void> {
  const review = await workspace.review(session.id)
  await review.approve(undefined, { name: 'Ann' })
  await review.commit()
}

describe('snapshots of a session', () => {
  it('are taken before each tool call and by name, with their origin', async () => {
    const session = await startSession(await testWorkspace().open())
    await call(session, 'one', { 'src/a.ts': '1' })
    await session.toolCall({ tool: 'read_file', kind: 'read', id: 'two' }, () => session.fs.readFileSync('src/a.ts'))
    const namedSnapshot = await session.snapshot('works')
    const list = await session.snapshots()
    expect(list).toEqual([
      { id: 's1', at: list[0]?.at, callId: 'one', tool: 'write_to_file' },
      { id: 's2', at: list[1]?.at, callId: 'two', tool: 'read_file', parent: 's1' },
      { id: 's3', at: list[2]?.at, name: 'works', parent: 's2' },
    ])
    expect(namedSnapshot).toEqual(list[2])
    for (const { at } of list) expect(Math.abs(Date.parse(at) - Date.now())).toBeLessThan(60_000)
  })

  it('show what each call changed, with hunks, and what changed since a snapshot', async () => {
    const session = await startSession(await testWorkspace().open())
    await call(session, 'one', { 'src/a.ts': 'a one\na TWO\n', 'src/new.ts': 'n\n' })
    session.fs.writeFileSync('src/between.ts', 'by no call')
    await session.toolCall({ tool: 'move', kind: 'edit', id: 'two' }, () => {
      session.fs.renameSync('src/new.ts', 'src/moved.ts')
      session.fs.rmSync('src/b.ts')
    })
    const one = await session.changes({ call: 'one' })
    expect(kinds(one)).toEqual([
      ['modify', 'src/a.ts'],
      ['create', 'src/new.ts'],
    ])
    expect(one.changes[0]?.hunks[0]?.text).toContain('-a two\n+a TWO')
    expect(one.changes.map(({ state, intentId }) => [state, intentId])).toEqual([
      ['pending', 'INT-001'],
      ['pending', 'INT-001'],
    ])
    const two = [
      ['delete', 'src/b.ts'],
      ['rename', 'src/new.ts', 'src/moved.ts'],
    ]
    expect(kinds(await session.changes({ call: 'two' }))).toEqual(two)
    expect(kinds(await session.changes({ since: 's2' }))).toEqual(two)
    expect(kinds(await session.changes({ since: 's1' }))).toEqual(kinds(await session.changes()))
    expect(await reasonOf(() => session.changes({ since: 's9' }))).toBe('nothing_selected')
    expect(await reasonOf(() => session.changes({ call: 'nine' }))).toBe('nothing_selected')
  })

  it('separate the changes of concurrent calls', async () => {
    const session = await startSession(await testWorkspace().open())
    let release = () => {}
    const gate = new Promise<void>((resolve) => {
      release = resolve
    })
    const long = session.toolCall({ tool: 't', kind: 'edit', id: 'long' }, async () => {
      session.fs.writeFileSync('src/long.ts', 'l')
      await gate
    })
    await call(session, 'short', { 'src/short.ts': 's' })
    release()
    await long
    expect(kinds(await session.changes({ call: 'long' }))).toEqual([['create', 'src/long.ts']])
    expect(kinds(await session.changes({ call: 'short' }))).toEqual([['create', 'src/short.ts']])
  })

  it('show the changes of a call that were committed since', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': 'committed', 'src/new.ts': 'n' })
    await approveAll(workspace, session)
    await call(session, 'two', { 'src/b.ts': 'later' })
    expect(kinds(await session.changes({ call: 'one' }))).toEqual([
      ['modify', 'src/a.ts'],
      ['create', 'src/new.ts'],
    ])
    expect(kinds(await session.changes({ call: 'two' }))).toEqual([['modify', 'src/b.ts']])
  })
})

describe('a return to a snapshot', () => {
  it('goes back, and forward to the branch left behind; the ledger records both', async () => {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': '1' })
    await call(session, 'two', { 'src/a.ts': '2', 'src/sub/new.ts': 'n' })
    const { left, kept } = await session.travel('s2')
    expect(kept).toEqual([])
    expect([read(session, 'src/a.ts'), read(session, 'src/sub/new.ts')]).toEqual(['1', undefined])
    expect(kinds(await session.changes())).toEqual([['modify', 'src/a.ts']])
    session.fs.writeFileSync('src/a.ts', 'another way')
    const back = await session.travel(left.id)
    expect([read(session, 'src/a.ts'), read(session, 'src/sub/new.ts')]).toEqual(['2', 'n'])
    await session.travel(back.left.id)
    expect([read(session, 'src/a.ts'), read(session, 'src/sub/new.ts')]).toEqual(['another way', undefined])
    await session.travel('s1')
    expect([read(session, 'src/a.ts'), (await session.changes()).changes]).toEqual(['a one\na two\n', []])
    expect((await session.snapshots()).map(({ id, parent }) => [id, parent])).toEqual([
      ['s1', undefined],
      ['s2', 's1'],
      ['s3', 's2'],
      ['s4', 's2'],
    ])
    const travels = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'travel')
    expect(travels.map(({ to, left: from, kept: not }) => [to, from, not])).toEqual([
      ['s2', 's3', []],
      ['s3', 's4', []],
      ['s4', 's3', []],
      ['s1', 's4', []],
    ])
    expect(await workspace.ledger.verify()).toMatchObject({ ok: true })
  })

  it('refuses an unknown snapshot and changes nothing', async () => {
    const session = await startSession(await testWorkspace().open())
    await call(session, 'one', { 'src/a.ts': '1' })
    expect(await reasonOf(() => session.travel('s7'))).toBe('nothing_selected')
    expect(read(session, 'src/a.ts')).toBe('1')
    await session.close()
    expect(await reasonOf(() => session.travel('s1'))).toBe('session_busy')
    expect(await reasonOf(() => session.snapshot())).toBe('session_busy')
    expect(await reasonOf(() => session.snapshots())).toBe('session_busy')
  })

  it('works in the next process, and another process sees the result', async () => {
    const project = testWorkspace()
    const first = await project.open()
    const session = await startSession(first)
    await call(session, 'one', { 'src/a.ts': '1' })
    await call(session, 'two', { 'src/a.ts': '2' })
    const { left } = await session.travel('s2')
    await first.close()
    const workspace = await project.open()
    const again = await startSession(workspace)
    expect(read(again, 'src/a.ts')).toBe('1')
    expect((await again.snapshots()).map(({ id, callId }) => [id, callId])).toEqual([
      ['s1', 'one'],
      ['s2', 'two'],
      ['s3', undefined],
    ])
    expect(kinds(await again.changes({ call: 'two' }))).toEqual([['modify', 'src/a.ts']])
    await again.travel(left.id)
    const other = await project.open()
    const [change] = (await (await other.review(again.id)).changes()).changes
    expect(change?.hunks[0]?.text).toContain('+2')
  })

  it('keeps nothing after the process ends without durability', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open({ durability: 'memory' }))
    await call(session, 'one', { 'src/a.ts': '1' })
    await session.travel('s1')
    expect(read(session, 'src/a.ts')).toBe('a one\na two\n')
    await session.travel('s2')
    expect(read(session, 'src/a.ts')).toBe('1')
    await session.close()
    expect(await (await startSession(await project.open())).snapshots()).toEqual([])
  })

  it('keeps a verdict only if the content is the approved one', async () => {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': '1' })
    await (await workspace.review(session.id)).approve()
    const states = async () => (await session.changes()).changes.map(({ path, state }) => [path, state])
    await call(session, 'two', { 'src/a.ts': '2' })
    expect(await states()).toEqual([['src/a.ts', 'pending']])
    await session.travel('s2')
    expect(await states()).toEqual([['src/a.ts', 'approved']])
  })
})

describe('a return to a snapshot before a commit', () => {
  it('stages neither an old base nor the inverse of the commit', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': '1', 'src/left.ts': 'never committed' })
    await call(session, 'two', { 'src/a.ts': '2', 'src/new.ts': 'n' })
    const review = await workspace.review(session.id)
    await review.approve(['src/a.ts', 'src/new.ts'])
    await review.commit()
    const { kept } = await session.travel('s2')
    expect(kept).toEqual(['src/a.ts'])
    expect(read(session, 'src/a.ts')).toBe('2')
    expect(read(session, 'src/new.ts')).toBe('n')
    expect(kinds(await session.changes())).toEqual([['create', 'src/left.ts']])
    const [record] = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'travel')
    expect(record?.kept).toEqual(['src/a.ts'])
    // The agent still sees its earlier content.
    const [was] = (await session.changes({ since: 's2' })).changes
    expect(was).toMatchObject({ path: 'src/a.ts', kind: 'modify' })
    expect(was?.hunks[0]?.text).toMatch(/^-1$/m)
    // A new write is based on the committed content.
    await call(session, 'three', { 'src/a.ts': '3' })
    await approveAll(workspace, session)
    expect([project.text('src/a.ts'), project.text('src/left.ts')]).toEqual(['3', 'never committed'])
  })

  it('keeps a committed removal and a committed rename', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/b.ts': 'b staged', 'src/sub/c.ts': 'c staged' })
    await session.snapshot()
    session.fs.rmSync('src/b.ts')
    session.fs.renameSync('src/sub', 'src/moved')
    await approveAll(workspace, session)
    const { kept } = await session.travel('s2')
    expect(kept).toEqual(['src/b.ts', 'src/sub/c.ts'])
    expect(session.fs.readdirSync('src').sort()).toEqual(['a.ts', 'moved'])
    expect(read(session, 'src/moved/c.ts')).toBe('c staged')
    expect((await session.changes()).changes).toEqual([])
  })

  it("works in the next process, and for another process's review", async () => {
    const project = testWorkspace()
    const first = await project.open()
    const session = await startSession(first)
    await call(session, 'one', { 'src/a.ts': '1' })
    await call(session, 'two', { 'src/a.ts': '2' })
    await approveAll(first, session)
    await first.close()
    const workspace = await project.open()
    const again = await startSession(workspace)
    expect((await again.travel('s2')).kept).toEqual(['src/a.ts'])
    const other = await project.open()
    expect((await (await other.review(again.id)).changes()).changes).toEqual([])
  })

  it("flags changes based on the old disk and drops those that the disk has, after another session's commit", async () => {
    const workspace = await testWorkspace().open()
    const [mine, theirs] = [await startSession(workspace, 'mine'), await startSession(workspace, 'theirs')]
    await call(mine, 'one', { 'src/a.ts': 'mine', 'src/b.ts': 'same' })
    await mine.snapshot()
    await mine.revert()
    await call(theirs, 'two', { 'src/a.ts': 'theirs', 'src/b.ts': 'same' })
    await approveAll(workspace, theirs)
    const { kept } = await mine.travel('s2')
    expect(kept).toEqual([])
    expect((await mine.changes()).changes.map(({ path, flags }) => [path, flags])).toEqual([['src/a.ts', ['drifted']]])
  })

  it('does not restore discarded changes', async () => {
    const workspace = await testWorkspace().open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': '1', 'src/b.ts': '2' })
    await session.snapshot()
    await (await workspace.review(session.id)).discard('src/a.ts')
    await session.flush()
    await session.travel('s2')
    expect(kinds(await session.changes())).toEqual([['modify', 'src/b.ts']])
  })
})

describe('open files, directories and watchers during a return to a snapshot', () => {
  it('a descriptor continues on its file, in the version of the snapshot', async () => {
    const session = await startSession(await testWorkspace().open())
    const { fs: facade } = session
    facade.writeFileSync('src/made.ts', 'made')
    await session.snapshot()
    const fd = facade.openSync('src/made.ts', 'r+')
    facade.writeSync(fd, 'changed', 0)
    facade.renameSync('src/made.ts', 'src/renamed.ts')
    await session.travel('s1')
    expect(facade.readFileSync(fd, 'utf8')).toBe('made')
    facade.writeSync(fd, 'M', 0)
    expect(read(session, 'src/made.ts')).toBe('Made')
    await session.travel('s2')
    expect(read(session, 'src/renamed.ts')).toBe('changed')
    const buffer = Buffer.alloc(7)
    facade.readSync(fd, buffer, 0, 7, 0)
    expect(buffer.toString()).toBe('changed')
    facade.closeSync(fd)
  })

  it('a descriptor reads the disk again if the snapshot does, and keeps a removed file open', async () => {
    const session = await startSession(await testWorkspace().open())
    const { fs: facade } = session
    await session.snapshot()
    const lower = facade.openSync('src/a.ts', 'r+')
    const created = facade.openSync('src/new.ts', 'w+')
    facade.writeSync(lower, 'A', 0)
    facade.writeSync(created, 'still here', 0)
    await session.travel('s1')
    expect(facade.readFileSync(lower, 'utf8')).toBe('a one\na two\n')
    expect(facade.fstatSync(created).nlink).toBe(0)
    facade.writeSync(created, 'S', 0)
    const buffer = Buffer.alloc(10)
    facade.readSync(created, buffer, 0, 10, 0)
    expect(buffer.toString()).toBe('Still here')
    expect(session.fs.existsSync('src/new.ts')).toBe(false)
    await session.travel('s2')
    expect(read(session, 'src/new.ts')).toBe('still here')
    facade.closeSync(lower)
    facade.closeSync(created)
  })

  it('watchers report each path that looks different', async () => {
    const { root, open } = testWorkspace()
    const session = await startSession(await open())
    const { fs: facade } = session
    facade.writeFileSync('src/same.ts', 'same')
    await session.snapshot()
    facade.writeFileSync('src/a.ts', 'staged')
    facade.rmSync('src/b.ts')
    facade.writeFileSync('src/sub/new.ts', 'new')
    const recorder = recordEvents(facade.watch(`${root}/src`, { recursive: true }))
    await session.travel('s1')
    const all = await waitForEvents(recorder, (round) => fs.writeFileSync(`${root}/src/probe`, round))
    expect(all.sort()).toEqual(['change:a.ts', 'rename:b.ts', 'rename:sub/new.ts'])
  })
})

describe('the content lock after a return to a snapshot', () => {
  it('applies again to paths that are no longer staged', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    session.fs.readFileSync('src/a.ts')
    await session.snapshot()
    session.fs.writeFileSync('src/a.ts', 'staged')
    await session.travel('s1')
    project.write('src/a.ts', 'a person was here\n')
    expect(await reasonOf(() => session.fs.writeFileSync('src/a.ts', 'x'))).toBe('stale_file')
    session.fs.readFileSync('src/a.ts')
    session.fs.writeFileSync('src/a.ts', 'x')
    expect((await session.changes()).changes).toMatchObject([{ path: 'src/a.ts', flags: [] }])
  })
})

it('stays within the memory limit, and every snapshot can still be read', async () => {
  const project = testWorkspace()
  const memory = 1 << 20
  const session = await startSession(await project.open({ memory }))
  const text = (n: number) => `${n}`.repeat(100_000)
  for (let n = 1; n <= 30; n++) await call(session, `call ${n}`, { 'src/a.ts': text(n) })
  for (const n of [3, 17, 9]) {
    await session.travel(`s${n + 1}`)
    expect(read(session, 'src/a.ts')).toBe(text(n))
  }
})

describe('the file of a snapshot', () => {
  it('can be read in place, by the agent, if policy allows it', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': 'first' })
    await call(session, 'two', { 'src/a.ts': 'second', 'src/new.ts': 'n' })
    const at = async (id: string, path: string) => (await session.readSnapshot(id, path)).toString()
    expect([await at('s1', 'src/a.ts'), await at('s2', `${project.root}/src/a.ts`)]).toEqual([
      'a one\na two\n',
      'first',
    ])
    expect(await at('s2', 'src/b.ts')).toBe('b\n')
    for (const [id, path] of [
      ['s2', 'src/new.ts'],
      ['s2', 'src'],
      ['s9', 'src/a.ts'],
      ['s2', '../src/a.ts'],
      ['s2', '/etc/hostname'],
      ['s2', '.orchestration/sessions/agent/owner'],
    ] as const)
      expect(await reasonOf(() => session.readSnapshot(id, path)), path).toBe('nothing_selected')
    project.write('.orchestration/policy.yaml', 'access: {src/a.ts: deny, src/b.ts: hidden}\n')
    await new Promise((next) => setTimeout(next, 5))
    expect(await reasonOf(() => session.readSnapshot('s2', 'src/a.ts'))).toBe('access_denied')
    expect(await reasonOf(() => session.readSnapshot('s2', 'src/b.ts'))).toBe('nothing_selected')
    expect(session.fs.readFileSync('src/new.ts', 'utf8')).toBe('n')
  })

  it('appears in the list of another process', async () => {
    const project = testWorkspace()
    const session = await startSession(await project.open())
    await call(session, 'one', { 'src/a.ts': 'first' })
    await session.snapshot('mine')
    const review = await (await project.open()).review('agent')
    expect(await review.snapshots()).toEqual(await session.snapshots())
    expect(await review.snapshots()).toMatchObject([
      { id: 's1', callId: 'one' },
      { id: 's2', name: 'mine' },
    ])
  })
})

describe('a dropped snapshot', () => {
  it('is removed, its number is not reused, and its descendants keep a valid origin', async () => {
    const project = testWorkspace()
    const workspace = await project.open()
    const session = await startSession(workspace)
    await call(session, 'one', { 'src/a.ts': 'first' })
    const namedSnapshot = await session.snapshot('mine')
    await call(session, 'two', { 'src/a.ts': 'second' })
    await session.dropSnapshot(namedSnapshot.id)
    const listSnapshots = async (of = session) => (await of.snapshots()).map(({ id, parent }) => [id, parent])
    expect(await listSnapshots()).toEqual([
      ['s1', undefined],
      ['s3', 's1'],
    ])
    for (const use of [
      () => session.travel('s2'),
      () => session.readSnapshot('s2', 'src/a.ts'),
      () => session.dropSnapshot('s2'),
    ])
      expect(await reasonOf(use)).toBe('nothing_selected')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('second')
    await session.dropSnapshot('s3')
    expect((await session.snapshot()).id).toBe('s4')
    await session.dropSnapshot('s4')
    await session.close()
    await workspace.close()
    const again = await startSession(await project.open())
    expect((await again.snapshot()).id).toBe('s5')
    expect(await listSnapshots(again)).toEqual([
      ['s1', undefined],
      ['s5', 's1'],
    ])
    await again.travel('s1')
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('a one\na two\n')
  })

  it('of a running call leaves no changes to query', async () => {
    const session = await startSession(await testWorkspace().open())
    await session.toolCall({ tool: 't', kind: 'edit', id: 'one' }, async () => {
      session.fs.writeFileSync('src/a.ts', 'x')
      await session.dropSnapshot('s1')
    })
    expect(await reasonOf(() => session.changes({ call: 'one' }))).toBe('nothing_selected')
    expect((await session.changes()).changes).toHaveLength(1)
  })
})
