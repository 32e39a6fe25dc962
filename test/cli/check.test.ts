import { expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'
import { escrow, workspaceDir } from './harness.js'
import { escrowAt } from './real.js'

/** A session with one staged file, and a check declared by the command line. */
async function setUp(check: string) {
  const fixture = scene({ 'src/a.ts': 'a\n' })
  const declared = await escrowAt(fixture.root, ['intents', 'edit', 'INT-001', '--check', check])
  expect(declared).toMatchObject({ code: 0 })
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace)
  fs.writeFileSync(fixture.at('src/a.ts'), 'A\n')
  await workspace.close()
  return { fixture, run: (...argv: string[]) => escrowAt(fixture.root, ['check', ...argv]) }
}

it('shows a declared check, runs it, and prints its result', async () => {
  const { fixture, run } = await setUp('cat src/a.ts')
  expect((await escrowAt(fixture.root, ['intents', 'show', 'INT-001'])).out).toContain('Checks\n  cat src/a.ts\n')
  expect(await run('--status')).toMatchObject({ code: 1, out: expect.stringMatching(/^not run {2}INT-001 {2}cat/) })
  const { code, out, err } = await run()
  expect([code, err]).toEqual([0, 'check    INT-001  cat src/a.ts\nA\n'])
  expect(out).toMatch(
    /^passed {3}INT-001 {2}cat src\/a\.ts \(exit code 0, [\d.]+ s\)\n1 of 1 check passed, on everything that is staged\.\n$/,
  )
  expect(await run('one', '--status')).toMatchObject({ code: 0, out })
})

it('exits with 1 if a check fails, and prints the report as JSON', async () => {
  const { run } = await setUp('grep b src/a.ts')
  const { code, out, err } = await run('one', '--json')
  expect([code, err]).toEqual([1, ''])
  expect(JSON.parse(out)).toMatchObject({ selection: 'all', checks: [{ state: 'failed', evidence: { exitCode: 1 } }] })
})

it('shows the control characters of an output by name', async () => {
  const { run } = await setUp("printf '\\033[2Jx'")
  expect((await run()).err).toMatch(/\^\[\[2Jx/)
})

it('accepts one selection, and refuses two', async () => {
  const calls = async (...argv: string[]) => (await escrow(workspaceDir(), ['check', 'one', ...argv])).calls
  expect(await calls('--all')).toContainEqual(['check', 'all'])
  expect(await calls('--approved')).toContainEqual(['check', 'approved'])
  expect((await escrow(workspaceDir(), ['check', 'one', '--all', '--approved'])).code).toBe(2)
})

it('explains how to declare a check if none applies', async () => {
  const { code, out } = await escrow(workspaceDir(), ['check', 'one'])
  expect([code, out]).toEqual([0, expect.stringContaining("'escrow intents edit ID --check COMMAND'")])
})
