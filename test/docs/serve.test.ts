import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { buildPageOnce } from '../support/built-page.js'
import { trust } from '../support/trust.js'
import { openAgent, writeFiles } from '../web/scene.js'
import { openShell, project, readersHome } from './reader.js'
import { blocksOf, stepsOf } from './readme-blocks.js'

const document = fs.readFileSync(`${project}docs/serve.md`, 'utf8')
const blocks = blocksOf(document)

let home = ''
beforeAll(async () => {
  home = readersHome()
  fs.cpSync(buildPageOnce(), `${home}/node_modules/escrowfs/dist/web`, { recursive: true })
  writeFiles(`${home}/shop`)
  const workspace = await openWorkspace(`${home}/shop`)
  const session = await openAgent(workspace, 'one')
  session.fs.writeFileSync(`${home}/shop/src/tax.ts`, 'export {}\n')
  await workspace.close()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** Starts the document's command, and waits for the address. */
async function startServer(
  env: NodeJS.ProcessEnv = {},
  more: readonly string[] = [],
): Promise<{ server: ChildProcess; address: string }> {
  const [step] = blocks.filter(({ language }) => language === 'console').flatMap(stepsOf)
  const [program = '', ...args] = step?.command.split(' ') ?? []
  const server = spawn(`${home}/node_modules/.bin/${program}`, [...args, ...more], {
    cwd: `${home}/shop`,
    env: { ...process.env, HOME: home, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit').then(([code]) => Promise.reject(new Error(`It ended with ${code}.`)))
  const [data]: Buffer[] = await Promise.race([once(server.stdout, 'data'), ended])
  ended.catch(() => undefined)
  expect(shapeOf(String(data))).toBe(shapeOf(`${step?.output}`))
  return { server, address: String(data).trim() }
}

const shapeOf = (text: string) =>
  text
    .trim()
    .replace(/:\d+/, ':PORT')
    .replace(/=[\w-]{43}$/, '=TOKEN')

describe('docs/serve.md', () => {
  it('works as written: the address, the page, the API, the end', async () => {
    const { server, address } = await startServer()
    const { port, searchParams } = new URL(address)
    expect(await (await fetch(address)).text()).toContain('<div id="page">')
    const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.trim().split('\n'))
    const env = { ...process.env, PORT: port, TOKEN: searchParams.get('token') ?? '' }
    const [state, changes] = lines.map((line) =>
      JSON.parse(execFileSync('bash', ['-c', line], { env, encoding: 'utf8' })),
    )
    expect(state).toMatchObject({ root: `${home}/shop`, sessions: [{ id: 'one', changes: 1 }] })
    expect(changes).toMatchObject({ session: 'one', groups: [{ changes: [{ path: 'src/tax.ts' }] }] })
    server.kill('SIGTERM')
    expect(await once(server, 'exit')).toEqual([0, null])
  })

  it('opens the browser with a one-time address that differs from the printed one', async () => {
    fs.writeFileSync(`${home}/browser`, `#!/bin/sh\necho "$1" > ${home}/opened\n`, { mode: 0o755 })
    const { server, address } = await startServer({ BROWSER: `${home}/browser` }, ['--open'])
    await expect
      .poll(() => fs.existsSync(`${home}/opened`) && fs.readFileSync(`${home}/opened`, 'utf8'), { timeout: 20_000 })
      .toMatch(/\n$/)
    const opened = fs.readFileSync(`${home}/opened`, 'utf8').trim()
    expect([shapeOf(opened), opened === address]).toEqual([shapeOf(address), false])
    expect([(await fetch(opened)).status, (await fetch(opened)).status, (await fetch(address)).status]).toEqual([
      200, 401, 200,
    ])
    server.kill('SIGTERM')
    await once(server, 'exit')
  })

  it('accepts files only for a terminal or a reviewer’s key', async () => {
    const policy = `${home}/shop/.orchestration/policy.yaml`
    const before = fs.readFileSync(policy, 'utf8')
    fs.writeFileSync(policy, 'access: { .env: allow }\n')
    const tryDecide = async (env: NodeJS.ProcessEnv) => {
      const { server, address } = await startServer(env)
      const { origin, searchParams } = new URL(address)
      const headers = {
        authorization: `Bearer ${searchParams.get('token')}`,
        'content-type': 'application/json',
      }
      const state = await (await fetch(`${origin}/api/state`, { headers })).json()
      const body = JSON.stringify({ digest: state.trust.digest })
      const answer = await fetch(`${origin}/api/trust`, { method: 'POST', headers, body })
      server.kill('SIGTERM')
      await once(server, 'exit')
      return [answer.status, await answer.text()]
    }
    expect(await tryDecide({})).toEqual([403, expect.stringContaining('there is no terminal')])
    const keys = openShell(`${home}/shop`, { HOME: home })('../node_modules/.bin/escrow keys --reviewer --json').stdout
    expect(await tryDecide({ ESCROW_REVIEWER_KEY: JSON.parse(keys).file })).toEqual([200, '{}'])
    fs.writeFileSync(policy, before)
    trust(`${home}/shop`)
  })

  it('lists each route', () => {
    const routes = ['read-routes', 'decide-routes', 'ledger-routes', 'app'].flatMap((name) => {
      const text = fs.readFileSync(`${project}src/web/${name}.ts`, 'utf8')
      return [...text.matchAll(/\.(get|post)\('(\/[^']+)'/g)].map(
        ([, method, path = '']) => `${method?.toUpperCase()} api${path.replace(/^\/api/, '')}`,
      )
    })
    const named = routes
      .filter((route) => !route.includes('{'))
      .map((route) => route.replace(':id', 'ID').replace(':question', 'QUESTION'))
    expect(named.length).toBeGreaterThan(14)
    expect(named.filter((route) => !document.includes(route))).toEqual([])
  })

  it('cannot be started in an agent’s session, or by a script if policy requires a person', () => {
    const inside = openShell(`${home}/shop`, { HOME: home, ESCROW_SESSION: 'one' })('../node_modules/.bin/escrow serve')
    expect([inside.status, inside.stderr]).toEqual([
      1,
      expect.stringContaining('An agent cannot decide about its own work'),
    ])
    const policy = `${home}/shop/.orchestration/policy.yaml`
    const before = fs.readFileSync(policy, 'utf8')
    fs.writeFileSync(policy, 'approval: { by: person }\n')
    const script = openShell(`${home}/shop`, { HOME: home })('../node_modules/.bin/escrow serve')
    expect([script.status, script.stderr]).toEqual([1, expect.stringContaining('Policy requires a person')])
    fs.writeFileSync(policy, before)
  })
})
