import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { FILES, testWorkspace, working } from '../../support/workspace.js'
import { stand } from './stand.js'

async function begun(files: Readonly<Record<string, string>> = FILES, capabilities: object = {}) {
  const place = testWorkspace(files)
  const workspace = await place.open({ durability: 'memory' })
  const session = await working(workspace)
  const at = stand(workspace, session)
  const { root } = place
  const met = await at.editor.ask('initialize', { protocolVersion: 1, clientCapabilities: capabilities })
  await at.editor.ask('session/new', { cwd: root, mcpServers: [] })
  const file = (path: string) => ({ sessionId: 's1', path: `${root}/${path}` })
  return { place, workspace, session, root, met, file, ...at }
}

describe('files', () => {
  it('are staged and not on the disk, whichever way the agent writes them', async () => {
    const { editor, root, file, place, session } = await begun()
    const [served, , readOwn, readServed] = await editor.prompt(
      { ask: 'fs/write_text_file', params: { ...file('src/new/x.ts'), content: 'x\n' } },
      { write: `${root}/src/a.ts`, content: 'mine\n' },
      { ask: 'fs/read_text_file', params: file('src/a.ts') },
      { ask: 'fs/read_text_file', params: { ...file('src/new/x.ts'), line: 1, limit: 1 } },
    )
    expect(served.result).toEqual({})
    expect(readOwn.result).toEqual({ content: 'mine\n' })
    expect(readServed.result).toEqual({ content: 'x\n' })
    expect(place.text('src/a.ts')).toBe(FILES['src/a.ts'])
    expect(existsSync(`${root}/src/new`)).toBe(false)
    const staged = (await session.changes()).changes.filter(({ kind }) => kind !== 'mkdir').map(({ path }) => path)
    expect(staged.sort()).toEqual(['src/a.ts', 'src/new/x.ts'])
  })
})
