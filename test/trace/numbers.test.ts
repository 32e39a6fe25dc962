import { execFileSync } from 'node:child_process'
import { appendFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session, Workspace } from '../../src/core/api.js'
import { reasonOf, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const line = (n: number) => `const value${n} = compute(alphabet, betagamma, deltaepsilon, ${n})\n`

async function runSession(workspace: Workspace, id: string, work: (fs: Session['fs']) => void): Promise<void> {
  const session = await startSession(workspace, id)
  work(session.fs)
  await session.close()
  const review = await workspace.review(id)
  await review.approve(undefined, ANN)
  await review.commit()
}

/** Three lines by one agent, of which another changes one and moves one; one line from before. */
async function setUpHistory(): Promise<{ project: TestWorkspace; workspace: Workspace }> {
  const project = testWorkspace({ 'src/a.ts': line(1), 'src/b c.ts': '' })
  const workspace = await project.open()
  await runSession(workspace, 'one', (fs) => fs.writeFileSync('src/a.ts', line(1) + line(2) + line(3) + line(4)))
  await runSession(workspace, 'two', (fs) => {
    fs.writeFileSync('src/a.ts', line(1) + line(2) + line(5))
    fs.writeFileSync('src/b c.ts', line(4))
  })
  return { project, workspace }
}

describe('the numbers of a ledger', () => {
  it('count authors of lines, approvals, and rework, in which a move is not a change', async () => {
    const { project, workspace } = await setUpHistory()
    const session = await startSession(workspace, 'three')
    session.fs.writeFileSync('src/a.ts', 'x\n')
    await session.close()
    await (await workspace.review('three')).reject('src/a.ts', 'No.', ANN)
    appendFileSync(`${project.root}/src/a.ts`, line(9))
    const { lines, approval, rework } = await workspace.ledger.stats()
    expect(lines).toMatchObject({
      total: 5,
      ai: 3,
      human: 1,
      unknown: 1,
      byIntent: { 'INT-001': 3 },
      byModel: { 'm-1': 3 },
    })
    expect(approval).toEqual({ approved: 3, rejected: 1, rate: 0.75 })
    expect(rework).toEqual({ days: 30, written: 4, changed: 1, rate: 0.25 })
  })

  it('count a file once, and none through a link', async () => {
    const { project, workspace } = await setUpHistory()
    const { total } = (await workspace.ledger.stats()).lines
    rmSync(`${project.root}/src/b c.ts`)
    symlinkSync('a.ts', `${project.root}/src/b c.ts`)
    expect((await workspace.ledger.stats()).lines.total).toBe(total - 1)
    renameSync(`${project.root}/src`, `${project.root}/elsewhere`)
    symlinkSync('elsewhere', `${project.root}/src`)
    expect((await workspace.ledger.stats()).lines.total).toBe(0)
  })

  it('leave out a withdrawn verdict', async () => {
    const workspace = await testWorkspace({ 'src/a.ts': '', 'src/b.ts': '', 'src/c.ts': '' }).open()
    const session = await startSession(workspace)
    for (const name of ['a', 'b', 'c']) session.fs.writeFileSync(`src/${name}.ts`, line(1))
    await session.close()
    const review = await workspace.review('agent')
    await review.approve('src/a.ts', ANN)
    await review.approve('src/b.ts', ANN)
    await review.reject('src/c.ts', 'No.', ANN)
    await review.withdraw(['src/a.ts', 'src/c.ts'], ANN)
    await review.approve('src/c.ts', ANN)
    expect((await workspace.ledger.stats()).approval).toEqual({ approved: 2, rejected: 0, rate: 1 })
    await review.withdraw('src/c.ts', ANN)
    await review.withdraw('src/b.ts', ANN)
    expect((await workspace.ledger.stats()).approval).toEqual({ approved: 0, rejected: 0, rate: null })
  })

  it('are absent if nothing happened', async () => {
    const { approval, rework } = await (await testWorkspace({}).open()).ledger.stats({ days: 1 })
    expect([approval.rate, rework.rate]).toEqual([null, null])
  })
})

describe('exports', () => {
  it('csv has a row for each file of each record, quoted, and no formula', async () => {
    const { project, workspace } = await setUpHistory()
    const record = { timestamp: 't', req_id: 'R', file: '=HYPERLINK("x")' }
    appendFileSync(`${project.root}/.orchestration/agent_trace.jsonl`, `${JSON.stringify(record)}\n`)
    const rows = (await workspace.ledger.export('csv')).split('\n')
    expect(rows[0]).toMatch(/^seq,timestamp,type,intent,session,call,model,path,lines,contributor,/)
    expect(rows.filter((row) => row.includes(',commit,'))).toHaveLength(3)
    expect(rows).toContainEqual(expect.stringMatching(/,commit,INT-001,one,,m-1,src\/a.ts,2-4,ai,.*,Ann,$/))
    expect(rows.at(-2)).toBe(`,t,,,,R,,"'=HYPERLINK(""x"")",,,,,,,`)
  })

  it('agent-trace leaves out lines of other shapes', async () => {
    const { project, workspace } = await setUpHistory()
    const { ledger } = workspace
    const before = await ledger.export('agent-trace')
    expect(before).toBe(await ledger.export('jsonl'))
    appendFileSync(`${project.root}/.orchestration/agent_trace.jsonl`, '{"req_id":"R","file":"a"}\n')
    expect(await ledger.export('agent-trace')).toBe(before)
  })

  it('git-ai is the note of the commit at HEAD; without one it is refused by name', async () => {
    const { project, workspace } = await setUpHistory()
    expect(await reasonOf(() => workspace.ledger.export('git-ai'))).toBe('nothing_selected')
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', project.root, '-c', 'user.name=A', '-c', 'user.email=a@b', ...args]).toString()
    git('init', '-q')
    git('add', 'src')
    git('commit', '-qm', 'all')
    const note = await workspace.ledger.export('git-ai')
    const [head = '', tail = ''] = note.split('---\n')
    expect(head).toMatch(
      /^src\/a\.ts\n {2}(s_[0-9a-f]{14})::t_[0-9a-f]{14} 2\n {2}s_[0-9a-f]{14}::t_[0-9a-f]{14} 3\n"src\/b c\.ts"\n {2}\1::t_[0-9a-f]{14} 1\n$/,
    )
    const sessions = Object.values((JSON.parse(tail) as { sessions: object }).sessions)
    expect(JSON.parse(tail)).toMatchObject({
      schema_version: 'authorship/3.0.0',
      base_commit_sha: git('rev-parse', 'HEAD').trim(),
    })
    expect(sessions).toContainEqual({ agent_id: { tool: 'tester', id: 'one', model: 'm-1' }, human_author: 'Ann' })
  })
})
