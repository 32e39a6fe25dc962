import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import type { Review, Session, Workspace } from '../../src/core/api.js'
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

const lines = (edits: Record<number, string> = {}) =>
  Array.from({ length: 20 }, (_, line) => `${edits[line] ?? `line ${line}`}\n`).join('')
const ANN = { name: 'Ann' }

interface Scene {
  readonly project: TestWorkspace
  /** The agent's process and the reviewer's, which share only the disk. */
  readonly agents: Workspace
  readonly session: Session
  readonly review: Review
  stagedText(): string
  flags(path?: string): Promise<string[] | undefined>
}

async function scene(files: Record<string, string> = { 'src/a.ts': lines(), 'src/b.ts': lines() }): Promise<Scene> {
  const project = testWorkspace(files)
  const [agents, person] = [await project.open(), await project.open()]
  const session = await startSession(agents)
  const review = await person.review('agent')
  const flags = async (path = 'src/a.ts') =>
    (await review.changes()).changes.find((change) => change.path === path)?.flags
  return { project, agents, session, review, stagedText: () => session.fs.readFileSync('src/a.ts', 'utf8'), flags }
}

describe("a reviewer's edit", () => {
  it('is visible to every process, to the agent after its next call, and needs a verdict', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.approve('src/a.ts')
    await s.review.edit('src/a.ts', lines({ 1: 'agent', 3: 'reviewer' }), ANN)
    expect((await s.review.changes()).changes[0]).toMatchObject({ state: 'pending', flags: ['edited', 'verdict-void'] })
    const { committed, left } = await s.review.commit()
    expect([committed, left]).toEqual([
      [],
      [{ path: 'src/a.ts', reason: 'needs_approval', message: 'src/a.ts changed after it was approved.' }],
    ])
    expect(s.stagedText()).toBe(lines({ 1: 'agent' }))
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'agent', 3: 'reviewer' }))
    await s.review.approve('src/a.ts')
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'agent', 3: 'reviewer' }))
    await s.session.flush()
    expect((await s.session.changes()).changes).toEqual([])
  })

  it('may be approved at once, because its author has seen it', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.changes()
    await s.review.edit(`${s.project.root}/src/a.ts`, lines({ 3: 'reviewer' }))
    expect((await s.review.approve('src/a.ts')).paths).toEqual(['src/a.ts'])
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(lines({ 3: 'reviewer' }))
    // The session has read neither the edit nor the commit: both are applied, in their order.
    await s.session.flush()
    expect((await s.session.changes()).changes).toEqual([])
    s.project.write('src/a.ts', 'later\n')
    expect(s.stagedText()).toBe('later\n')
  })

  it('after a commit that the session has not read is applied after it', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'one', 10: 'two' }))
    const [one] = (await s.review.changes()).changes[0]?.hunks ?? []
    await s.review.approve({ hunks: [one?.id ?? ''] })
    await s.review.commit()
    await s.review.changes()
    await s.review.edit('src/a.ts', lines({ 1: 'one', 10: 'reviewer' }), ANN)
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'one', 10: 'reviewer' }))
    expect((await s.session.changes()).changes).toMatchObject([{ flags: ['edited'], hunks: [{ oldStart: 8 }] }])
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'one' }))
  })

  it('is attributed to the reviewer in the trace, line by line', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent', 5: 'agent' }))
    s.session.fs.writeFileSync('src/b.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', lines({ 1: 'agent', 2: 'reviewer', 5: 'agent', 9: 'reviewer' }), ANN)
    await s.review.edit('src/b.ts', lines({ 1: 'reviewer' }), ANN)
    await s.session.flush()
    s.session.fs.readFileSync('src/a.ts')
    s.session.fs.writeFileSync('src/a.ts', s.stagedText().replace('line 12', 'agent'))
    await s.review.approve()
    await s.review.commit()
    const record = (await recordsOf(s.agents)).find((each) => metadataOf(each).type === 'commit')
    const human = { contributor: { type: 'human' } }
    const ai = { contributor: { type: 'ai', model_id: 'm-1' } }
    expect(metadataOf(record ?? {})).toMatchObject({ edited_by: ['Ann'] })
    expect(record?.files).toMatchObject([
      {
        path: 'src/a.ts',
        contributor: { type: 'mixed' },
        ranges: [
          { start_line: 2, end_line: 2, ...ai },
          { start_line: 3, end_line: 3, ...human },
          { start_line: 6, end_line: 6, ...ai },
          { start_line: 10, end_line: 10, ...human },
          { start_line: 13, end_line: 13, ...ai },
        ],
      },
      { path: 'src/b.ts', contributor: { type: 'human' }, ranges: [{ start_line: 2, end_line: 2 }] },
    ])
    expect(JSON.stringify(record?.files)).not.toContain('"human","model_id"')
  })

  it('is reported to the agent, whose next write fails once unless it has read the file', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', lines({ 3: 'reviewer' }), ANN)
    expect(await s.session.feedback()).toEqual([
      {
        path: 'src/a.ts',
        kind: 'amended',
        reason: 'Ann edited the staged file. Read it again before you write to it.',
        by: ANN,
      },
    ])
    expect(await s.session.feedback()).toEqual([])
    const write = () => s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'again' }))
    expect(await failure(write)).toMatchObject({ reason: 'stale_file', code: 'ESTALE' })
    write()
    await s.review.edit('src/a.ts', lines({ 3: 'reviewer' }), ANN)
    await s.session.flush()
    expect(s.stagedText()).toContain('reviewer')
    write()
    expect(s.stagedText()).toBe(lines({ 1: 'again' }))
  })

  it("makes the agent's next removal or move of the file, or of its directory, fail", async () => {
    const s = await scene()
    for (const remove of [
      () => s.session.fs.unlinkSync('src/a.ts'),
      () => s.session.fs.renameSync('src/a.ts', 'src/c.ts'),
      () => s.session.fs.rmSync('src', { recursive: true }),
    ]) {
      s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
      await s.review.edit('src/a.ts', lines({ 3: 'reviewer' }), ANN)
      await s.session.flush()
      expect(await reasonOf(remove)).toBe('stale_file')
      await s.session.revert()
    }
  })

  it("and the agent's concurrent write are both kept, between markers where they touch", async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', lines({ 1: 'agent', 3: 'reviewer' }), ANN)
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent', 9: 'more' }))
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'agent', 3: 'reviewer', 9: 'more' }))

    await s.review.edit('src/a.ts', lines({ 1: 'reviewer', 3: 'reviewer', 9: 'more' }), ANN)
    s.session.fs.readFileSync('src/a.ts')
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent 2', 3: 'reviewer', 9: 'more' }))
    await s.session.flush()
    const both = '<<<<<<< agent\nagent 2\n=======\nreviewer\n>>>>>>> Ann'
    expect(s.stagedText()).toBe(lines({ 1: both, 3: 'reviewer', 9: 'more' }))
    expect(await s.flags()).toContain('conflict')
    expect((await s.review.approve()).paths).toEqual([])
    expect(await reasonOf(() => s.review.approve('src/a.ts'))).toBe('stale_file')
    await s.review.edit('src/a.ts', lines({ 1: 'both' }), ANN)
    expect(await s.flags()).not.toContain('conflict')
    await s.review.approve()
    expect((await s.review.commit()).committed).toEqual(['src/a.ts'])
  })

  it('of a file whose directory the agent removed meanwhile restores both', async () => {
    const s = await scene({ 'src/a.ts': lines(), 'src/deep/er/b.ts': lines() })
    s.session.fs.writeFileSync('src/deep/er/b.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/deep/er/b.ts', 'reviewer\n', ANN)
    s.session.fs.rmSync('src/deep', { recursive: true })
    expect((await s.review.changes()).changes).toMatchObject([{ path: 'src/deep/er/b.ts', flags: ['edited'] }])
    await s.session.flush()
    expect(s.session.fs.readFileSync('src/deep/er/b.ts', 'utf8')).toBe('reviewer\n')
    await s.session.close()
    const again = await (await s.project.open()).session({ id: 'agent' })
    expect(again.fs.readFileSync('src/deep/er/b.ts', 'utf8')).toBe('reviewer\n')
    await s.review.approve()
    expect((await s.review.commit()).committed).toEqual(['src/deep/er/b.ts'])
    expect(s.project.text('src/deep/er/b.ts')).toBe('reviewer\n')
  })

  it('is not dropped by a revert of an agent that has not read it, and later only with a report', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    s.session.fs.writeFileSync('src/b.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', lines({ 3: 'reviewer' }), ANN)
    expect(await failure(() => s.session.revert())).toMatchObject({
      reason: 'stale_file',
      refused: [{ path: 'src/a.ts', reason: 'stale_file' }],
    })
    expect((await s.session.changes()).changes).toHaveLength(2)
    await s.session.revert(['src/b.ts'])
    expect(s.stagedText()).toBe(lines({ 3: 'reviewer' }))
    await s.session.feedback()
    await s.session.revert()
    expect(await s.session.feedback()).toEqual([
      { path: 'src/a.ts', kind: 'reverted', reason: 'The edit of this file by Ann was reverted with it.', by: ANN },
    ])
    expect((await s.session.changes()).changes).toEqual([])
  })

  it('of a file that the agent removed meanwhile restores it', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', 'reviewer\n', ANN)
    s.session.fs.unlinkSync('src/a.ts')
    await s.session.flush()
    expect(s.stagedText()).toBe('reviewer\n')
  })

  it('outlives the process that applied it, and is applied once', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    await s.review.edit('src/a.ts', lines({ 3: 'reviewer' }), ANN)
    await s.session.close()
    const again = await startSession(await s.project.open())
    again.fs.readFileSync('src/a.ts')
    again.fs.writeFileSync('src/a.ts', lines({ 5: 'agent' }))
    await again.close()
    const last = await startSession(await s.project.open())
    expect(last.fs.readFileSync('src/a.ts', 'utf8')).toBe(lines({ 5: 'agent' }))
  })

  it('is refused if nothing or no file is staged, or if it changed since it was shown', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    s.session.fs.unlinkSync('src/b.ts')
    expect(await reasonOf(() => s.review.edit('src/none.ts', 'x'))).toBe('nothing_selected')
    expect(await reasonOf(() => s.review.edit('src/b.ts', 'x'))).toBe('unsupported')
    await s.review.changes()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'other' }))
    expect(await reasonOf(() => s.review.edit('src/a.ts', 'x'))).toBe('stale_file')
    expect((await s.review.changes()).changes.map(({ flags }) => flags)).toEqual([[], []])
  })

  it('of a file in a renamed directory is committed at its new name, for its intent', async () => {
    const s = await scene({ 'src/d/a.ts': lines() })
    s.session.fs.renameSync('src/d', 'src/e')
    await s.review.edit('src/e/a.ts', lines({ 3: 'reviewer' }), ANN)
    await s.session.flush()
    expect((await s.review.changes()).changes).toMatchObject([
      { kind: 'rename', from: 'src/d/a.ts', intentId: 'INT-001' },
    ])
    await s.review.approve()
    await s.review.commit()
    expect(s.project.text('src/e/a.ts')).toBe(lines({ 3: 'reviewer' }))
  })
})

