import { mkdirSync } from 'node:fs'
import { afterEach, expect, it, vi } from 'vitest'
import type { SharedFile } from '../../src/core/layout.js'
import { openRegistry } from '../../src/intents/registry.js'
import { openAccepted } from '../../src/os/accepted-files.js'
import { rememberRule } from '../../src/policy-edit/remember-rule.js'
import { editsOf, PLAN, testWorkspace } from '../intents/workspace.js'

/** Makes each replacement of the file fail, as a full disk does: the name of its temporary file is taken. */
function refuseToReplace(file: SharedFile): void {
  vi.useFakeTimers({ toFake: ['Date'] })
  mkdirSync(`${file}.${process.pid}.${Date.now().toString(36)}.tmp`)
}

afterEach(() => void vi.useRealTimers())

it('an intent that cannot be written is not accepted either', async () => {
  const { layout, text } = testWorkspace(PLAN)
  const edits = editsOf(openRegistry(layout))
  const accepted = openAccepted(layout)
  const before = accepted().texts
  refuseToReplace(layout.intentsFile)
  await expect(edits.add({ name: 'Another', ownedScope: ['b/**'] })).rejects.toThrow()
  await expect(edits.expandScope('INT-001', ['b/**'])).rejects.toThrow()
  await expect(edits.deselect()).resolves.toBeUndefined()
  expect([text(), accepted().texts]).toEqual([PLAN, before])
})

it('a rule that cannot be written is not accepted either', async () => {
  const { layout } = testWorkspace(PLAN)
  await rememberRule(layout, { path: 'src/a.ts', rule: 'any' }, { answer: 'deny' })
  const accepted = openAccepted(layout)
  const before = accepted().texts
  refuseToReplace(layout.policyFile)
  await expect(rememberRule(layout, { path: 'src/b.ts', rule: 'any' }, { answer: 'allow' })).rejects.toThrow()
  expect(accepted().texts).toEqual(before)
})
