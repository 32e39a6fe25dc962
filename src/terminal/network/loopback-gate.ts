import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { AllowedHosts } from '../../core/allowed-hosts.js'
import type { ConnectionCount } from '../../core/exec-api.js'
import { hostProxy } from './proxy.js'
import { proxyVariables } from './proxy-variables.js'

/** Milliseconds that a connection waits to be admitted, and how many may wait. */
const WAIT_MS = 5_000
const MAX_WAITING = 128

/** A proxy to the allowed hosts on this machine's loopback, for a command without a network namespace. */
export interface LoopbackGate {
  readonly port: number
  /** Variables that point programs to the proxy. */
  readonly env: Readonly<Record<string, string>>
  /** The command has connected from this port. Connections of other programs are closed. */
  admit(port: number): void
  /** Addresses that were refused, as `host:port`. */
  refused(): string[]
  /** The addresses that were reached. */
  connections(): ConnectionCount[]
  close(): void
}

/**
 * Listens for the command that may reach these hosts.
 * @param wait milliseconds
 * @throws Error if it cannot listen.
 */
export async function openLoopbackGate(hosts: readonly string[], wait = WAIT_MS): Promise<LoopbackGate> {
  const proxy = hostProxy(new AllowedHosts(hosts))
  /** Connections that wait until the launcher reports their port as the command's. Either of the two can come first. */
  const waiting = new Map<number, Socket>()
  const admitted = new Set<number>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const from = socket.remotePort ?? 0
    socket.on('error', () => socket.destroy())
    if (admitted.delete(from)) return proxy.accept(socket)
    if (waiting.size >= MAX_WAITING) return void socket.destroy()
    waiting.set(from, socket)
    const late = setTimeout(() => socket.destroy(), wait)
    socket.once('close', () => {
      clearTimeout(late)
      if (waiting.get(from) === socket) waiting.delete(from)
    })
    socket.once('admitted', () => clearTimeout(late))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    port,
    env: proxyVariables(port),
    admit(from) {
      const socket = waiting.get(from)
      if (socket === undefined) {
        admitted.add(from)
        return
      }
      waiting.delete(from)
      socket.emit('admitted')
      proxy.accept(socket)
    },
    refused: () => proxy.refused(),
    connections: () => proxy.connections(),
    close() {
      server.close()
      for (const socket of waiting.values()) socket.destroy()
      proxy.close()
    },
  }
}
