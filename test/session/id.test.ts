import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { stateOf } from '../support/state.js'
import { reasonOf, testWorkspace } from '../support/workspace.js'

it.each(['--help', '-x', '-'])(
  'refuses %s as the id of a new session, because a command would read it as an option',
  async (id) => {
    const project = testWorkspace()
    const workspace = await project.open()
    expect(await reasonOf(() => workspace.session({ id }))).toBe('path_escape')
    expect(await workspace.sessions()).toEqual([])
    mkdirSync(`${stateOf(project.root)}/sessions/${id}`, { recursive: true })
    expect((await workspace.session({ id })).id).toBe(id)
  },
)
