import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

const BY = { name: 'Ada' }

async function setUp() {
  const project = testWorkspace()
  const { root } = project
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/new.ts', 'one\n')
  await session.flush()
  const review = await workspace.review('agent')
  const replace = () => {
    renameSync(root, `${root}.away`)
    cpSync(`${root}.away`, root, { recursive: true })
  }
  const putBack = () => {
    rmSync(root, { recursive: true })
    renameSync(`${root}.away`, root)
  }
  return { root, workspace, review, replace, putBack }
}

describe('the review of a workspace whose directory was replaced', () => {
  it('records no approval, and one once the directory is back', async () => {
    const { root, review, replace, putBack } = await setUp()
    await review.changes()
    replace()
    const refused = await failure(() => review.approve({ paths: ['src/new.ts'] }, BY))
    expect(refused).toMatchObject({ reason: 'ledger_unavailable', message: expect.stringContaining(root) })
    putBack()
    await review.changes()
    await review.approve({ paths: ['src/new.ts'] }, BY)
    expect((await review.changes()).changes).toMatchObject([{ path: 'src/new.ts', state: 'approved' }])
  })

  it('commits nothing into the other directory', async () => {
    const { root, review, replace, putBack } = await setUp()
    await review.changes()
    await review.approve({ paths: ['src/new.ts'] }, BY)
    replace()
    expect(await failure(() => review.commit())).toMatchObject({ reason: 'ledger_unavailable' })
    expect(existsSync(`${root}/src/new.ts`)).toBe(false)
    putBack()
    expect((await review.commit()).committed).toEqual(['src/new.ts'])
  })

  it('stages no undo for the other directory', async () => {
    const { workspace, review, replace, putBack } = await setUp()
    await review.changes()
    await review.approve({ paths: ['src/new.ts'] }, BY)
    const { id } = await review.commit()
    replace()
    expect(await failure(() => workspace.undo(id))).toMatchObject({ reason: 'ledger_unavailable' })
    putBack()
    expect((await workspace.undo(id)).sessionId).toBe('undo-1')
  })
})
