import { rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../src/agents/roo/index.js'
import { runTool } from '../../src/hooks/index.js'
import type { Session } from '../../src/index.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const LINES = 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n'

async function setUpDrift(staged: string, disk: string | undefined, policy?: string) {
  const project = testWorkspace({ 'src/a.ts': LINES, 'src/b.ts': 'b\n' })
  if (policy !== undefined) project.write('.orchestration/policy.yaml', policy)
  const workspace = await project.open()
  const session = await startSession(workspace)
  const text = () => session.fs.readFileSync('src/a.ts', 'utf8')
  const flags = async () => (await session.changes()).changes.find(({ path }) => path === 'src/a.ts')?.flags
  text()
  session.fs.writeFileSync('src/a.ts', staged)
  if (disk === undefined) rmSync(`${project.root}/src/a.ts`)
  else project.write('src/a.ts', disk)
  return { project, workspace, session, text, flags }
}

const read = (session: Session, path = 'src/a.ts') =>
  runTool(session, { name: 'read_file', args: { path } }, () => session.fs.promises.readFile(path, 'utf8'))

describe('a read of a staged file that changed on disk', () => {
  it('merges both versions, shows the merge, reports it, and accepts the next write', async () => {
    const { project, session, flags, workspace } = await setUpDrift(
      LINES.replace('one', 'ONE'),
      LINES.replace('seven', 'SEVEN'),
    )
    expect(await flags()).toEqual(['drifted'])
    const merged = LINES.replace('one', 'ONE').replace('seven', 'SEVEN')
    expect(await read(session)).toEqual({
      status: 'done',
      value: merged,
      feedback: [{ path: 'src/a.ts', kind: 'merged', reason: expect.stringContaining('was merged with it') }],
    })
    expect(await flags()).toEqual(['merged'])
    expect(project.text('src/a.ts')).toBe(LINES.replace('seven', 'SEVEN'))
    expect(await read(session)).toMatchObject({ value: merged, feedback: [] })
    const { fs } = session
    const write = { name: 'write_to_file', args: { path: 'src/a.ts' } }
    expect(await runTool(session, write, () => fs.writeFileSync('src/a.ts', `${merged}end\n`))).toMatchObject({
      status: 'done',
    })
    const review = await workspace.review('agent')
    await review.approve()
    expect((await review.commit()).committed).toEqual(['src/a.ts'])
    expect(project.text('src/a.ts')).toBe(`${merged}end\n`)
    await session.flush()
    expect((await recordsOf(workspace)).filter((record) => metadataOf(record).type === 'drift_merged')).toHaveLength(1)
  })

  it('reports the merge in the result of a host tool', async () => {
    const { session } = await setUpDrift(LINES.replace('one', 'ONE'), LINES.replace('seven', 'SEVEN'))
    const { content } = await createRooTools(session).execute({
      id: 'c',
      name: 'read_file',
      arguments: { path: 'src/a.ts' },
    })
    expect(content).toContain('7 | SEVEN')
    expect(content).toContain('- src/a.ts: merged: The file changed on disk')
  })

  it('puts markers around lines that both sides changed', async () => {
    const { session, flags } = await setUpDrift(LINES.replace('two', 'mine'), LINES.replace('two', 'theirs'))
    const output = await read(session)
    expect(output).toMatchObject({
      value: LINES.replace('two', '<<<<<<< agent\nmine\n=======\ntheirs\n>>>>>>> disk'),
      feedback: [{ kind: 'merged', reason: expect.stringContaining('conflict markers') }],
    })
    expect(await flags()).toEqual(['conflict', 'merged'])
    expect(await read(session)).toMatchObject({ feedback: [] })
  })

  it.each([
    ['is no longer text', '\0\u0001'],
    ['was removed', undefined],
  ])('keeps both if the file on disk %s, and does not try again', async (_what, disk) => {
    const { session, text, flags } = await setUpDrift('mine\n', disk)
    expect(await read(session)).toMatchObject({
      value: 'mine\n',
      feedback: [{ kind: 'merged', reason: expect.stringContaining('cannot be merged') }],
    })
    expect(await flags()).toEqual(expect.arrayContaining(['conflict', 'merged']))
    expect(await read(session)).toMatchObject({ feedback: [] })
    session.fs.writeFileSync('src/a.ts', 'mine still\n')
    expect(text()).toBe('mine still\n')
  })

  it('keeps the earlier stage as a snapshot', async () => {
    const staged = LINES.replace('one', 'ONE')
    const { session, text, flags } = await setUpDrift(staged, LINES.replace('seven', 'SEVEN'))
    const use = { id: 'the-read', name: 'read_file', args: { path: 'src/a.ts' } }
    await runTool(session, use, text)
    const before = (await session.snapshots()).find(({ callId }) => callId === 'the-read')
    const { changes } = await session.changes({ call: 'the-read' })
    expect(changes.map(({ path }) => path)).toEqual([])
    await session.travel(before?.id ?? '')
    expect(text()).toBe(staged)
    expect(await flags()).toContain('drifted')
    expect(await read(session)).toMatchObject({ value: expect.stringContaining('SEVEN') })
  })

  it('works for every name of the file and for many files', async () => {
    const { project, session, text } = await setUpDrift(LINES.replace('one', 'ONE'), LINES.replace('seven', 'SEVEN'))
    const files = [{ path: 'src/none.ts' }, { path: `${project.root}/src/../src/a.ts` }, { path: '/etc/hostname' }]
    const outcome = await runTool(session, { name: 'read_file', args: { files } }, text)
    expect(outcome).toMatchObject({ value: expect.stringContaining('SEVEN'), feedback: [{ path: 'src/a.ts' }] })
  })

  it('cancels approvals, because the content is different', async () => {
    const { session, workspace, project } = await setUpDrift(LINES.replace('one', 'ONE'), LINES)
    const review = await workspace.review('agent')
    await review.approve()
    project.write('src/a.ts', LINES.replace('seven', 'SEVEN'))
    await read(session)
    expect((await review.changes()).changes).toMatchObject([{ path: 'src/a.ts', state: 'pending' }])
  })

  it('loses neither side when the process dies during the merge', async () => {
    const staged = LINES.replace('one', 'ONE')
    const { project, session, text } = await setUpDrift(staged, LINES.replace('seven', 'SEVEN'))
    await read(session)
    const merged = text()
    await session.close()
    const again = await (await project.open()).session({ id: 'agent' })
    expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe(merged)
  })
})

describe('does not merge', () => {
  it.each(['apply_diff', 'search_files', 'list_files'])('on a call of %s', async (name) => {
    const staged = LINES.replace('one', 'ONE')
    const { session, text, flags } = await setUpDrift(staged, LINES.replace('seven', 'SEVEN'))
    await runTool(session, { name, args: { path: 'src/a.ts' } }, text)
    expect(text()).toBe(staged)
    expect(await flags()).toEqual(['drifted'])
  })

  it('a file that the agent may not read', async () => {
    const { project, session, flags } = await setUpDrift(LINES.replace('one', 'ONE'), LINES.replace('seven', 'SEVEN'))
    project.write('.orchestration/policy.yaml', 'access: {src/a.ts: deny}\n')
    await new Promise((next) => setTimeout(next, 5))
    await read(session)
    expect(await flags()).toContain('drifted')
  })

  it('a file that is removed in the stage', async () => {
    const { session, project } = await setUpDrift('x\n', LINES)
    session.fs.unlinkSync('src/a.ts')
    project.write('src/a.ts', 'theirs\n')
    expect(await read(session)).toMatchObject({ status: 'failed', error: { code: 'ENOENT' }, feedback: [] })
    expect((await session.changes()).changes).toMatchObject([{ kind: 'delete', flags: ['drifted'] }])
  })
})
