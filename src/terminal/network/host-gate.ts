import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import { Readable } from 'node:stream'
import { startProgram } from '../../host/child.js'
import { closeDescriptor, openFile } from '../../host/read.js'
import { AllowedHosts } from './allowed-hosts.js'
import { hostProxy } from './proxy.js'

/** Where a command finds the proxy, in a network namespace that has nothing else. */
const PORT = 3128
const PROXY = `http://127.0.0.1:${PORT}`
/** The descriptor bubblewrap reports on; 3 is the channel of the listener. */
const STATUS = 4
/** Milliseconds to make the namespace. */
const START_MS = 10_000

/** A network namespace whose one way out is a proxy to the allowed hosts. */
export interface HostGate {
  /** A descriptor of the namespace (setns(2)). */
  readonly namespace: number
  /** What tells programs of the proxy. */
  readonly env: Readonly<Record<string, string>>
  /** What was asked for and not allowed, as `host:port`. */
  refused(): string[]
  close(): void
}

/**
 * Makes the namespace below the holder's user namespace, so that its commands may enter it. A child listens in it and hands the
 * listening socket over, then ends: connections made inside are accepted by this process, which alone has a network.
 * Rejects with an Error where that fails.
 */
export async function openHostGate(holder: number, hosts: readonly string[]): Promise<HostGate> {
  const proxy = hostProxy(new AllowedHosts(hosts))
  const enter = ['--preserve-credentials', '--user', '--mount', '--target', String(holder), '--']
  const inside = [
    'bwrap',
    '--unshare-net',
    '--die-with-parent',
    '--dev-bind',
    '/',
    '/',
    '--json-status-fd',
    `${STATUS}`,
  ]
  const args = [...enter, ...inside, process.execPath, '-e', LISTEN, String(PORT)]
  const child = startProgram('nsenter', args, ['ignore', 'ignore', 'pipe', 'ipc', 'pipe'])
  try {
    const { listening, pid } = await handedOver(child)
    const namespace = openFile(`/proc/${pid}/ns/net`)
    listening.on('connection', (socket) => proxy.server.emit('connection', socket))
    if (child.connected) child.disconnect()
    return {
      namespace,
      env: ENV,
      refused: () => proxy.refused(),
      close() {
        listening.close()
        proxy.close()
        closeDescriptor(namespace)
      },
    }
  } catch (error) {
    child.kill('SIGKILL')
    proxy.close()
    throw error
  }
}

/** Programs look for the one spelling or the other. An empty NO_PROXY sends loopback addresses to the proxy too. */
const ENV: HostGate['env'] = {
  HTTP_PROXY: PROXY,
  HTTPS_PROXY: PROXY,
  ALL_PROXY: PROXY,
  NO_PROXY: '',
  http_proxy: PROXY,
  https_proxy: PROXY,
  all_proxy: PROXY,
  no_proxy: '',
  // Node's own fetch (22.21 and later).
  NODE_USE_ENV_PROXY: '1',
}

/** Hands its socket over, and ends once that has arrived. */
const LISTEN = `const server = require('node:net').createServer()
process.once('disconnect', () => process.exit())
server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server))`

/** The listening socket, and a process that is in the namespace. */
function handedOver(child: ChildProcess): Promise<{ readonly listening: Server; readonly pid: number }> {
  return new Promise((resolve, reject) => {
    let [problem, status] = ['', '']
    const late = setTimeout(() => reject(new Error('The network namespace was not ready in time.')), START_MS)
    const [errors, reports] = [child.stderr, child.stdio[STATUS]]
    errors?.on('data', (chunk: Buffer) => {
      problem += chunk
    })
    if (reports instanceof Readable)
      reports.on('data', (chunk: Buffer) => {
        status += chunk
      })
    child.once('message', (_message, handle) => {
      clearTimeout(late)
      const pid = /"child-pid":\s*(\d+)/.exec(status)?.[1]
      if (handle instanceof Server && pid !== undefined) resolve({ listening: handle, pid: Number(pid) })
      else reject(new Error('The network namespace has no proxy.'))
    })
    child.once('error', reject)
    child.once('close', () => {
      clearTimeout(late)
      reject(new Error(`The network namespace could not be made: ${problem.trim()}`))
    })
  })
}
