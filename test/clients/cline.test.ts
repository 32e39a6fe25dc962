import { describe, expect, it } from 'vitest'
import { clineCall } from '../../src/agents/cline/tools.js'
import { checkGoverned, checkHeard, checkStart, checkWhole, unknownTools } from './checks.js'
import { CLINE, governedFixture, runPrompt } from './drivers.js'
import { VERSIONS } from './versions.js'

describe(VERSIONS.cline.title, () => {
  checkGoverned(CLINE)
  checkStart(CLINE)
  checkWhole(CLINE)
  checkHeard(CLINE)

  it('a refusal does not end the run: the model gets the reason, and continues', async () => {
    const script = [CLINE.writes('README.md', 'x\n'), CLINE.reads('.env'), CLINE.ours('list_intents', {})]
    const fixture = await governedFixture(CLINE, { script })
    fixture.write('.env', 'KEY=secret\n')
    const { out } = await runPrompt(CLINE, fixture)
    expect(fixture.model.turns.map(({ text }) => /Scope Violation/.test(text))).toEqual([false, true, true, true])
    expect(fixture.model.turns[2]?.text).toContain('Access Denied: .env')
    expect(fixture.model.turns[3]?.text).not.toContain('KEY=secret')
    expect(out).toContain('Done.')
    expect(fixture.text('README.md')).toBeUndefined()
  })

  it('its commands run contained, in the one session', async () => {
    const command = 'cat src/new.ts; echo two > src/two.ts; echo "it ran"'
    const script = [CLINE.ours('write_file', { path: 'src/new.ts', content: 'staged before\n' }), CLINE.runs(command)]
    const fixture = await governedFixture(CLINE, { script })
    await runPrompt(CLINE, fixture)
    const results = fixture.model.turns[2]?.results
    expect([results, fixture.text('src/two.ts')]).toEqual([
      expect.stringMatching(/staged before[\s\S]*it ran/),
      undefined,
    ])
    expect(await fixture.escrow('diff', 'cline')).toContain('src/two.ts')
  })

  it('every tool it offers is known, except those that start others', async () => {
    expect(await unknownTools(CLINE, (tool) => clineCall(tool, {}, '/'))).toEqual([
      'spawn_agent',
      'team_cleanup',
      'team_run_task',
      'team_spawn_teammate',
      'team_task',
    ])
  })
})
