import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { EscrowError } from '../../src/core/api-error.js'
import { admitPerson, applyClients, planClients } from '../../src/surface/index.js'
import { seatbeltCopy } from '../../src/terminal/seatbelt/containment.js'
import { escrow, workspaceDir } from './harness.js'

const ALL_OTHERS =
  "Not set up here: claude, cline, codex, gemini, opencode, roo, mcp. 'escrow init --help' says how to.\n"

it('lists clients that are set up or used here, and names the others in one line', async () => {
  const dir = workspaceDir()
  const bin = workspaceDir()
  vi.stubEnv('PATH', bin)
  onTestFinished(() => void vi.unstubAllEnvs())
  writeFileSync(join(dir, 'GEMINI.md'), '')
  expect((await escrow(dir, ['doctor'])).out).toContain(ALL_OTHERS)
  expect(JSON.parse((await escrow(dir, ['doctor', '--json'])).out).clients).toBeUndefined()
  applyClients(dir, planClients(dir, ['cline']))
  const { out } = await escrow(dir, ['doctor'])
  expect(out).toContain('Not set up here: claude, codex, gemini, opencode, roo, mcp.')
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
  rmSync(join(bin, '.orchestration'), { recursive: true })
  writeFileSync(join(bin, 'gemini'), '#!/bin/sh\n', { mode: 0o755 })
  expect((await escrow(dir, ['doctor'])).out).toMatch(/^gemini +not governed\n +set it up with 'escrow init --gemini'/m)
})

