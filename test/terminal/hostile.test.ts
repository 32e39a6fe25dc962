import fs from 'node:fs'
import { homedir } from 'node:os'
import { basename } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startChild } from '../children/run.js'
import { stateOf } from '../support/state.js'
import { reasonOf } from '../support/workspace.js'
import { site } from './site.js'

describe("an agent's arguments of a command", () => {
  it('are never read as options of the sandbox', async () => {
    const { session } = await site()
    const options = 'x\0--bind\0/\0/tmp/host'
    expect(await reasonOf(() => session.exec('ls /tmp/host', { env: { A: options } }))).toBe('unsupported')
    expect(await reasonOf(() => session.exec('ls /tmp/host', { env: { [`A\0${options}`]: 'x' } }))).toBe('unsupported')
    expect(await reasonOf(() => session.exec('true', { env: { 'A=B': 'x' } }))).toBe('unsupported')
    expect(await reasonOf(() => session.exec(['true', options]))).toBe('unsupported')
    expect(await reasonOf(() => session.exec([]))).toBe('unsupported')
    expect((await session.exec(['--version'])).stdout).not.toMatch(/bubblewrap/)
    expect((await session.exec('echo "$A"', { env: { A: '--bind' } })).stdout).toBe('--bind\n')
  })
})

describe('secrets of the home directory', () => {
  it('stay hidden if policy opens their directory, or the whole machine', async () => {
    const { session, write } = await site()
    const home = atHome()
    fs.mkdirSync(`${home}/.ssh`)
    fs.writeFileSync(`${home}/.ssh/key`, 'SECRET')
    fs.writeFileSync(`${home}/plain`, 'plain')
    for (const rules of [`${home}: read-only`, `"/**": allow`, `${home}/..: deny, ${home}: allow`]) {
      write('.orchestration/policy.yaml', `outside: { ${rules} }\n`)
      await wait(20)
      expect((await session.exec(`cat ${home}/.ssh/key ${home}/plain; ls -d /proc/${process.pid}`)).stdout).toBe(
        'plain',
      )
    }
    // The person's own, most specific rule.
    write('.orchestration/policy.yaml', `outside: { ${home}/.ssh/key: allow }\n`)
    await wait(20)
    expect((await session.exec(`cat ${home}/.ssh/key`)).stdout).toBe('SECRET')
  })

  it('are followed if they are links', async () => {
    const { session } = await site()
    const home = atHome()
    fs.mkdirSync(`${home}/dotfiles`)
    fs.writeFileSync(`${home}/dotfiles/netrc`, 'SECRET')
    fs.symlinkSync(`${home}/dotfiles/netrc`, `${home}/.netrc`)
    expect((await session.exec(`cat ${home}/.netrc ${home}/dotfiles/netrc`)).stdout).toBe('')
  })

  it('are absent in a workspace that is the home directory, and cannot be removed or replaced', async () => {
    const fixture = await site({
      '.ssh/key': 'SECRET',
      '.config/gh/token': 'SECRET',
      '.netrc': 'SECRET',
      'src/a': 'a\n',
    })
    setHome(fixture.root)
    const output = await fixture.session.exec('cat .ssh/key .config/gh/token .netrc; ls -a')
    expect(output.stdout).toBe('.\n..\n.config\n.orchestration\nsrc\n')
    const { refused, effects } = await fixture.session.exec(
      'mkdir .ssh; echo x > .ssh/config; rm -rf .config; echo y > .netrc',
    )
    expect(new Set(refused.map(({ reason }) => reason))).toEqual(new Set(['access_denied']))
    expect(effects.changes).toEqual([])
    expect(fixture.session.fs.readFileSync(`${fixture.root}/.config/gh/token`, 'utf8')).toBe('SECRET')
  })
})

describe('a command that is interrupted', () => {
  it('at any moment of its start leaves no process, and the session works', async () => {
    const { session } = await site()
    for (let ms = 0; ms < 20; ms += 1) {
      const ran = await session.exec('sleep 60', { signal: AbortSignal.timeout(ms) })
      expect(ran.ended).toBe('aborted')
    }
    expect((await session.exec('true', { signal: AbortSignal.abort() })).ended).toBe('aborted')
    expect((await session.exec('echo well')).stdout).toBe('well\n')
  }, 60_000)

  it('by the death of its host at any moment leaves no process', async () => {
    for (const ms of [0, 3, 6, 9]) {
      const { root, workspace, session } = await site()
      await session.close()
      await workspace.close()
      const child = startChild('starting.ts', root)
      expect(await child.line()).toBe('starts')
      await wait(ms)
      await child.kill()
      for (let i = 0; i < 100 && processesAt(root).length > 0; i++) await wait(20)
      expect(processesAt(root)).toEqual([])
    }
  }, 60_000)
})

/** A home directory for the test, not below /tmp, because each command has its own. */
function atHome(): string {
  const path = fs.mkdtempSync(`${homedir()}/escrowfs-test-`)
  onTestFinished(() => fs.rmSync(path, { recursive: true, force: true }))
  setHome(path)
  return path
}

function setHome(path: string): void {
  const before = process.env.HOME
  process.env.HOME = path
  onTestFinished(() => {
    if (before === undefined) delete process.env.HOME
    else process.env.HOME = before
  })
}

/** Processes with a directory in their command line or among their mounts. */
function processesAt(path: string): string[] {
  const containsPath = (file: string) => {
    try {
      return fs.readFileSync(file, 'utf8').includes(path)
    } catch {
      return false
    }
  }
  const own = String(process.pid)
  const pids = fs.readdirSync('/proc').filter((pid) => /^\d+$/.test(pid) && pid !== own)
  return pids.filter((pid) => containsPath(`/proc/${pid}/cmdline`) || containsPath(`/proc/${pid}/mountinfo`))
}

describe('a command that tries to approve its own changes', () => {
  it('finds no review, no verdict and no key, and cannot write their files', async () => {
    const { session, root, workspace } = await site({ 'src/a': 'a\n', '.orchestration/policy.yaml': 'access: {}\n' })
    session.fs.writeFileSync('src/a', 'staged\n')
    const before = fs.readFileSync(`${root}/.orchestration/active_intents.yaml`, 'utf8')
    const { stdout, effects, refused } = await session.exec(
      `env -u ESCROW_SESSION true; ls .orchestration; find / -name review.jsonl -not -path '/proc/*' 2>/dev/null
      mkdir -p .orchestration/sessions/agent; echo x > .orchestration/sessions/agent/review.jsonl
      echo x >> .orchestration/active_intents.yaml; echo x >> .orchestration/policy.yaml; rm -rf .orchestration; mv .orchestration o`,
    )
    // This machine may have state of other workspaces, in a place that is open to commands.
    const isOfOthers = (name: string) => name.startsWith('/') && !name.includes(basename(stateOf(root)))
    const found = stdout.split('\n').filter((name) => !isOfOthers(name))
    expect(found.filter((name) => /sessions|commits|locks|ledger\.d|tx|review/.test(name))).toEqual([])
    expect([effects.changes, refused]).toEqual([[], []])
    expect(fs.readFileSync(`${root}/.orchestration/active_intents.yaml`, 'utf8')).toBe(before)
    const { changes } = await (await workspace.review('agent')).changes()
    expect(changes.map(({ path, state }) => [path, state])).toEqual([['src/a', 'pending']])
  })
})
