import { describe, expect, it } from 'vitest'
import { createRooTools } from '../../src/agents/roo/index.js'
import { denialOf } from '../../src/index.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const CODE = 'export const f = (list: number[]) => {\n  return list\n}\n'
const files = { 'src/a.ts': CODE, 'src/b.ts': CODE }

const write = (path: string, content: string, mutation_class?: string) => ({
  id: `call-${path}`,
  name: 'write_to_file',
  arguments: { path, content, ...(mutation_class !== undefined && { mutation_class }) },
})

async function stageDeclarations(second: string) {
  const workspace = await testWorkspace(files).open()
  const session = await startSession(workspace)
  const tools = createRooTools(session)
  await tools.execute(write('src/a.ts', CODE.replace('  return', '    return'), 'AST_REFACTOR'))
  await tools.execute(write('src/b.ts', second, 'AST_REFACTOR'))
  return { workspace, session, review: await workspace.review('agent') }
}

describe('a declared class of an agent’s writes', () => {
  it('is shown with the measured class, differences first', async () => {
    const { review, session } = await stageDeclarations(CODE.replace('list\n', 'list.slice(1)\n'))
    await session.flush()
    const { changes } = await review.changes()
    expect(changes.map(({ path, flags, mutation }) => [path, flags, mutation?.class, mutation?.declared])).toEqual([
      ['src/a.ts', [], 'AST_REFACTOR', 'AST_REFACTOR'],
      ['src/b.ts', ['class-disagrees'], 'INTENT_EVOLUTION', 'AST_REFACTOR'],
    ])
  })

  it('is recorded with the measured class, and never replaces it', async () => {
    const { workspace, review } = await stageDeclarations(CODE.replace('list\n', 'list.slice(1)\n'))
    await review.approve()
    await review.commit()
    const record = (await recordsOf(workspace)).find((each) => metadataOf(each).type === 'commit') ?? {}
    expect(record.mutation_class).toBe('INTENT_EVOLUTION')
    expect(metadataOf(record).changes).toMatchObject([
      { mutation: { class: 'AST_REFACTOR', rule: 'layout', declared: 'AST_REFACTOR' } },
      { mutation: { class: 'INTENT_EVOLUTION', rule: 'content', declared: 'AST_REFACTOR' } },
    ])
  })

  it('is known to a reviewer without the session', async () => {
    const project = testWorkspace(files)
    const session = await startSession(await project.open())
    await createRooTools(session).execute(write('src/a.ts', 'export const f = 1\n', 'AST_REFACTOR'))
    await session.close()
    const review = await (await project.open()).review('agent')
    expect((await review.changes()).changes[0]?.flags).toContain('class-disagrees')
  })

  it('is an evolution if one call declares it, and absent if one call declares nothing', async () => {
    const workspace = await testWorkspace(files).open()
    const session = await startSession(workspace)
    const call = (id: string, path: string, text: string, declares?: 'AST_REFACTOR' | 'INTENT_EVOLUTION') =>
      session.toolCall({ tool: 't', kind: 'edit', id, ...(declares && { declares }) }, () =>
        session.fs.writeFileSync(path, text),
      )
    await call('1', 'src/a.ts', `${CODE}\n`, 'AST_REFACTOR')
    await call('2', 'src/a.ts', `${CODE}\n\n`, 'INTENT_EVOLUTION')
    await call('3', 'src/b.ts', `${CODE}\n`, 'AST_REFACTOR')
    await call('4', 'src/b.ts', `${CODE}\n\n`)
    const { changes } = await (await workspace.review('agent')).changes()
    expect(changes.map(({ mutation }) => mutation?.declared)).toEqual(['INTENT_EVOLUTION', undefined])
  })

  it('is required by policy before any write', async () => {
    const project = testWorkspace(files)
    project.write('.orchestration/policy.yaml', 'gate:\n  require_mutation_class: true\n')
    const session = await startSession(await project.open())
    const tools = createRooTools(session)
    for (const word of [undefined, 'REFACTOR']) {
      const { denial } = await tools.execute(write('src/a.ts', 'export {}\n', word))
      expect(denial).toMatchObject({ reason: 'missing_mutation_class' })
    }
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(CODE)
    expect((await tools.execute(write('src/a.ts', 'export {}\n', 'INTENT_EVOLUTION'))).isError).toBe(false)
    const writes = [{ path: 'src/b.ts', effect: 'put' }] as const
    const refused = await session.toolCall({ tool: 't', kind: 'edit', writes }, () => undefined).catch(denialOf)
    expect(refused).toMatchObject({ reason: 'missing_mutation_class' })
  })
})
