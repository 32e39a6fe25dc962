import { readFileSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { INTENTS, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

function workspace(intents = INTENTS) {
  const project = testWorkspace({}, intents)
  return {
    ...project,
    use: (...argv: string[]) => escrowAt(project.root, ['use', ...argv, '--by', 'Ada']),
    file: () => readFileSync(`${project.root}/.orchestration/active_intents.yaml`, 'utf8'),
  }
}

it('selects the intent that the next session works for', async () => {
  const at = workspace()
  expect(await at.use('INT-002')).toEqual({ code: 0, out: 'selected  INT-002  IN_PROGRESS  Mail\n', err: '' })
  expect(at.file()).toBe(`${INTENTS.replace('PENDING', 'IN_PROGRESS')}active_intent_id: INT-002\n`)
  const session = await (await at.open()).session({ id: 'agent' })
  expect(session.intent?.id).toBe('INT-002')
})

it('changes and shows the selection', async () => {
  const at = workspace()
  expect((await escrowAt(at.root, ['use'])).out).toBe(
    "No intent is selected. Select one with 'escrow use': INT-001, INT-002.\n",
  )
  await at.use('INT-002')
  await at.use('INT-001')
  expect((await escrowAt(at.root, ['use'])).out).toBe('INT-001  IN_PROGRESS  Prices\n')
  expect(await at.use('--none')).toEqual({ code: 0, out: 'No intent is selected.\n', err: '' })
  expect(JSON.parse((await escrowAt(at.root, ['use', '--json'])).out)).toEqual({ intent: null })
  expect((await at.use('INT-001', '--none')).code).toBe(2)
})

it('suggests an id for a mistyped one', async () => {
  const at = workspace()
  const { code, err } = await at.use('INT-01')
  expect([code, err]).toEqual([1, expect.stringContaining("Did you mean 'INT-001'?")])
  expect(at.file()).toBe(INTENTS)
})

it('refuses a closed intent, and names the command that opens it', async () => {
  const at = workspace()
  const { code, err } = await at.use('INT-003')
  expect(code).toBe(1)
  expect(err).toContain("Open INT-003 again. 'escrow intents status INT-003 IN_PROGRESS'\n")
  expect(err).not.toContain('select_active_intent')
  expect(at.file()).toBe(INTENTS)
})

it('needs the files to be accepted first, and accepts nothing itself', async () => {
  const at = workspace()
  const added = `${INTENTS}  - {id: INT-009, name: New, owned_scope: ["**"]}\n`
  writeFileSync(`${at.root}/.orchestration/active_intents.yaml`, added)
  expect((await at.use('INT-009')).code).toBe(1)
  expect((await at.use('INT-001')).code).toBe(0)
  expect((await (await at.open()).trust()).waiting).toBe(true)
})
