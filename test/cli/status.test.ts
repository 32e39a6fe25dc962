import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

const REVIEWER = { name: 'Ada' }

/** A session with a rejected, an approved and an open change, and one without any. */
async function setUpReviewed() {
  const project = testWorkspace({ 'src/a.ts': 'a\n' }, INTENTS)
  const workspace = await project.open()
  const session = await workspace.session({ id: 'agent' })
  await session.selectIntent('INT-001')
  for (const name of ['no', 'open', 'yes']) session.fs.writeFileSync(`${project.root}/src/${name}.ts`, `${name}\n`)
  await (await workspace.session({ id: 'empty' })).close()
  await session.close()
  const review = await workspace.review('agent')
  await review.reject({ paths: ['src/no.ts'] }, 'Not\nhere.', REVIEWER)
  await review.approve({ paths: ['src/yes.ts'] }, REVIEWER)
  await workspace.close()
  return project.root
}

describe('status', () => {
  it('lists rejections with their reasons, and what to type next', async () => {
    const { out } = await escrowAt(await setUpReviewed(), ['status'])
    const sessions = out.slice(out.indexOf('Sessions'))
    expect(sessions).toBe(`Sessions
  agent  at rest  3 staged
  1 more with nothing staged: 'escrow sessions'
Rejected
  agent  src/no.ts  Ada: Not here.
Next
  agent  1 change to review           escrow review agent
  agent  1 approved change to commit  escrow commit agent
`)
  })

  it('has the same as JSON, with every session', async () => {
    const { out } = await escrowAt(await setUpReviewed(), ['status', '--json'])
    expect(JSON.parse(out)).toMatchObject({
      sessions: [{ id: 'agent' }, { id: 'empty' }],
      rejected: [{ session: 'agent', path: 'src/no.ts', reason: 'Not\nhere.', by: 'Ada' }],
      todo: [{ session: 'agent', pending: 1, approved: 1, refused: 0 }],
    })
  })

  it('truncates a long reason, such as one with a diff', async () => {
    const root = await setUpReviewed()
    const workspace = await openWorkspace(root)
    const review = await workspace.review('agent')
    await review.reject({ paths: ['src/no.ts'] }, `Not landed.\n${'- old line\n+ new line\n'.repeat(50)}`, REVIEWER)
    await workspace.close()
    const { out } = await escrowAt(root, ['status'])
    expect(out).toMatch(/^ {2}agent {2}src\/no\.ts {2}Ada: Not landed\. - old line .{60,80}…$/m)
  })

  it('says that the ledger is damaged', async () => {
    const root = await setUpReviewed()
    const ledger = `${root}/.orchestration/agent_trace.jsonl`
    writeFileSync(ledger, readFileSync(ledger, 'utf8').split('\n').with(1, '{').join('\n'))
    const { code, out } = await escrowAt(root, ['status'])
    expect(code).toBe(0)
    expect(out).toMatch(/^Ledger {5}.*: Line 2 is not JSON.* Nothing can be recorded: 'escrow verify'$/m)
    expect(JSON.parse((await escrowAt(root, ['status', '--json'])).out).ledgerProblem).toContain('Line 2')
  })

  it('counts the verdicts of a session with many changes', async () => {
    const project = testWorkspace({ 'src/a.ts': 'a\n' }, INTENTS)
    const workspace = await project.open()
    const session = await workspace.session({ id: 'agent' })
    await session.selectIntent('INT-001')
    for (let each = 0; each < 25; each++) session.fs.writeFileSync(`${project.root}/src/${each}.ts`, `${each}\n`)
    await session.close()
    const review = await workspace.review('agent')
    await review.reject({ paths: ['src/1.ts'] }, 'No.', REVIEWER)
    await review.approve({ paths: ['src/2*.ts'] }, REVIEWER)
    await workspace.close()

    const { out } = await escrowAt(project.root, ['status'])

    expect(out.slice(out.indexOf('Rejected'))).toBe(`Rejected
  agent  src/1.ts  Ada: No.
Next
  agent  18 changes to review          escrow review agent
  agent  6 approved changes to commit  escrow commit agent
`)
  })
})
