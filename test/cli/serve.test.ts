import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { hookToken } from '../../src/surface/index.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { startEscrow } from './real.js'

async function startServer(root: string, ...args: string[]): Promise<{ url: URL; child: ChildProcess }> {
  const { child, url } = await startEscrow(root, ...args)
  return { child, url: new URL(url) }
}

const event = (root: string, file: string) =>
  JSON.stringify({
    ...{ session_id: 'c1', cwd: root, hook_event_name: 'PreToolUse', tool_name: 'Write', tool_use_id: 't1' },
    tool_input: { file_path: `${root}/${file}`, content: 'x' },
  })

it('one server serves the page and the hooks of Claude Code, each with a separate token', async () => {
  const { root } = testWorkspace({ 'src/a.ts': 'x' })
  const { url, child } = await startServer(root, 'serve')
  const page = url.searchParams.get('token') ?? ''
  const hook = hookToken(root)
  const ask = (path: string, token: string, body?: string) => {
    const headers = { authorization: `Bearer ${token}` }
    return fetch(new URL(path, url), body === undefined ? { headers } : { headers, method: 'POST', body })
  }
  const answered = await ask('/hooks/claude', hook, event(root, '.git/config'))
  expect([answered.status, await answered.json()]).toMatchObject([
    200,
    {
      hookSpecificOutput: {
        permissionDecision: 'deny',
        permissionDecisionReason: expect.stringContaining('.git/config'),
      },
    },
  ])
  expect((await ask('/hooks/claude', page, event(root, 'src/a.ts'))).status).toBe(401)
  expect((await ask('/hooks/claude', '', event(root, 'src/a.ts'))).status).toBe(401)
  expect((await ask('/api/state', page)).status).toBe(200)
  expect((await ask('/api/state', hook)).status).toBe(401)
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
})

it('a port in use is named, with the option that gives another one', async () => {
  const { root } = testWorkspace({ 'src/a.ts': 'x' })
  const { url } = await startServer(root, 'serve')
  const portMessage = (option: string) =>
    `Port ${url.port} cannot be used: another program uses it, perhaps a server of escrow that already runs.\n` +
    `Give another port with '${option} PORT'. Without a port, escrow takes a free one.\n`
  await expect(startServer(root, 'serve', '--port', url.port)).rejects.toThrow(portMessage('--port'))
  await expect(startServer(root, 'mcp', '--http', url.port)).rejects.toThrow(portMessage('--http'))
  const hub = ['hub', '--dir', `${root}/hub`, '--port', url.port]
  await expect(startServer(root, ...hub)).rejects.toThrow(portMessage('--port'))
})

it('review --web opens the named session, and refuses an unknown one', async () => {
  const project = testWorkspace({ 'src/a.ts': 'x' })
  const workspace = await project.open()
  const session = await startSession(workspace)
  session.fs.writeFileSync('src/a.ts', 'y')
  const { url } = await startServer(project.root, 'review', session.id, '--web')
  expect([url.hostname, url.hash]).toEqual(['127.0.0.1', `#/review/${session.id}`])
  await expect(startServer(project.root, 'review', 'nobody', '--web')).rejects.toThrow('There is no session nobody')
})
