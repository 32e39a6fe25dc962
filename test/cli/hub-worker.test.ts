import { expect, it } from 'vitest'
import { copyNewHub } from '../hub/new-hub.js'
import { place } from '../landing/kit.js'
import { git, initRepository } from '../support/git.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { runEscrow, startEscrow } from './real.js'

it("a hub with a worker lands a machine's change, and its status says so", async () => {
  const root = place()
  await copyNewHub(`${root}/hub`)
  const hub = (...args: string[]) => {
    const { status, stdout } = runEscrow(root, ['hub', '--dir', 'hub', ...args])
    expect(status).toBe(0)
    return stdout
  }
  const remote = `${root}/remote.git`
  git(root, 'init', '-q', '--bare', '-b', 'main', remote)
  const project = testWorkspace()
  initRepository(project.root)
  git(project.root, 'push', '-q', remote, 'main')
  const [laptop, ada] = [
    hub('token', 'add', 'laptop', '--role', 'host'),
    hub('token', 'add', 'Ada', '--role', 'reviewer'),
  ]
  hub('repository', 'set', remote, '--branch', 'main')
  expect(hub('repository', 'list')).toContain(remote)
  const wrong = runEscrow(root, ['hub', '--dir', 'hub', 'repository', 'set', 'https://ada:secret@example.com/x.git'])
  expect([wrong.status, wrong.stdout]).toEqual([1, ''])
  const { child, url } = await startEscrow(root, 'hub', '--dir', 'hub', '--worker')
  const session = await startSession(await project.open(), 'agent-1')
  session.fs.writeFileSync('src/a.ts', 'landed\n')
  expect(runEscrow(project.root, ['remote', 'add', url], { input: laptop })).toMatchObject({ status: 0, stderr: '' })
  expect(runEscrow(project.root, ['remote', 'sync'])).toMatchObject({ status: 0, stderr: '' })
  const headers = { authorization: `Bearer ${ada.trim()}` }
  const ask = async (path: string, body?: string) =>
    fetch(`${url}/v1${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) })
  const [{ id }] = await (await ask('/queue')).json()
  const { changes } = await (await ask(`/queue/${id}`)).json()
  await ask(`/queue/${id}/decisions`, JSON.stringify({ keys: [changes[0].key], verdict: 'approved' }))
  await expect.poll(async () => (await (await ask('/landings')).json())[0]?.state, { timeout: 60_000 }).toBe('landed')
  expect(git(remote, 'show', 'main:src/a.ts')).toBe('landed\n')
  const signedIn = await fetch(url, { headers: { cookie: `escrow-hub=${ada.trim()}` } })
  expect(await signedIn.text()).toContain('class="landing-landed">landed')
  expect(runEscrow(project.root, ['remote', 'sync']).stdout).toContain('landed  agent-1: 1 change on main as ')
  const commit = git(remote, 'rev-parse', 'main').trim()
  const status = runEscrow(project.root, ['status']).stdout
  expect(status).toContain(`main ${commit.slice(0, 12)}`)
  expect(status).not.toContain('to commit')
  const ended = new Promise((resolve) => child.once('exit', (code) => resolve(code)))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
