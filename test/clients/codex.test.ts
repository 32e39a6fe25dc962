import { describe, expect, it } from 'vitest'
import { codexCall } from '../../src/agents/codex/tools.js'
import { checkGoverned, checkHeard, checkStart, checkWhole, unknownTools } from './checks.js'
import { CODEX, governedFixture, runPrompt } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.codex.title, () => {
  checkGoverned(CODEX)
  checkStart(CODEX)
  checkWhole(CODEX)
  checkHeard(CODEX)

  it('code that its model has run asks our hooks about each tool it calls', async () => {
    const codes = [
      'await tools.exec_command({ cmd: "echo two > src/a.ts" })',
      'await tools.apply_patch("*** Begin Patch\\n*** Add File: src/new.ts\\n+x\\n*** End Patch\\n")',
    ]
    const fixture = await governedFixture(CODEX, {
      script: codes.map((input) => ({ calls: [{ name: 'exec', input }] })),
    })
    await runPrompt(CODEX, fixture)
    expect(fixture.model.turns.slice(1).map(({ results }) => results)).toEqual([
      expect.stringContaining('Not Contained'),
      expect.stringContaining('Not Staged'),
    ])
    expect([fixture.text('src/a.ts'), fixture.text('src/new.ts')]).toEqual(['export const a = 1\n', undefined])
  })

  it('every tool it offers is known, except those that start others or run code', async () => {
    expect(await unknownTools(CODEX, (tool) => codexCall({ tool, input: {}, cwd: '/' }))).toEqual([
      'exec',
      'followup_task',
      'spawn_agent',
    ])
  })
})
