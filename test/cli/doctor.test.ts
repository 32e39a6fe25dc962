import { expect, it } from 'vitest'
import { applyClients, planClients } from '../../src/surface/index.js'
import { escrow, workspaceDir } from './harness.js'

it('lists what works, what does not and how to fix it, and exits accordingly', async () => {
  const dir = workspaceDir()
  expect(await escrow(dir, ['doctor'])).toMatchObject({
    code: 0,
    out: 'platform  works\nnamespace-overlay  works\nThis machine can contain commands.\nThey run in namespace-overlay: a mount.\n',
  })
  const containment = [
    { name: 'platform', ok: true },
    { name: 'bubblewrap', ok: false, problem: 'spawn bwrap\u001b ENOENT', fix: 'apt-get install bubblewrap' },
  ] as const
  const { code, out } = await escrow(dir, ['doctor'], { containment })
  expect(code).toBe(1)
  expect(out).toContain('bubblewrap  does not work  spawn bwrap^[ ENOENT\n')
  expect(out).toContain('Commands are refused on this machine. To fix it: apt-get install bubblewrap\n')
  const json = await escrow(dir, ['doctor', '--json'], { containment })
  expect(JSON.parse(json.out)).toMatchObject({
    ok: false,
    found: containment,
    containments: [{ name: 'namespace-overlay', works: false, failure: { what: 'bubblewrap' } }],
  })
})

it('runs each installed hook, and reports one that refuses every tool', async () => {
  const dir = workspaceDir()
  applyClients(dir, planClients(dir, ['cline']))
  expect(await escrow(dir, ['doctor'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('cline  governed by hooks'),
  })
  const blocked = 'escrow could not be asked\u001b.'
  const { code, out } = await escrow(dir, ['doctor'], { blocked })
  expect(code).toBe(1)
  expect(out).toContain('cline  blocked')
  expect(out).toContain('cline: its hook was run once and fails: escrow could not be asked^[.\n')
  expect(JSON.parse((await escrow(dir, ['doctor', '--json'], { blocked })).out).clients).toEqual([
    { client: 'cline', isEntered: true, blocked },
  ])
})
