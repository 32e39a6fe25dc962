import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PROVIDERS, withProvider } from '../../support/providers.js'
import { site } from '../site.js'

/** A server on this machine that plays a model's provider. */
async function server(): Promise<string> {
  const http = createServer((request, response) => {
    response.end(`${request.method} ${request.url} ${request.headers.host}`)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    http.closeAllConnections()
    http.close()
  })
  return `127.0.0.1:${(http.address() as AddressInfo).port}`
}

const POLICY = { 'src/a': 'a\n', '.orchestration/policy.yaml': 'terminal: { network: true }\n' }

/** Prints the answer of `url` to an absolute-form request, and through a tunnel. */
const ASK = `
const { request } = require('node:http')
const { connect } = require('node:net')
const { writeFileSync, appendFileSync } = require('node:fs')
const proxy = new URL(process.env.HTTPS_PROXY)
const [target] = process.argv.slice(1)
const plain = connect(proxy.port, proxy.hostname, () => {
  plain.write('GET http://' + target + '/plain HTTP/1.0\\r\\nHost: ' + target + '\\r\\nConnection: close\\r\\n\\r\\n')
})
let answer = ''
plain.on('data', (chunk) => { answer += chunk })
plain.on('end', () => {
  writeFileSync('src/plain', answer.split(' ')[1] + ' ' + answer.split('\\r\\n\\r\\n')[1])
  const tunnel = request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: target })
  tunnel.on('connect', (answer, socket) => {
    if (answer.statusCode !== 200) { appendFileSync('src/tunnel', String(answer.statusCode)); socket.destroy(); return }
    socket.write('GET /tunnel HTTP/1.1\\r\\nHost: x\\r\\nConnection: close\\r\\n\\r\\n')
    let text = ''
    socket.on('data', (chunk) => { text += chunk })
    socket.on('end', () => appendFileSync('src/tunnel', text.split('\\r\\n\\r\\n')[1]))
  })
  tunnel.end()
})
`

describe.each(PROVIDERS)('a command that may reach some hosts, in %s', (provider) => {
  withProvider(provider)

  it('reaches them through the proxy, and is recorded with them', async () => {
    const host = await server()
    const { session, text } = await site(POLICY)
    const running = await session.start([process.execPath, '-e', ASK, host], { hosts: [host] })
    const { exitCode, unreachable, effects } = await running.wait()
    expect([exitCode, unreachable]).toEqual([0, undefined])
    expect(effects.changes.map(({ path }) => path).sort()).toEqual(['src/plain', 'src/tunnel'])
    expect(session.fs.readFileSync('src/plain', 'utf8')).toBe(`200 GET /plain ${host}`)
    expect(session.fs.readFileSync('src/tunnel', 'utf8')).toContain('GET /tunnel x')
    await session.flush()
    expect(text('.orchestration/agent_trace.jsonl')).toContain(`"network":false,"hosts":["${host}"]`)
  })

  it('reaches no other host through it, and the result names the requested ones', async () => {
    const host = await server()
    const { session, text } = await site(POLICY)
    const running = await session.start([process.execPath, '-e', ASK, host], { hosts: ['api.example.com'] })
    const { exitCode, unreachable } = await running.wait()
    expect([exitCode, unreachable]).toEqual([0, [host]])
    expect(session.fs.readFileSync('src/plain', 'utf8')).toMatch(
      /^403 escrow: .* is not a host that this session may reach/,
    )
    expect(session.fs.readFileSync('src/tunnel', 'utf8')).toBe('403')
    await session.flush()
    expect(text('.orchestration/agent_trace.jsonl')).toContain(`"unreachable":["${host}"]`)
  })

  it('has no other way out: not to this machine, not by a name, not by UDP', async () => {
    const host = await server()
    const { session } = await site(POLICY)
    const [ip, port] = host.split(':')
    const tries = `
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns')
const said = []
const done = (line) => { said.push(line); if (said.length === 3) require('node:fs').writeFileSync('src/tries', said.sort().join('\\n')) }
net.connect(${port}, '${ip}').on('connect', () => done('tcp open')).on('error', (error) => done('tcp ' + error.code))
dns.lookup('example.com', (error) => done('dns ' + (error ? 'none' : 'open')))
const udp = dgram.createSocket('udp4').on('error', (error) => done('udp ' + error.code))
udp.send('x', 53, '192.0.2.1', (error) => { done('udp ' + (error ? error.code : 'open')); udp.close() })
`
    const running = await session.start([process.execPath, '-e', tries], { hosts: [host] })
    expect((await running.wait()).exitCode).toBe(0)
    expect(session.fs.readFileSync('src/tries', 'utf8')).toMatch(
      /^dns none\ntcp (?:ECONNREFUSED|ENETUNREACH)\nudp (?:ENETUNREACH|EPERM)$/,
    )
  })

  it('is refused if an entry is not a host', async () => {
    const { session } = await site(POLICY)
    await expect(session.start('true', { hosts: ['https://example.com'] })).rejects.toThrow(
      "'https://example.com' is not a host",
    )
  })
})

describe('a client that may reach its provider', () => {
  // It has its own directories in the home.
  withProvider('namespace-overlay')

  it('needs a network rule in policy, except for its own provider', async () => {
    const host = await server()
    const { session } = await site({ 'src/a': 'a\n' })
    await expect(session.start('true', { hosts: [host] })).rejects.toMatchObject({ reason: 'access_denied' })
    await expect(
      session.start('true', { hosts: ['api.anthropic.com', 'example.com'], client: 'claude' }),
    ).rejects.toMatchObject({ reason: 'access_denied' })
    const env = { ANTHROPIC_BASE_URL: `http://${host}` }
    const running = await session.start('true', { hosts: ['api.anthropic.com', host], client: 'claude', env })
    expect((await running.wait()).exitCode).toBe(0)
  })
})
