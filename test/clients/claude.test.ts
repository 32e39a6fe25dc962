import { describe, expect, it } from 'vitest'
import { claudeCall } from '../../src/agents/claude/tools.js'
import { checkGoverned, checkHeard, checkStart, checkWhole } from './checks.js'
import { CLAUDE, governedFixture } from './drivers.js'
import { VERSIONS } from './versions.js'

/** Tools whose input does not tell their effects, so a person is asked. */
const ASKED_ABOUT = ['EnterWorktree', 'ExitWorktree', 'Workflow']

describe(VERSIONS.claude.title, () => {
  checkGoverned(CLAUDE)
  checkStart(CLAUDE)
  checkWhole(CLAUDE)
  checkHeard(CLAUDE)

  it('as escrow init sets it up, its terminal works without a question: the command runs contained, in the one session', async () => {
    const command = 'cat src/new.ts; echo two > src/two.ts; echo "it ran"'
    const script = [CLAUDE.ours('write_file', { path: 'src/new.ts', content: 'staged before\n' }), CLAUDE.runs(command)]
    const fixture = await governedFixture(CLAUDE, { script })
    // The person has allowed only what escrow init showed, and trusts the directory.
    await fixture.run(CLAUDE.command(fixture)[0], ['-p', 'Go on.', '--output-format', 'json'])
    const results = fixture.model.turns[2]?.results
    expect([results, fixture.text('src/two.ts')]).toEqual([
      expect.stringMatching(/staged before[\s\S]*it ran/),
      undefined,
    ])
    expect(await fixture.escrow('diff', 'claude')).toContain('src/two.ts')
  })

  it('every tool it offers is known, or a person is asked about it', async () => {
    const fixture = await governedFixture(CLAUDE, { script: [] })
    await fixture.run(CLAUDE.command(fixture)[0], ['-p', 'Go on.'])
    const [turn] = fixture.model.turns
    const later =
      /deferred tools[\s\S]*?:\n((?:\w+\n)+)/
        .exec(turn?.text ?? '')?.[1]
        ?.trim()
        .split('\n') ?? []
    expect(later.length).toBeGreaterThan(5)
    const unknown = [...(turn?.tools ?? []), ...later].filter((tool) => claudeCall(tool, {}, '/').class === 'unknown')
    expect(unknown.sort()).toEqual(ASKED_ABOUT)
  })
})
