import fs from 'node:fs'
import { expect, it } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { reasonOf, startSession, testWorkspace } from '../support/workspace.js'

it.runIf(fs.existsSync('/proc/self/fd'))('closes every file when opening a session fails', async () => {
  const project = testWorkspace()
  const workspace = await project.open()
  const first = await startSession(workspace)
  first.fs.writeFileSync('src/a.ts', 'new\n')
  await first.close()
  const { dir, review } = layoutAt(project.root).session('agent')
  fs.writeFileSync(review, 'no record\n')
  for (let attempt = 0; attempt < 3; attempt++)
    expect(await reasonOf(() => workspace.session({ id: 'agent' }))).toBe('ledger_corrupt')
  const open = fs.readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return []
    }
  })
  expect(open.filter((path) => path.startsWith(dir))).toEqual([])
  fs.rmSync(review)
  const again = await workspace.session({ id: 'agent' })
  expect(again.fs.readFileSync('src/a.ts', 'utf8')).toBe('new\n')
})
