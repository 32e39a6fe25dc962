import { existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { copyNewHub } from '../hub/new-hub.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { escrowAt, runEscrow, startEscrow } from './real.js'

function temporary(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hub-')))
}

/** A directory with a new hub. */
async function hubDirectory(): Promise<string> {
  const place = temporary()
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  await copyNewHub(`${place}/hub`)
  return place
}

it('two workspaces send to an embedded hub, by the commands of docs/hub.md', async () => {
  const place = await hubDirectory()
  const tokenOf = (name: string, role: string) => {
    const { status, stdout, stderr } = runEscrow(place, ['hub', '--dir', 'hub', 'token', 'add', name, '--role', role])
    expect([status, stderr]).toEqual([0, ''])
    return stdout
  }
  const [laptop, desk, ada] = [tokenOf('laptop', 'host'), tokenOf('desk', 'host'), tokenOf('Ada', 'reviewer')]
  const listed = runEscrow(place, ['hub', '--dir', 'hub', 'token', 'list']).stdout
  expect(listed.split('\n').map((line) => line.split(/ +/)[0])).toEqual(['Ada', 'desk', 'laptop', ''])
  const { child, url } = await startEscrow(place, 'hub', '--dir', 'hub')
  for (const token of [laptop, desk]) {
    const { root, open } = testWorkspace()
    const session = await startSession(await open(), 'agent-1')
    session.fs.writeFileSync('src/a.ts', 'x\n')
    expect(runEscrow(root, ['remote', 'add', url], { input: ada })).toMatchObject({ status: 1 })
    expect(runEscrow(root, ['remote', 'add', url], { input: token })).toMatchObject({ status: 0, stderr: '' })
    expect(runEscrow(root, ['remote', 'sync'])).toMatchObject({ status: 0, stderr: '' })
  }
  const queue = await fetch(`${url}/v1/queue`, { headers: { authorization: `Bearer ${ada.trim()}` } })
  expect(await queue.json()).toMatchObject([{ session: 'laptop.agent-1' }, { session: 'desk.agent-1' }])
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

it("sets a workspace's review rules, one at a time", async () => {
  const place = await hubDirectory()
  writeFileSync(join(place, 'CODEOWNERS'), '* @ada\n/docs/ @shop/docs\n')
  writeFileSync(join(place, 'wrong'), '!docs/ @ada\n')
  const rules = (...args: string[]) => escrowAt(place, ['hub', '--dir', 'hub', 'rules', ...args])
  expect((await rules('show')).out).toBe('approvals   1\nCODEOWNERS  none\n')
  expect((await rules('set', '--approvals', '2')).out).toContain('approvals   2\n')
  expect(await rules('set', '--codeowners', 'wrong')).toMatchObject({ code: 1, err: expect.stringContaining('Line 1') })
  expect((await rules('set', '--team', 'docs=Ada')).err).toContain("write '@organisation/team=name,name'")
  const set = await rules('set', '--codeowners', 'CODEOWNERS', '--team', '@shop/docs=Ada,Bo')
  const expected = 'approvals   2\nCODEOWNERS  2 lines\n@shop/docs  Ada, Bo\n'
  expect(set).toMatchObject({ code: 0, out: expected, err: '' })
  expect((await rules('show')).out).toBe(expected)
  expect(await rules('set', '--team', '@Shop/Docs=Ada', '--team', '@shop/dcos=Bo')).toMatchObject({
    code: 0,
    err: 'Warning: No line of CODEOWNERS names @shop/dcos. Such a team owns no path.\n',
  })
  expect((await rules('set', '--no-codeowners')).out).toContain('CODEOWNERS  none\n')
  expect((await rules('show', '--workspace', 'other')).out).toContain('approvals   1\n')
})

it('gives groups of a provider access to a workspace, and revokes it', async () => {
  const hub = (...args: string[]) => escrowAt(hubPlace, ['hub', '--dir', 'hub', ...args])
  const hubPlace = await hubDirectory()
  expect(await hub('group', 'set', 'shop reviewers', '--role', 'reviewer', '--team', '@shop/docs')).toMatchObject({
    code: 0,
    out: 'Members of shop reviewers are reviewer of default.\n',
  })
  expect((await hub('group', 'set', 'ops', '--role', 'host')).err).toContain('Allowed choices are reviewer, admin')
  expect((await hub('group', 'set', 'ops', '--role', 'admin', '--team', 'docs')).code).toBe(1)
  expect((await hub('group', 'set', 'ops', '--role', 'admin', '--workspace', 'other')).code).toBe(0)
  expect((await hub('group', 'list')).out.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
    ['shop reviewers', 'reviewer', 'default', 'default', '@shop/docs'],
    ['ops', 'admin', 'other', 'default'],
    [''],
  ])
  expect((await hub('group', 'remove', 'ops')).err).toContain('The group ops has no access to default.')
  expect((await hub('group', 'remove', 'ops', '--workspace', 'other')).out).toBe('removed  ops\n')
  expect((await hub('sign-out', 'ada')).out).toBe('ended  0 sign-ins\n')
})

it.each([
  ['group', 'set', 'ops', '--role', 'admin'],
  ['rules', 'set', '--approvals', '2'],
  ['repository', 'set', 'https://example.com/shop'],
])('%s %s refuses a workspace or tenant that no token can be for', async (...command) => {
  const place = await hubDirectory()
  for (const option of ['--workspace', '--tenant'])
    for (const [name, shown] of [
      ['', ''],
      ['a b', 'a b'],
      ['bi\u202edi', 'bi<U+202E>di'],
    ] as const) {
      const { code, err } = await escrowAt(place, ['hub', '--dir', 'hub', ...command, option, name])
      expect([code, err]).toEqual([2, expect.stringContaining(`'${shown}' is not a name`)])
    }
})

it('says in words what a group cannot be', async () => {
  const place = await hubDirectory()
  const set = async (name: string, ...more: string[]) =>
    (await escrowAt(place, ['hub', '--dir', 'hub', 'group', 'set', name, '--role', 'reviewer', ...more])).err
  expect(await set('bi\u202edi')).toMatch(/^escrow: A name of a group has no control characters\./)
  expect(await set('')).toMatch(/^escrow: A group has a name\./)
  expect(await set('x'.repeat(201))).toMatch(/^escrow: A name of a group has at most 200 characters\./)
  expect(await set('ops', '--team', 'docs')).toMatch(/^escrow: A team is written '@organisation\/team'\./)
})

it('removes contents that no waiting change needs', async () => {
  const place = await hubDirectory()
  const prune = (...args: string[]) => escrowAt(place, ['hub', '--dir', 'hub', 'prune', ...args])
  expect(await prune()).toEqual({ code: 0, out: 'removed  0 contents, 0 bytes\n', err: '' })
  expect(await prune('--days', '0')).toMatchObject({
    code: 2,
    err: expect.stringContaining('Give a whole number above 0.'),
  })
})

it('does not start with only some of the settings for sign-in', async () => {
  const env = Object.assign({}, process.env, { ESCROW_HUB_OIDC_CLIENT_SECRET: 'the secret' })
  const { status, stdout, stderr } = runEscrow(await hubDirectory(), ['hub', '--dir', 'hub'], { env })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('Set ESCROW_HUB_OIDC_ISSUER.')
  expect(stderr).not.toContain('the secret')
})

it("hub and remote are refused within an agent's session", async () => {
  const { root } = testWorkspace()
  vi.stubEnv('ESCROW_SESSION', 'agent-1')
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const args of [
    ['hub', '--dir', '../hub', 'token', 'add', 'x', '--role', 'reviewer'],
    ['hub', '--dir', '../hub', 'rules', 'set', '--approvals', '1'],
    ['hub', '--dir', '../hub', 'group', 'set', 'agents', '--role', 'reviewer'],
    ['remote', 'add', 'http://127.0.0.1:1'],
    ['remote', 'sync'],
  ]) {
    const { code, out, err } = await escrowAt(root, args)
    expect([code, out, err]).toEqual([1, '', expect.stringContaining('An agent cannot decide about its own work')])
  }
})

it('a database address in the variable is not printed', async () => {
  const env = Object.assign({}, process.env, { ESCROW_HUB_DATABASE: 'postgres://hub:secret@127.0.0.1:1/hub' })
  const { status, stdout, stderr } = runEscrow(await hubDirectory(), ['hub', 'token', 'list'], { env })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('ECONNREFUSED')
  expect(stderr).not.toContain('secret')
})

it('creates no hub for a command that only reads one, as after a mistyped directory', async () => {
  const place = await hubDirectory()
  for (const args of [
    ['token', 'list'],
    ['token', 'revoke', 'x'],
    ['repository', 'list'],
    ['ledger', 'list'],
    ['prune'],
    ['worker'],
  ]) {
    const { code, err } = await escrowAt(place, ['hub', '--dir', 'hubb', ...args])
    expect([code, err]).toEqual([
      2,
      expect.stringContaining("there is no hub in hubb. Make one with 'escrow hub --dir hubb token add"),
    ])
  }
  expect(existsSync(join(place, 'hubb'))).toBe(false)
})
