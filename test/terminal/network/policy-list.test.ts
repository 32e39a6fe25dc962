import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { tempDir } from '../../support/facade.js'
import { PROVIDERS, withProvider } from '../../support/providers.js'
import { reasonOf } from '../../support/workspace.js'
import { site } from '../site.js'

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

/** A registry with one package, which writes a file at its installation. */
async function registry(): Promise<number> {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${path}/package`)
  const manifest = { name: 'little', version: '1.0.0', main: 'main.js' }
  writeFileSync(`${path}/package/package.json`, JSON.stringify(manifest))
  writeFileSync(`${path}/package/main.js`, 'module.exports = "installed"\n')
  spawnSync('tar', ['-czf', 'little.tgz', 'package'], { cwd: path })
  const tarball = readFileSync(`${path}/little.tgz`)
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  return serve((request, response) => {
    if (request.url === '/little.tgz') return response.end(tarball)
    const dist = { tarball: `http://${request.headers.host}/little.tgz`, integrity }
    const versions = { '1.0.0': { ...manifest, dist } }
    return response
      .writeHead(request.url === '/little' ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify({ name: 'little', 'dist-tags': { latest: '1.0.0' }, versions }))
  })
}

const policy = (list: string) => ({
  'src/a': 'a\n',
  '.orchestration/policy.yaml': `terminal: { network: [${list}] }\n`,
})

describe.each(PROVIDERS)('a list of hosts in policy, in %s', (provider) => {
  withProvider(provider)

  it('lets npm install from a registry, and no other part of it use the network', async () => {
    const [port, other] = [await registry(), await serve((_request, response) => response.end('other'))]
    const { session, text } = await site(policy(`"localhost:${port}"`))
    const env = { npm_config_cache: '/tmp/npm', npm_config_registry: `http://localhost:${port}`, HOME: '/tmp' }
    const quiet = '--no-audit --no-fund --no-update-notifier --loglevel=error'
    const ran = await session.exec(`npm install little ${quiet} && node -p 'require("little")'`, { env })
    expect([ran.stderr, ran.exitCode]).toEqual(['', 0])
    expect(ran.stdout).toMatch(/installed\n$/)
    expect(ran.connections?.map(({ to }) => to)).toEqual([`localhost:${port}`])
    expect(ran.summary).toMatch(new RegExp(`^connected to: localhost:${port}(?: \\(\\d+ times\\))?$`, 'm'))
    const away = await session.exec(`npm view little --registry http://127.0.0.1:${other} ${quiet}`, { env })
    expect([away.exitCode === 0, away.unreachable]).toEqual([false, [`127.0.0.1:${other}`]])
    expect(away.summary).toContain(`no access to: 127.0.0.1:${other}`)
    await session.flush()
    const ledger = text('.orchestration/agent_trace.jsonl')
    expect(ledger).toContain(`"connections":[{"to":"localhost:${port}","count":`)
    expect(ledger).toContain(`"unreachable":["127.0.0.1:${other}"]`)
  })

  it('applies to commands that use or request the network, not to others', async () => {
    const { session } = await site(policy('api.example.com'))
    const proxyOf = async (command: string, options = {}) =>
      (await session.exec(`${command}; echo "[$HTTPS_PROXY]"`, options)).stdout.match(/\[.*\]/)?.[0]
    const proxy = expect.stringMatching(/^\[http:\/\/127\.0\.0\.1:\d+\]$/)
    expect(await proxyOf('true')).toBe('[]')
    expect(await proxyOf('true', { network: true })).toEqual(proxy)
    expect(await proxyOf('curl --version')).toEqual(proxy)
  })

  it('refuses a host that it does not cover, without a question', async () => {
    const { session } = await site(policy('"*.example.com", "example.net:8443"'))
    const startWithHosts = (...hosts: string[]) => reasonOf(() => session.start('true', { hosts }))
    expect(await startWithHosts('other.example')).toBe('access_denied')
    expect(await startWithHosts('a.example.com', 'other.example')).toBe('access_denied')
    expect(await startWithHosts('example.net')).toBe('access_denied')
    expect(await startWithHosts('*.com.example')).toBe('access_denied')
    for (const hosts of [['a.example.com'], ['*.a.example.com', 'example.net:8443']]) {
      const running = await session.start('true', { hosts })
      expect((await running.wait()).exitCode).toBe(0)
    }
  })

  it('does not allow a push to a host that it lists', async () => {
    const { session } = await site(policy('github.example'))
    const { stdout } = await session.exec('env', { network: false })
    const listed = await session.exec('curl --version > /dev/null; env')
    const push = (text: string) => text.split('\n').filter((line) => line.includes('pushInsteadOf'))
    expect(push(listed.stdout)).toEqual(push(stdout))
    expect(push(stdout)).not.toEqual([])
  })
})
