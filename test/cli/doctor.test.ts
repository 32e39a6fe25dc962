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

it('says what held of the attempts to get out, and fails if a promise did not', async () => {
  const dir = workspaceDir()
  const attempt = { name: 'a signal', tries: 'It kills.', protection: 'process_fence', isPromised: true } as const
  const other = { name: 'a call', tries: 'It calls.', protection: 'call_filter', isPromised: false } as const
  const report = { containment: 'namespace-overlay', untried: ['write_limit'] } as const
  const good = {
    ...report,
    ...{ held: true, attempts: [Object.assign({}, attempt, { outcome: 'held' as const })] },
  }
  expect((await escrow(dir, ['doctor'], { escapes: good })).out).not.toContain('a signal')
  const held = await escrow(dir, ['doctor', '--probe'], { escapes: good })
  expect(held.code).toBe(0)
  expect(held.out).toContain('held  process_fence  a signal\n')
  expect(held.out).toContain(
    'Nothing was tried on: write_limit.\nEvery promise of namespace-overlay that was tried held.\n',
  )
  const failed = Object.assign({}, attempt, { outcome: 'did not hold' as const, detail: 'it ended\u001b another' })
  const bad = {
    ...report,
    ...{ held: false, attempts: [Object.assign({}, other, { outcome: 'held' as const }), failed] },
  }
  const broken = await escrow(dir, ['doctor', '--probe'], { escapes: bad })
  expect(broken.code).toBe(1)
  expect(broken.out).toMatch(
    /did not hold +process_fence +a signal +it ended\^\[ another\nheld +call_filter \(not promised\)/,
  )
  expect(broken.out).toContain('did not keep a promise')
  const json = await escrow(dir, ['doctor', '--probe', '--json'], { escapes: bad })
  expect([json.code, JSON.parse(json.out)]).toMatchObject([1, { ok: false, probe: { held: false } }])
})
