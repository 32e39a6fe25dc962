import { chmodSync } from 'node:fs'
import { expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'
import { git, initRepository } from '../support/git.js'
import { escrowAt } from './real.js'

/** Sets up an approved file. @param act what a person does before the commit */
async function setUpApprovedFile(act: (fixture: ReturnType<typeof scene>) => void) {
  const fixture = scene({ 'src/a.ts': 'a\nb\nc\nd\n' })
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace)
  fs.writeFileSync(fixture.at('src/a.ts'), 'A\nb\nc\nd\n')
  fs.writeFileSync(fixture.at('src/new.ts'), 'new\n')
  await (await workspace.review('one')).approve()
  await workspace.close()
  act(fixture)
  const commit = (...argv: string[]) => escrowAt(fixture.root, ['commit', 'one', ...argv])
  return { fixture, commit }
}

const DRIFT = (fixture: ReturnType<typeof scene>) => fixture.write('src/a.ts', 'a\nb\nc\nD\n')

it('names the command that resolves each refusal', async () => {
  const { commit } = await setUpApprovedFile(DRIFT)
  const { code, err } = await commit()
  expect([code, err]).toEqual([1, expect.stringMatching(/^ {2}escrow commit one --merge\n$/m)])
})

it('commits the rest with --merge, lists what needs a verdict, and exits with 1', async () => {
  const { fixture, commit } = await setUpApprovedFile(DRIFT)
  const { code, out, err } = await commit('--merge')
  expect([code, out]).toEqual([1, expect.stringMatching(/^committed {2}src\/new\.ts\n/)])
  expect(err).toMatch(/^left out {3}src\/a\.ts was merged with the file on disk\.\n/)
  expect(err).toContain('Approve the merged changes, then commit again.')
  expect([fixture.exists('src/new.ts'), fixture.read('src/a.ts')]).toEqual([true, 'a\nb\nc\nD\n'])
})

it('names the command that widens a scope that was narrowed after the write', async () => {
  const { commit } = await setUpApprovedFile((fixture) =>
    fixture.write(
      '.orchestration/active_intents.yaml',
      'active_intents:\n  - {id: INT-001, name: Work, status: IN_PROGRESS, owned_scope: ["src/a.ts"]}\n',
    ),
  )
  const { code, err } = await commit()
  expect([code, err]).toEqual([1, expect.stringMatching(/^ {2}escrow intents scope INT-001 --add src\/new\.ts\n$/m)])
})

it('makes a git commit with --git, and says which hooks did not run', async () => {
  const { fixture, commit } = await setUpApprovedFile((fixture) => {
    initRepository(fixture.root)
    fixture.write('.git/hooks/pre-commit', '#!/bin/sh\nexit 1\n')
    chmodSync(`${fixture.root}/.git/hooks/pre-commit`, 0o755)
  })
  const { code, out } = await commit('-m', 'A new price')
  const id = git(fixture.root, 'rev-parse', 'HEAD').trim()
  expect(code).toBe(0)
  expect(out).toContain(`git commit ${id.slice(0, 10)} on main\ngit        did not run pre-commit\n`)
  expect(git(fixture.root, 'log', '-1', '--format=%s').trim()).toBe('A new price')
  expect(git(fixture.root, 'status', '--porcelain')).toBe('')
})

it('names each file that git cannot store, and how to continue', async () => {
  const { fixture, commit } = await setUpApprovedFile((fixture) => git(fixture.root, 'init', '-q', '-b', 'main'))
  const { code, err } = await commit('--git')
  expect(code).toBe(1)
  expect(err).toContain('src/a.ts has uncommitted edits that the agent did not make.')
  expect(err).toContain('--whole-files')
  expect(fixture.exists('src/new.ts')).toBe(false)
})
