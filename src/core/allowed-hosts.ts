import { BlockList, isIP } from 'node:net'

/** A host and port that a program wants to reach. */
export interface Address {
  /** A name in lower case without a dot at its end, or an IP address without brackets. */
  readonly host: string
  readonly port: number
}

/** Ports of an entry without one: HTTPS and HTTP. */
const PORTS: readonly number[] = [443, 80]

interface Entry extends Pick<Address, 'host'> {
  /** Names below the host, and not the host itself. */
  readonly isWildcard: boolean
  readonly ports: readonly number[]
}

/** The hosts that a command may reach. Entries are `host`, `*.host`, `host:port` or `[ip]:port`; without a port 443 and 80 count. */
export class AllowedHosts {
  readonly #entries: readonly Entry[]

  /** @throws TypeError for an entry of another form. */
  constructor(entries: readonly string[]) {
    this.#entries = entries.map(parseEntry)
  }

  has(address: Address): boolean {
    return this.#entries.some((entry) => matches(entry, address))
  }

  /**
   * Whether this list allows everything that another entry would allow. @throws TypeError for an entry of another form.
   */
  covers(entry: string): boolean {
    const requested = parseEntry(entry)
    return requested.ports.every((port) =>
      this.#entries.some((allowed) =>
        requested.isWildcard
          ? allowed.isWildcard &&
            allowed.ports.includes(port) &&
            (requested.host === allowed.host || requested.host.endsWith(`.${allowed.host}`))
          : matches(allowed, { host: requested.host, port }),
      ),
    )
  }

  /**
   * Whether a resolved address may be used. The owner of a domain chooses the names below a wildcard, so such a name must not lead to
   * the machine or its private network.
   */
  mayResolveTo(address: Address, ip: string): boolean {
    const isNamed = this.#entries.some((entry) => !entry.isWildcard && matches(entry, address))
    return isNamed || !isPrivate(ip)
  }
}

/** The characters of a name. Others mean something else to some resolver: a NUL ends a name, a full-width dot is a dot. */
const NAME = /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/
/** Longest name (RFC 1035 §2.3.4). */
const MAX_NAME = 253

/**
 * Parses `host:port`. An IP address counts only in its usual spelling, so `0177.0.0.1` is a name that no entry has.
 * @param port the default port.
 * @returns undefined for any other form.
 */
export function parseAddress(text: string, port?: number): Address | undefined {
  const parts = /^(?:\[([0-9a-f:.]+)\]|([^[\]:/@\s]+))(?::(\d{1,5}))?$/i.exec(text)
  const host = parts?.[1] ?? parts?.[2]?.toLowerCase().replace(/\.$/, '')
  const number = parts?.[3] === undefined ? port : Number(parts[3])
  if (host === undefined || number === undefined || number < 1 || number > 65_535) return undefined
  if (isIP(host) === 0 && (host.length > MAX_NAME || !NAME.test(host))) return undefined
  return { host, port: number }
}

export function isHostEntry(text: string): boolean {
  try {
    parseEntry(text)
    return true
  } catch {
    return false
  }
}

function parseEntry(text: string): Entry {
  const isWildcard = text.startsWith('*.')
  const rest = isWildcard ? text.slice(2) : text
  const address = parseAddress(rest, 443)
  if (address === undefined || (isWildcard && (isIP(address.host) !== 0 || !address.host.includes('.'))))
    throw new TypeError(`'${text}' is not a host. Give 'example.com', '*.example.com' or 'example.com:8443'.`)
  const isPortWritten = parseAddress(rest) !== undefined
  return { host: address.host, isWildcard, ports: isPortWritten ? [address.port] : PORTS }
}

function matches({ host, isWildcard, ports }: Entry, address: Address): boolean {
  if (!ports.includes(address.port)) return false
  return isWildcard ? address.host.endsWith(`.${host}`) : address.host === host
}

/** Addresses that are not on the public internet (IANA special-purpose address registries, RFC 6890). */
const PRIVATE = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv4')
for (const [net, bits] of [
  ['::', 96],
  ['64:ff9b::', 96],
  ['64:ff9b:1::', 48],
  ['2001::', 32],
  ['2002::', 16],
  ['fc00::', 7],
  ['fe80::', 9],
  ['ff00::', 8],
] as const)
  PRIVATE.addSubnet(net, bits, 'ipv6')

function isPrivate(ip: string): boolean {
  // BlockList compares an IPv4 address within IPv6 (::ffff:127.0.0.1) by its IPv4 rules.
  return PRIVATE.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4')
}
