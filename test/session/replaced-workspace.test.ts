import { cpSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/core/api.js'
import { failure, startSession, testWorkspace } from '../support/workspace.js'

const CALL = { tool: 'write_to_file', id: 'c-1', kind: 'edit', paths: ['src/b.ts'] } as const

const write = (session: Session) => session.toolCall(CALL, () => session.fs.writeFileSync('src/b.ts', 'two\n'))

async function setUp() {
  const project = testWorkspace()
  const { root } = project
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', 'one\n')
  await session.flush()
  return { project, root, session }
}

describe('a session whose workspace', () => {
  it('was renamed says so at each call, and goes on once it is back', async () => {
    const { root, session } = await setUp()
    renameSync(root, `${root}.away`)
    const message = `The workspace ${root} was removed or renamed.`
    for (const run of [() => write(session), () => session.flush(), () => session.changes()])
      expect(await failure(run)).toMatchObject({ reason: 'ledger_unavailable', message })
    renameSync(`${root}.away`, root)
    await write(session)
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts', 'src/b.ts'])
  })

  it('was replaced by a copy stages nothing more, and says so at its end', async () => {
    const { project, root, session } = await setUp()
    renameSync(root, `${root}.away`)
    cpSync(`${root}.away`, root, { recursive: true })
    const message = `Another directory has taken the place of the workspace ${root}.`
    expect(await failure(() => write(session))).toMatchObject({ reason: 'ledger_unavailable', message })
    expect(await failure(() => session.close())).toMatchObject({
      message,
      hint: expect.stringContaining('Put the former directory back'),
    })
    rmSync(root, { recursive: true })
    renameSync(`${root}.away`, root)
    const again = await startSession(await project.open())
    expect((await again.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  it('was replaced by an empty directory does not ask for an intent', async () => {
    const { root, session } = await setUp()
    renameSync(root, `${root}.away`)
    mkdirSync(root)
    expect(await failure(() => write(session))).toMatchObject({ reason: 'ledger_unavailable' })
    rmSync(root, { recursive: true })
    renameSync(`${root}.away`, root)
    await session.close()
  })

  it('was replaced goes on if it keeps nothing on the disk', async () => {
    const project = testWorkspace()
    const { root } = project
    const session = await startSession(await project.open({ durability: 'memory' }))
    renameSync(root, `${root}.away`)
    cpSync(`${root}.away`, root, { recursive: true })
    await write(session)
    rmSync(root, { recursive: true })
    renameSync(`${root}.away`, root)
    await session.close()
  })
})
