import { describe, expect, it } from 'vitest'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const ADD = 'export function add(a: number, b: number) {\n  return a + b\n}\n'

describe('the ledger record of a commit', () => {
  it('has the measured class of each file and of all files', async () => {
    const project = testWorkspace({ 'src/a.ts': ADD, 'src/b.ts': ADD, 'src/c.txt': 'one\n', 'src/gone.ts': ADD })
    const workspace = await project.open()
    const session = await startSession(workspace)
    const land = async () => {
      const review = await workspace.review('agent')
      await review.approve()
      await review.commit()
      return (await recordsOf(workspace)).findLast((record) => metadataOf(record).type === 'commit') ?? {}
    }
    session.fs.writeFileSync('src/a.ts', ADD.replace('  return', '    return'))
    const layout = await land()
    expect(layout).toMatchObject({ mutation_class: 'AST_REFACTOR', files: [{ mutation_class: 'AST_REFACTOR' }] })
    expect(metadataOf(layout)).toMatchObject({ changes: [{ mutation: { class: 'AST_REFACTOR', rule: 'layout' } }] })

    session.fs.writeFileSync('src/a.ts', ADD)
    session.fs.writeFileSync('src/c.txt', 'two\n')
    const doubt = await land()
    expect(doubt).toMatchObject({
      mutation_class: null,
      files: [{ mutation_class: 'AST_REFACTOR' }, { mutation_class: null }],
    })
    expect(metadataOf(doubt)).toMatchObject({ changes: [{}, { mutation: { class: 'UNVERIFIED', rule: 'language' } }] })

    session.fs.writeFileSync('src/a.ts', ADD.replace('a + b', 'a - b'))
    session.fs.renameSync('src/b.ts', 'src/d.ts')
    session.fs.rmSync('src/gone.ts')
    session.fs.writeFileSync('src/new.ts', '')
    const evolution = await land()
    expect(evolution).toMatchObject({ mutation_class: 'INTENT_EVOLUTION' })
    const rules = (metadataOf(evolution).changes as { path: string; mutation: { class: string; rule: string } }[]).map(
      ({ path, mutation }) => [path, mutation.class, mutation.rule],
    )
    expect(rules.sort()).toEqual([
      ['src/a.ts', 'INTENT_EVOLUTION', 'content'],
      ['src/d.ts', 'INTENT_EVOLUTION', 'renamed-file'],
      ['src/gone.ts', 'INTENT_EVOLUTION', 'deleted'],
      ['src/new.ts', 'INTENT_EVOLUTION', 'created'],
    ])
  })
})
