import { createServer as createTcp } from 'node:net'
import { openWorkspace } from '../../src/index.js'
import { keepOnly } from './only-provider.js'

/** Runs every probe of a list in exec, and prints the result of each: node escaping.js <root> <probes as JSON> <provider>. */

const [root = '', list = '{}', provider = ''] = process.argv.slice(2)
keepOnly(provider)
const probes = JSON.parse(list) as Record<string, string>

const tcp = createTcp((socket) => socket.end('reached'))
await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
const address = tcp.address()
const port = typeof address === 'object' && address !== null ? address.port : 0
const unix = createTcp((socket) => socket.end('reached'))
await new Promise<void>((resolve) => unix.listen(`${root}/../host.sock`, resolve))
const abstract = createTcp((socket) => socket.end('reached'))
await new Promise<void>((resolve) => abstract.listen('\0escrowfs-probe', resolve))

const workspace = await openWorkspace(root)
await workspace.accept((await workspace.trust()).digest)
const session = await workspace.session({ id: 'probing' })
await session.selectIntent('INT-001')
const results: Record<string, unknown> = {}
for (const [name, script] of Object.entries(probes)) {
  const filled = script.replaceAll('PORT', String(port)).replaceAll('HOSTPID', String(process.pid))
  const { exitCode, stdout, stderr, refused, ended, containment } = await session.exec(filled, { timeout: 60_000 })
  results[name] = {
    exitCode,
    stdout,
    stderr,
    refused: refused.map(({ path, reason }) => `${path}: ${reason}`),
    ended,
    containment,
  }
}
// A tool does not follow a link that a command left.
await session.exec('ln -s ../../outside src/planted')
try {
  session.fs.writeFileSync(`${root}/src/planted/evil`, 'x')
  results.planted = { stdout: 'written' }
} catch (error) {
  results.planted = { stdout: '', reason: (error as { reason?: string }).reason }
}
await session.close()
await workspace.close()
for (const server of [tcp, unix, abstract]) server.close()
console.log(JSON.stringify(results))
