import { describe, expect, it } from 'vitest'
import { plansOf } from '../../src/client-settings/plans.js'
import { HOSTS } from '../../src/hosts/index.js'
import { HOST_SETTINGS } from '../../src/policy/protected.js'
import { reasonOf, startSession, testWorkspace } from '../support/workspace.js'

const INTENTS = `active_intents:
  - {id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"]}
`

describe.each(HOSTS)('the settings of %s', (client) => {
  it('are protected, and closed to commands that run next to the client', async () => {
    const project = testWorkspace({ 'src/a.ts': 'a\n' }, INTENTS)
    const session = await startSession(await project.open(), 's')
    const files = plansOf(client, project.root, false).map(({ path }) => path)
    expect(files.length).toBeGreaterThan(0)
    for (const path of files) {
      expect(
        HOST_SETTINGS.some((closed) => path === closed || path.startsWith(`${closed}/`)),
        path,
      ).toBe(true)
      expect(await reasonOf(() => session.fs.promises.mkdir(path, { recursive: true })), path).toBe('protected_path')
    }
  })
})
