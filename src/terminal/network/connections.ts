import type { Address } from '../../core/allowed-hosts.js'
import type { ConnectionCount } from '../../core/exec-api.js'
import type { CommandEnd } from '../command-io.js'

/** Largest number of addresses that are listed of each kind; connections to others are counted together. */
const MAX_LISTED = 100
/** Largest length of a name that a program made up (characters). */
const MAX_NAME = 255
/** Connections to addresses beyond {@link MAX_LISTED}. */
const OTHERS = 'other addresses'

/** The connections of a command: the hosts that it reached, and those that it was refused. */
export class ConnectionLog {
  readonly #reached = new Map<string, number>()
  readonly #refused = new Map<string, number>()

  reached(address: Address): void {
    add(this.#reached, formatAddress(address))
  }

  /** @param requested the address as the program wrote it, if it cannot be parsed */
  refused(address: Address | undefined, requested: string): void {
    add(this.#refused, address === undefined ? printable(requested) : formatAddress(address))
  }

  connections(): ConnectionCount[] {
    return [...this.#reached].map(([to, count]) => ({ to, count }))
  }

  unreachable(): string[] {
    return [...this.#refused.keys()]
  }
}

/** The end of a command, with the hosts that it reached through a proxy and those that it was refused. */
export function withConnections(
  end: CommandEnd,
  proxy: { connections(): readonly ConnectionCount[]; refused(): readonly string[] },
): CommandEnd {
  const [unreachable, connections] = [proxy.refused(), proxy.connections()]
  return { ...end, ...(connections.length > 0 && { connections }), ...(unreachable.length > 0 && { unreachable }) }
}

function add(log: Map<string, number>, name: string): void {
  const key = log.has(name) || log.size < MAX_LISTED ? name : OTHERS
  log.set(key, (log.get(key) ?? 0) + 1)
}

function printable(text: string): string {
  const name = text.replace(/[^\x21-\x7e]+/g, '?')
  if (name === '') return 'an address without a name'
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name
}

export function formatAddress({ host, port }: Address): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