it('lists what works, what does not and how to fix it, and exits accordingly', async () => {
  const dir = workspaceDir()
  expect(await escrow(dir, ['doctor'])).toMatchObject({
    code: 0,
    out:
      'platform  works\nnamespace-overlay  works\nThis machine can contain commands.\nThey run in namespace-overlay: a mount.\n' +
      ALL_OTHERS,
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

it('reports a state directory that cannot be written, and how to get another', async () => {
  const dir = workspaceDir()
  const file = join(dir, 'file')
  writeFileSync(file, '')
  vi.stubEnv('XDG_STATE_HOME', file)
  onTestFinished(() => void vi.unstubAllEnvs())
  const { code, out } = await escrow(dir, ['doctor'])
  expect(code).toBe(1)
  expect(out).toMatch(/^state directory +does not work +ENOTDIR: not a directory, /m)
  expect(out).toContain('Set XDG_STATE_HOME, or HOME, to a directory of your own.\n')
  const found = [{ name: 'platform' }, { name: 'state directory', ok: false, fix: expect.stringContaining('XDG_') }]
  expect(JSON.parse((await escrow(dir, ['doctor', '--json'])).out)).toMatchObject({ ok: false, found })
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

it('reports each attempt to escape, and fails if a promise was broken', async () => {
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

it('reports a provider that was not tested on a Mac as such, used or refused', async () => {
  const { attempt: _, open: __, ...info } = seatbeltCopy
  const used = await escrow(workspaceDir(), ['doctor'], { tried: [{ ...info, lacks: [], works: true }] })
  expect(used.out).toContain(
    'They run in seatbelt-copy (not run on a Mac): a cloned copy, Seatbelt (not run on a Mac).\n',
  )
  const refused = await escrow(workspaceDir(), ['doctor'], { tried: [{ ...info, lacks: ['process_end'] }] })
  expect(refused.code).toBe(1)
  expect(refused.out).toContain('seatbelt-copy (not run on a Mac)  lacks protections  process_end\n')
  expect(refused.out).toContain('To fix it: require fewer protections (docs/terminal.md)\n')
})

it('lists what a better provider adds to the one that works, and how to install it', async () => {
  const { attempt: _, open: __, ...info } = seatbeltCopy
  const failure = { what: 'bubblewrap', problem: 'bubblewrap is not installed.', fix: 'apt-get install bubblewrap' }
  const keeps = [...info.keeps, 'process_list', 'write_limit'] as const
  const best = { ...info, name: 'namespace-overlay', keeps, lacks: [], works: false, failure } as const
  const { code, out } = await escrow(workspaceDir(), ['doctor'], { tried: [best, { ...info, lacks: [], works: true }] })
  expect(code).toBe(0)
  expect(out).toContain('does not work  bubblewrap is not installed.\n')
  expect(out).toContain(
    'It has every protection that policy requires. It has no process_list and no write_limit, which namespace-overlay has.\n' +
      'To have namespace-overlay: apt-get install bubblewrap\n',
  )
})

describe('with --fix', () => {
  const bubblewrap = {
    name: 'bubblewrap',
    gives: 'It sets up\u001b the sandbox.',
    commands: [['apt-get', 'install', '-y', 'bubblewrap']],
    run: [['sudo', 'apt-get', 'install', '-y', 'bubblewrap']],
  }
  const setting = {
    name: 'kernel.x',
    gives: 'It allows namespaces.',
    opens: 'Every program may use them.',
    commands: [['sysctl', '-w', 'kernel.x=0']],
    run: [['sysctl', '-w', 'kernel.x=0']],
  }
  const repairs = { repairs: [bubblewrap, setting], notes: ['A newer kernel helps.'] }
  const appliedRepairs = (calls: unknown[][]) =>
    calls.filter(([name]) => name === 'applyRepair').map(([, name]) => name)

  it('prints each repair, and runs those that the person accepts', async () => {
    const dir = workspaceDir()
    const { code, out, calls } = await escrow(dir, ['doctor', '--fix'], { repairs, answer: true, typed: 'kernel.x' })
    expect([code, appliedRepairs(calls)]).toEqual([0, ['bubblewrap', 'kernel.x']])
    expect(out).toContain('bubblewrap: It sets up^[ the sandbox.\n  $ sudo apt-get install -y bubblewrap\n')
    expect(out).toContain('  It opens: Every program may use them.\n  $ sysctl -w kernel.x=0\nA newer kernel helps.\n')
    expect(out).toContain('bubblewrap: done\nkernel.x: done\n')
    expect(calls.find(([name]) => name === 'text')?.[1]).toContain('To change it, type its name, kernel.x:')
  })

  it('changes no setting whose name the person has not typed, also with --yes', async () => {
    const dir = workspaceDir()
    for (const typed of [undefined, '', 'yes', 'bubblewrap', 'kernel']) {
      const { calls, out } = await escrow(dir, ['doctor', '--fix', '--yes'], { repairs, answer: true, typed })
      expect(appliedRepairs(calls)).toEqual(['bubblewrap'])
      expect(out).toContain('kernel.x: not changed\n')
    }
    const unasked = await escrow(dir, ['doctor', '--fix', '--yes', '--json'], { repairs })
    expect(appliedRepairs(unasked.calls)).toEqual(['bubblewrap'])
    expect(JSON.parse(unasked.out).fix.repairs).toMatchObject([
      { name: 'bubblewrap', done: true },
      { name: 'kernel.x' },
    ])
    const refused = await escrow(dir, ['doctor', '--fix'], { repairs, answer: false, typed: 'kernel.x' })
    expect(appliedRepairs(refused.calls)).toEqual(['kernel.x'])
  })

  it('prints and changes nothing without a person', async () => {
    const dir = workspaceDir()
    const { code, err, out, calls } = await escrow(dir, ['doctor', '--fix'], { repairs })
    expect([code, appliedRepairs(calls)]).toEqual([1, []])
    expect(out).toContain('sudo apt-get install -y bubblewrap')
    expect(err).toContain("Add '--yes' to confirm.")
    const admit = () => {
      throw new EscrowError('access_denied', 'no person')
    }
    const agent = await escrow(dir, ['doctor', '--fix', '--yes'], { repairs, admit })
    expect([agent.code, appliedRepairs(agent.calls), agent.err]).toEqual([1, [], expect.stringContaining('no person')])
  })

  it('reports a repair that fails, and one that only root can make', async () => {
    const dir = workspaceDir()
    const { run: _, ...rootOnly } = bubblewrap
    const setup = {
      repairs: { repairs: [rootOnly, setting], notes: [] },
      answer: true,
      typed: 'kernel.x',
      isRepaired: false,
    }
    const { out } = await escrow(dir, ['doctor', '--fix'], setup)
    expect(out).toContain('  # apt-get install -y bubblewrap\n  Run this as root: there is neither sudo nor doas.\n')
    expect(out).toContain('bubblewrap: not changed\nkernel.x: failed; its output says why\n')
    expect((await escrow(dir, ['doctor', '--fix'])).out).toContain('Nothing has to be fixed for commands.\n')
  })

  it('is refused to an agent: in its session, and in a process without a terminal', () => {
    const dir = workspaceDir()
    const inSession = { ...process.env, ESCROW_SESSION: 'agent' }
    expect(() => admitPerson(dir, { terminal: true, env: inSession })).toThrow('inside session agent')
    for (const root of [dir, undefined])
      expect(() => admitPerson(root, { terminal: false, env: {} })).toThrow('Only a person can change this machine')
    expect(() => admitPerson(undefined, { terminal: false, env: { ESCROW_REVIEWER_KEY: '/k' } })).toThrow('no terminal')
    expect(() => admitPerson(dir, { terminal: false, env: { ESCROW_REVIEWER_KEY: '/k' } })).toThrow('may not decide')
    expect(() => admitPerson(undefined, { terminal: true, env: {} })).not.toThrow()
  })
})
