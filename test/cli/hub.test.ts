import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace, working } from '../support/workspace.js'

const program = () => `${compileOnce()}/test/children/escrow.js`

/** Runs a command to its end. */
function escrow(cwd: string, args: readonly string[], more: { input?: string; env?: NodeJS.ProcessEnv } = {}) {
  const { input = '', env = process.env } = more
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(), ...args], {
    cwd,
    input,
    env,
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

/** A directory for a hub. */
function hubDirectory(): string {
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hub-')))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  return place
}

function started(cwd: string, ...args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program(), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    let [output, errors] = ['', '']
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    child.once('close', () => reject(new Error(errors)))
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
      if (output.endsWith('\n')) resolve({ child, url: output.trim() })
    })
  })
}

it('two workspaces send to an embedded hub, by the commands of docs/hub.md', async () => {
  const place = hubDirectory()
  const tokenOf = (name: string, role: string) => {
    const { status, stdout, stderr } = escrow(place, ['hub', '--dir', 'hub', 'token', 'add', name, '--role', role])
    expect([status, stderr]).toEqual([0, ''])
    return stdout
  }
  const [laptop, desk, ada] = [tokenOf('laptop', 'host'), tokenOf('desk', 'host'), tokenOf('Ada', 'reviewer')]
  const listed = escrow(place, ['hub', '--dir', 'hub', 'token', 'list']).stdout
  expect(listed.split('\n').map((line) => line.split(/ +/)[0])).toEqual(['Ada', 'desk', 'laptop', ''])
  const { child, url } = await started(place, 'hub', '--dir', 'hub')
  for (const token of [laptop, desk]) {
    const { root, open } = testWorkspace()
    const session = await working(await open(), 'agent-1')
    session.fs.writeFileSync('src/a.ts', 'x\n')
    expect(escrow(root, ['remote', 'add', url], { input: ada })).toMatchObject({ status: 1 })
    expect(escrow(root, ['remote', 'add', url], { input: token })).toMatchObject({ status: 0, stderr: '' })
    expect(escrow(root, ['remote', 'sync'])).toMatchObject({ status: 0, stderr: '' })
  }
  const queue = await fetch(`${url}/v1/queue`, { headers: { authorization: `Bearer ${ada.trim()}` } })
  expect(await queue.json()).toMatchObject([{ session: 'laptop.agent-1' }, { session: 'desk.agent-1' }])
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

it("is refused within an agent's session", () => {
  const { root } = testWorkspace()
  const env = Object.assign({}, process.env, { ESCROW_SESSION: 'agent-1' })
  for (const args of [
    ['hub', '--dir', '../hub', 'token', 'add', 'x', '--role', 'reviewer'],
    ['remote', 'add', 'http://127.0.0.1:1'],
    ['remote', 'sync'],
  ]) {
    const { status, stdout, stderr } = escrow(root, args, { env })
    expect([status, stdout, stderr]).toEqual([
      1,
      '',
      expect.stringContaining('An agent cannot decide about its own work'),
    ])
  }
})

it('a database address in the variable is not printed', () => {
  const env = Object.assign({}, process.env, { ESCROW_HUB_DATABASE: 'postgres://hub:secret@127.0.0.1:1/hub' })
  const { status, stdout, stderr } = escrow(hubDirectory(), ['hub', 'token', 'list'], { env })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('ECONNREFUSED')
  expect(stderr).not.toContain('secret')
})