describe('discarded hunks', () => {
  it('leave the stage; the others stay, with their verdicts', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'one', 10: 'two', 19: 'three' }))
    const [one, two] = (await s.review.changes()).changes[0]?.hunks ?? []
    await s.review.approve({ hunks: [one?.id ?? ''] })
    await s.review.discard({ hunks: [two?.id ?? ''] })
    const [change] = (await s.review.changes()).changes
    expect(change?.hunks.map(({ state }) => state)).toEqual(['approved', 'pending'])
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'one', 19: 'three' }))
    expect((await s.session.feedback()).map(({ kind }) => kind)).toEqual(['amended'])
    await s.review.discard({ hunks: change?.hunks.map(({ id }) => id) ?? [] })
    await s.session.flush()
    expect((await s.review.changes()).changes).toEqual([])
    expect(s.stagedText()).toBe(lines())
  })

  it('remove nothing that the agent wrote in their place meanwhile', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'one', 10: 'two' }))
    const [one] = (await s.review.changes()).changes[0]?.hunks ?? []
    await s.review.discard({ hunks: [one?.id ?? ''] })
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'one more', 10: 'two' }))
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'one more', 10: 'two' }))
  })
})

describe('a merging commit', () => {
  const setUpApproved = async (agent: string, theirs: string, policy?: string) => {
    const s = await scene()
    if (policy !== undefined) s.project.write('.orchestration/policy.yaml', policy)
    s.session.fs.writeFileSync('src/a.ts', agent)
    await s.review.approve()
    s.project.write('src/a.ts', theirs)
    return s
  }

  it('stages a clean merge on the new base, which needs its own verdict', async () => {
    const s = await setUpApproved(lines({ 1: 'agent' }), lines({ 12: 'theirs' }))
    expect(await s.flags()).toEqual(['drifted'])
    expect((await s.review.changes()).changes[0]?.hunks.map(({ text }) => text).join()).not.toContain('theirs')
    expect(await reasonOf(() => s.review.commit())).toBe('stale_file')
    const error = await failure(() => s.review.commit({ merge: true }))
    expect(error).toMatchObject({ reason: 'stale_file', refused: [{ path: 'src/a.ts', reason: 'stale_file' }] })
    expect(s.project.text('src/a.ts')).toBe(lines({ 12: 'theirs' }))
    expect((await s.review.changes()).changes[0]).toMatchObject({ state: 'pending', flags: ['merged', 'verdict-void'] })
    expect((await s.review.commit({ merge: true })).committed).toEqual([])
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'agent', 12: 'theirs' }))
    await s.review.approve()
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'agent', 12: 'theirs' }))
    const commit = (await recordsOf(s.agents)).find((each) => metadataOf(each).type === 'commit')
    expect(commit?.files).toMatchObject([{ ranges: [{ start_line: 2, end_line: 2 }] }])
  })

  it('keeps both versions of the same lines, leaves the disk unchanged, and flags the conflict', async () => {
    const s = await setUpApproved(lines({ 1: 'agent' }), lines({ 1: 'theirs' }))
    expect((await failure(() => s.review.commit({ merge: true }))).message).toContain('between conflict markers')
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'theirs' }))
    expect(await s.flags()).toContain('conflict')
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: '<<<<<<< agent\nagent\n=======\ntheirs\n>>>>>>> disk' }))
    expect((await s.review.approve()).paths).toEqual([])
    s.session.fs.readFileSync('src/a.ts')
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agreed' }))
    expect(await s.flags()).not.toContain('conflict')
    await s.review.approve()
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'agreed' }))
  })

  it.each<[string, Buffer | string | null, Buffer | string | null]>([
    ['is not text', Buffer.from('\0agent'), Buffer.from('\0theirs')],
    ['was removed by the agent', null, lines({ 1: 'theirs' })],
    ['was removed from the disk', lines({ 1: 'agent' }), null],
  ])('leaves both versions in place if the file %s', async (_, agent, theirs) => {
    const { rmSync, writeFileSync, existsSync } = await import('node:fs')
    const s = await scene()
    if (agent === null) s.session.fs.unlinkSync('src/a.ts')
    else s.session.fs.writeFileSync('src/a.ts', agent)
    await s.review.approve()
    const path = `${s.project.root}/src/a.ts`
    if (theirs === null) rmSync(path)
    else writeFileSync(path, theirs)
    expect((await failure(() => s.review.commit({ merge: true }))).message).toContain('keep their own versions')
    expect(existsSync(path)).toBe(theirs !== null)
    expect(await s.flags()).toContain('conflict')
    expect((await s.review.approve()).paths).toEqual([])
    // A person who names it has seen what it would replace.
    expect((await s.review.approve('src/a.ts')).paths).toEqual(['src/a.ts'])
    expect((await s.review.commit()).committed).toEqual(['src/a.ts'])
    expect(existsSync(path)).toBe(agent !== null)
  })

  it('merges what the agent wrote between the merge and its next call', async () => {
    const s = await setUpApproved(lines({ 1: 'agent' }), lines({ 12: 'theirs' }))
    await reasonOf(() => s.review.commit({ merge: true }))
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent', 18: 'more' }))
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'agent', 12: 'theirs', 18: 'more' }))
    expect(await s.flags()).not.toContain('drifted')
  })

  it('succeeds at once if policy says so and the merge is clean', async () => {
    const s = await setUpApproved(lines({ 1: 'agent' }), lines({ 12: 'theirs' }), 'approval: {merge: auto}\n')
    expect((await s.review.commit({ merge: true })).committed).toEqual(['src/a.ts'])
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'agent', 12: 'theirs' }))
    await s.session.flush()
    expect((await s.session.changes()).changes).toEqual([])
    const unclean = await setUpApproved(lines({ 1: 'agent' }), lines({ 1: 'theirs' }), 'approval: {merge: auto}\n')
    expect(await reasonOf(() => unclean.review.commit({ merge: true }))).toBe('stale_file')
  })

  it('keeps approved hunks approved by such a policy, and commits only them', async () => {
    const s = await scene()
    s.project.write('.orchestration/policy.yaml', 'approval: {merge: auto}\n')
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'one', 10: 'two' }))
    const [one] = (await s.review.changes()).changes[0]?.hunks ?? []
    await s.review.approve({ hunks: [one?.id ?? ''] })
    s.project.write('src/a.ts', lines({ 18: 'theirs' }))
    await s.review.commit({ merge: true })
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'one', 18: 'theirs' }))
    await s.session.flush()
    expect(s.stagedText()).toBe(lines({ 1: 'one', 10: 'two', 18: 'theirs' }))
  })

  it('merges a renamed file at its new name', async () => {
    const s = await scene()
    s.session.fs.renameSync('src/a.ts', 'src/c.ts')
    s.session.fs.writeFileSync('src/c.ts', lines({ 1: 'agent' }))
    await s.review.approve()
    s.project.write('src/a.ts', lines({ 12: 'theirs' }))
    expect(await reasonOf(() => s.review.commit({ merge: true }))).toBe('stale_file')
    await s.review.approve()
    expect((await s.review.commit()).committed).toEqual(['src/c.ts'])
    expect(s.project.text('src/c.ts')).toBe(lines({ 1: 'agent', 12: 'theirs' }))
  })

  it('names the entry in the way of a renamed file, and leaves both unchanged', async () => {
    const s = await scene()
    s.session.fs.renameSync('src/a.ts', 'src/c.ts')
    await s.review.approve()
    s.project.write('src/c.ts', 'theirs\n')
    expect((await failure(() => s.review.commit({ merge: true }))).message).toContain('another file has the new name')
    expect(await s.flags('src/c.ts')).toEqual(['drifted'])
    expect([s.project.text('src/c.ts'), s.session.fs.readFileSync('src/c.ts', 'utf8')]).toEqual(['theirs\n', lines()])
  })

  it('merges two new files of one name', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/new.ts', 'agent\n')
    await s.review.approve()
    s.project.write('src/new.ts', 'theirs\n')
    expect(await reasonOf(() => s.review.commit({ merge: true }))).toBe('stale_file')
    await s.session.flush()
    const both = '<<<<<<< agent\nagent\n=======\ntheirs\n>>>>>>> disk\n'
    expect(s.session.fs.readFileSync('src/new.ts', 'utf8')).toBe(both)
    expect((await s.review.changes()).changes[0]).toMatchObject({
      kind: 'modify',
      flags: ['conflict', 'merged', 'verdict-void'],
    })
  })

  it('commits what is approved and has not drifted, and leaves unapproved changes alone', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    s.session.fs.writeFileSync('src/new.ts', 'new\n')
    await s.review.approve('src/new.ts')
    s.project.write('src/a.ts', lines({ 1: 'theirs' }))
    const { committed, left } = await s.review.commit({ merge: true })
    expect([committed, left?.map(({ path, reason }) => [path, reason])]).toEqual([
      ['src/new.ts'],
      [['src/a.ts', 'stale_file']],
    ])
    expect(s.stagedText()).toBe(lines({ 1: 'agent' }))
    expect(await s.flags()).toEqual(['drifted'])
    expect((await failure(() => s.review.commit({ merge: true }))).message).toContain('between conflict markers')
  })

  it('commits the rest of what is approved, and names merged changes that need a verdict', async () => {
    const s = await scene()
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    s.session.fs.writeFileSync('src/new.ts', 'new\n')
    await s.review.approve()
    s.project.write('src/a.ts', lines({ 12: 'theirs' }))
    const { committed, left } = await s.review.commit({ merge: true })
    expect([committed, left]).toEqual([
      ['src/new.ts'],
      [{ path: 'src/a.ts', reason: 'needs_approval', message: 'src/a.ts was merged with the file on disk.' }],
    ])
    expect([s.project.text('src/new.ts'), s.project.text('src/a.ts')]).toEqual(['new\n', lines({ 12: 'theirs' })])
    await s.session.flush()
    expect(await s.flags()).toContain('merged')
  })

  it("merges with another session's commit", async () => {
    const s = await scene()
    const other = await startSession(s.agents, 'other')
    s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
    other.fs.writeFileSync('src/a.ts', lines({ 12: 'other' }))
    const theirs = await s.agents.review('other')
    await theirs.approve()
    await theirs.commit()
    expect(await s.flags()).toEqual(['drifted'])
    await reasonOf(() => s.review.commit({ merge: true }))
    expect(await s.flags()).toEqual(['merged'])
    await s.review.approve()
    await s.review.commit()
    expect(s.project.text('src/a.ts')).toBe(lines({ 1: 'agent', 12: 'other' }))
  })
})

it('an edit keeps its base contents where git and agents do not see them', async () => {
  const s = await scene()
  s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
  await s.review.edit('src/a.ts', 'reviewer\n', ANN)
  const { readdirSync } = await import('node:fs')
  expect(readdirSync(`${stateOf(s.project.root)}/sessions/agent/edits`)).toHaveLength(2)
  expect(s.session.fs.existsSync('.orchestration/sessions')).toBe(false)
  expect(spawnSync('cat', [`${s.project.root}/.orchestration/.gitignore`]).stdout.toString()).toContain('sessions')
})

it('an edit stays when the agent returns to an earlier snapshot, merged with the stage of that time', async () => {
  const s = await scene()
  s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent' }))
  const then = await s.session.snapshot()
  s.session.fs.writeFileSync('src/a.ts', lines({ 1: 'agent', 9: 'more' }))
  await s.review.edit('src/a.ts', lines({ 1: 'agent', 5: 'reviewer', 9: 'more' }), ANN)
  await s.session.flush()
  await s.session.travel(then.id)
  expect(s.stagedText()).toBe(lines({ 1: 'agent', 5: 'reviewer' }))
})
