import { mkdirSync, renameSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { BlameLine, Session, Workspace } from '../../src/core/api.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { blameContents } from '../../src/trace/blame.js'
import { reasonOf, recordsOf, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const line = (n: number) => `const value${n} = compute(alphabet, betagamma, deltaepsilon, ${n})\n`
const lines = (...numbers: number[]) => numbers.map(line).join('')
const INTENTS = `active_intents:
  - { id: INT-001, name: One, status: IN_PROGRESS, owned_scope: ["**"] }
  - { id: INT-002, name: Two, status: PENDING, owned_scope: ["**"] }
`

/** Lets agent `m-<turn>` work for an intent, and Ann approve and commit all of it. */
async function runSession(workspace: Workspace, name: string, work: (fs: Session['fs']) => void, intent = 'INT-001') {
  const session = await workspace.session({ id: name, agent: { model: `m-${name}`, tool: 'tester' } })
  await session.selectIntent(intent)
  work(session.fs)
  await session.close()
  return commitAll(workspace, name)
}

async function commitAll(workspace: Workspace, id: string) {
  const review = await workspace.review(id)
  await review.approve(undefined, ANN)
  return review.commit()
}

/** Each line's model, or else its contributor. */
async function models(workspace: Workspace, path: string): Promise<string[]> {
  return (await workspace.ledger.blame(path)).map(authorOf)
}

function authorOf({ model, contributor }: BlameLine): string {
  return model ?? contributor
}

function setUpFiles(files: Record<string, string>): TestWorkspace {
  return testWorkspace(files, INTENTS)
}

describe('blame', () => {
  it('gives intent, session, model, reviewer and record of each line, and none for older lines', async () => {
    const project = setUpFiles({ 'src/a.ts': lines(1, 2) })
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('src/a.ts', lines(1, 3, 2)))
    await runSession(workspace, 'two', (fs) => fs.appendFileSync('src/a.ts', line(4)), 'INT-002')
    const records = await recordsOf(workspace)
    const [first, second] = records.filter(({ files }) => Array.isArray(files) && files.length > 0)
    expect(await workspace.ledger.blame('src/a.ts')).toEqual([
      { line: 1, contributor: 'unknown' },
      {
        ...{ line: 2, contributor: 'ai', intentId: 'INT-001', sessionId: 'one', model: 'm-one', approvedBy: 'Ann' },
        tool: 'tester',
        mutationClass: 'INTENT_EVOLUTION',
        recordId: first?.id,
      },
      { line: 3, contributor: 'unknown' },
      {
        ...{ line: 4, contributor: 'ai', intentId: 'INT-002', sessionId: 'two', model: 'm-two', approvedBy: 'Ann' },
        tool: 'tester',
        mutationClass: 'INTENT_EVOLUTION',
        recordId: second?.id,
      },
    ])
  })

  it('of many contents at once is that of each, and follows lines between them', async () => {
    const project = setUpFiles({ 'src/a.ts': lines(1, 2), 'src/b.ts': lines(90) })
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('src/a.ts', lines(1, 3, 4, 5, 2)))
    await runSession(workspace, 'two', (fs) => {
      fs.writeFileSync('src/a.ts', lines(1, 2))
      fs.writeFileSync('src/b.ts', lines(90, 3, 4, 5, 91))
    })
    const contents = ['src/a.ts', 'src/b.ts'].map((path) => ({ path, content: Buffer.from(project.text(path)) }))
    const blamed = await blameContents(layoutAt(project.root).ledgerFile, contents)
    for (const { path } of contents) expect(blamed.get(path)).toEqual(await workspace.ledger.blame(path))
    expect(blamed.get('src/b.ts')?.map(authorOf)).toEqual(['unknown', 'm-one', 'm-one', 'm-one', 'm-two'])
  })

  it('follows lines through a rename, a move to another file, a copy, an indent, and new line ends', async () => {
    const project = setUpFiles({ 'src/b.ts': lines(90) })
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('src/a.ts', lines(1, 2, 3)))
    await runSession(workspace, 'two', (fs) => fs.renameSync('src/a.ts', 'src/c.ts'))
    expect(await models(workspace, 'src/c.ts')).toEqual(['m-one', 'm-one', 'm-one'])
    await runSession(workspace, 'three', (fs) => {
      fs.writeFileSync('src/c.ts', lines(1))
      fs.writeFileSync('src/b.ts', lines(90) + lines(2, 3).replaceAll('const', '    const') + line(91))
    })
    expect(await models(workspace, 'src/b.ts')).toEqual(['unknown', 'm-one', 'm-one', 'm-three'])
    await runSession(workspace, 'four', (fs) => fs.writeFileSync('src/d.ts', lines(91, 92).replaceAll('\n', '\r\n')))
    expect(await models(workspace, 'src/d.ts')).toEqual(['m-three', 'm-four'])
  })

  it('follows files and lines that a person moved outside escrowfs', async () => {
    const project = setUpFiles({})
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => {
      fs.writeFileSync('a.txt', 'x\n')
      fs.writeFileSync('b.txt', lines(1, 2, 3))
    })
    mkdirSync(`${project.root}/lib`)
    renameSync(`${project.root}/a.txt`, `${project.root}/lib/a.txt`)
    project.write('lib/b.txt', lines(9, 2, 3))
    project.write('b.txt', lines(8, 1))
    expect(await models(workspace, 'lib/a.txt')).toEqual(['m-one'])
    expect(await models(workspace, 'lib/b.txt')).toEqual(['unknown', 'm-one', 'm-one'])
    expect(await models(workspace, 'b.txt')).toEqual(['human', 'm-one'])
  })

  it('attributes lines written outside between commits to a human, in the record too', async () => {
    const project = setUpFiles({ 'a.ts': lines(1) })
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('a.ts', lines(1, 2)))
    project.write('a.ts', lines(5, 1, 2))
    expect(await models(workspace, 'a.ts')).toEqual(['human', 'unknown', 'm-one'])
    await runSession(workspace, 'two', (fs) => fs.appendFileSync('a.ts', line(3)))
    const record = (await recordsOf(workspace)).at(-1)
    const ranges = [
      { start_line: 1, end_line: 1, contributor: { type: 'human' } },
      { start_line: 4, end_line: 4, contributor: { type: 'ai' } },
    ]
    expect(record).toMatchObject({ files: [{ contributor: { type: 'mixed' }, ranges }] })
    expect((await workspace.ledger.blame('a.ts')).map(({ line, ...rest }) => rest)).toMatchObject([
      { contributor: 'human', recordId: record?.id },
      { contributor: 'unknown' },
      { model: 'm-one' },
      { model: 'm-two' },
    ])
  })

  it("names no model for a reviewer's lines, and keeps the attribution of content that an undo restores", async () => {
    const project = setUpFiles({})
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('a.ts', 'one\ntwo\n'))
    const session = await workspace.session({ id: 'two', agent: { model: 'm-two' } })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync('a.ts', 'one\nthree\n')
    await session.close()
    const review = await workspace.review('two')
    await review.edit('a.ts', 'one\nthree\nby hand\n', ANN)
    const { id } = await commitAll(workspace, 'two')
    const [, , edited] = await workspace.ledger.blame('a.ts')
    expect(edited).toMatchObject({ contributor: 'human', intentId: 'INT-001', sessionId: 'two', approvedBy: 'Ann' })
    expect(edited).not.toHaveProperty('model')
    const undo = await workspace.undo(id)
    await undo.approve(undefined, ANN)
    await undo.commit()
    expect(await models(workspace, 'a.ts')).toEqual(['m-one', 'm-one'])
  })

  it('does not treat a common line as a copy', async () => {
    const project = setUpFiles({})
    const workspace = await project.open()
    await runSession(workspace, 'one', (fs) => fs.writeFileSync('a.ts', `{\n  return null\n}\n${line(1)}`))
    await runSession(workspace, 'two', (fs) => fs.writeFileSync('b.ts', '{\n  return null\n}\n'))
    expect(await models(workspace, 'b.ts')).toEqual(['m-two', 'm-two', 'm-two'])
  })

  it('refuses paths without lines, with a reason', async () => {
    const project = setUpFiles({ 'bin.dat': 'a\0b', 'dir/x': 'x\n' })
    symlinkSync('/', `${project.root}/out`)
    const { ledger } = await project.open()
    for (const path of ['gone.ts', 'dir', 'bin.dat']) {
      expect(await reasonOf(() => ledger.blame(path)), path).toBe('nothing_selected')
    }
    expect(await reasonOf(() => ledger.blame('out/etc/passwd'))).toBe('path_escape')
    expect(await ledger.blame(`${project.root}/dir/x`)).toEqual([{ line: 1, contributor: 'unknown' }])
  })
})
