import { expect, it } from 'vitest'
import { openVersions, recordedRegistry } from '../../src/history/intent-versions.js'
import { openRegistry } from '../../src/intents/registry.js'
import { openAccepted } from '../../src/os/accepted-files.js'
import { openLedger } from '../../src/trace/ledger.js'
import { PLAN, testWorkspace } from '../intents/workspace.js'

const ADA = { name: 'Ada' }

it('an edit of an intent without its ledger record is taken back, so another try makes it once', async () => {
  const { layout, text } = testWorkspace(PLAN)
  const ledger = openLedger(layout)
  let isFull = true
  const full = {
    ...ledger,
    append: (...args: Parameters<typeof ledger.append>) =>
      isFull ? Promise.reject(new Error('ENOSPC: no space left on device, write')) : ledger.append(...args),
  }
  const registry = openRegistry(layout)
  const intents = recordedRegistry(registry, openVersions(registry, full), full, layout.root)
  const accepted = openAccepted(layout)
  const before = accepted().texts
  const edits = [
    () => intents.add({ name: 'Another', ownedScope: ['b/**'] }, ADA),
    () => intents.edit('INT-001', { status: 'BLOCKED', addScope: ['c/**'] }, ADA),
    () => intents.editFile(async (was) => was.replace('src/auth/**', 'lib/**'), ADA),
  ]
  for (const edit of edits) {
    await expect(edit()).rejects.toThrow('ENOSPC')
    expect([text(), accepted().texts]).toEqual([PLAN, before])
  }
  isFull = false
  for (const edit of edits) await edit()
  expect((await intents.list()).map(({ name }) => name)).toContain('Another')
  expect((await intents.history('INT-001')).length).toBe(2)
  const ids = (await intents.list()).map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids.filter((each) => each !== 'INT-001')) expect((await intents.history(id)).length).toBeLessThan(2)
})

it("a start stays, because its record waits in the session's log", async () => {
  const { layout, text } = testWorkspace(PLAN.replace('"IN_PROGRESS"', '"PENDING"'))
  const versions = openVersions(openRegistry(layout), openLedger(layout))
  const start = versions.edit(
    (edits) => edits.start('INT-001'),
    () => Promise.reject(new Error('ENOSPC')),
  )
  await expect(start).rejects.toThrow('ENOSPC')
  expect(text()).toContain('status: "IN_PROGRESS"')
})
