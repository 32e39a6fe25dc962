import { expect, it } from 'vitest'
import { escrow, workspaceDir } from './harness.js'

it('says what works, what does not and what mends it, and exits by that', async () => {
  const dir = workspaceDir()
  expect(await escrow(dir, ['doctor'])).toMatchObject({
    code: 0,
    out: 'platform  works\nCommands can be contained here.\n',
  })
  const containment = [
    { name: 'platform', ok: true },
    { name: 'bubblewrap', ok: false, problem: 'spawn bwrap\u001b ENOENT', mend: 'apt-get install bubblewrap' },
  ] as const
  const { code, out } = await escrow(dir, ['doctor'], { containment })
  expect(code).toBe(1)
  expect(out).toContain('bubblewrap  does not work  spawn bwrap^[ ENOENT\n')
  expect(out).toContain('Commands are refused here. To mend it: apt-get install bubblewrap\n')
  const json = await escrow(dir, ['doctor', '--json'], { containment })
  expect(JSON.parse(json.out)).toEqual({ ok: false, found: containment })
})
