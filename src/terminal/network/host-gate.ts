import type { ChildProcess } from 'node:child_process'
import { Server } from 'node:net'
import { Readable } from 'node:stream'
import { AllowedHosts } from '../../core/allowed-hosts.js'
import type { ConnectionCount } from '../../core/exec-api.js'
import { startProgram } from '../../os/child.js'
import { closeDescriptor, openFile } from '../../os/read.js'
import { hostProxy } from './proxy.js'
import { proxyVariables } from './proxy-variables.js'

/** The address of the proxy inside the network namespace. */
const PORT = 3128
/** The descriptor of bubblewrap's status report; 3 is the listener's IPC channel. */
const STATUS = 4
/** Milliseconds to set up the namespace. */
const START_MS = 10_000

/** A network namespace whose only exit is a proxy to the allowed hosts. */
export interface HostGate {
  /** A descriptor of the namespace (setns(2)). */
  readonly namespace: number
  /** Variables that point programs to the proxy. */
  readonly env: Readonly<Record<string, string>>
  /** Addresses that were refused, as `host:port`. */
  refused(): string[]
  /** The addresses that were reached. */
  connections(): ConnectionCount[]
  close(): void
}

/**
 * Creates the network namespace below the holder's user namespace, so that commands may enter it. A child listens in
 * it, passes the listening socket to this process and exits: this process accepts the connections from inside, and
 * reaches the network for them.
 * @throws Error if the namespace cannot be created.
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
    const { listening, pid } = await waitForListener(child)
    const namespace = openFile(`/proc/${pid}/ns/net`)
    // A program may end its side of a connection and still read.
    Object.assign(listening, { allowHalfOpen: true })
    listening.on('connection', (socket) => proxy.accept(socket))
    if (child.connected) child.disconnect()
    return {
      namespace,
      env: proxyVariables(PORT),
      refused: () => proxy.refused(),
      connections: () => proxy.connections(),
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

/** Passes its listening socket to the parent, and exits when the parent disconnects. */
const LISTEN = `const server = require('node:net').createServer()
process.once('disconnect', () => process.exit())
server.listen(Number(process.argv[1]), '127.0.0.1', () => process.send('listening', server))`

/** Waits for the listening socket and the id of a process in the namespace. */
function waitForListener(child: ChildProcess): Promise<{ readonly listening: Server; readonly pid: number }> {
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
      reject(new Error(`The network namespace could not be created: ${problem.trim()}`))
    })
  })
}
