import { describe, expect, it } from 'vitest'
import { runTool } from '../../src/hooks/index.js'
import { testWorkspace } from '../support/workspace.js'

/** The compiler options of the repository have `exactOptionalPropertyTypes`, so this file also tests the types. */
describe('an option that is undefined', () => {
  it('counts as absent in every call of an embedder', async () => {
    const nothing = undefined
    const workspace = await testWorkspace().open({ approver: nothing, durability: nothing, memory: nothing })
    const agent = { tool: 'mine', model: nothing, toolVersion: nothing, conversation: nothing }
    const session = await workspace.session({ id: 'agent', agent })
    expect(session.agent).toEqual({ tool: 'mine' })
    await session.selectIntent('INT-001')

    const use = { id: nothing, name: 'write_file', args: { path: 'src/a.ts' } }
    const write = () => session.fs.writeFileSync('src/a.ts', 'new\n')
    const outcome = await runTool(session, use, write, { catalogue: nothing, gate: nothing })
    expect(outcome.status).toBe('done')
    const call = { tool: 'write', kind: 'edit', id: nothing, why: nothing, writes: nothing, declares: nothing } as const
    await session.toolCall(call, () => session.fs.writeFileSync('src/b.ts', 'new\n'))
    const where = { cwd: nothing, env: nothing, isolation: nothing, network: nothing, memory: nothing }
    const how = { signal: nothing, timeout: nothing, stdin: nothing, onOutput: nothing }
    expect(await session.exec('echo over', { ...where, ...how })).toMatchObject({ exitCode: 0, stdout: 'over\n' })

    expect(await session.check({ selection: nothing, signal: nothing })).toMatchObject({ selection: 'all', checks: [] })

    const review = await workspace.review('agent')
    const { changes } = await review.changes({ risk: nothing, classes: nothing })
    await review.approve({
      paths: nothing,
      calls: nothing,
      hunks: changes.flatMap(({ hunks }) => hunks.map(({ id }) => id)),
    })
    const options = { git: nothing, merge: nothing, strict: nothing, signal: nothing, onProgress: nothing }
    expect((await review.commit(options)).committed).toEqual(['src/a.ts', 'src/b.ts'])
    await workspace.close()
  })
})
