import { lookup as resolveName } from 'node:dns'
import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Address, AllowedHosts } from '../../core/allowed-hosts.js'

/** Milliseconds to connect to a host. */
export const CONNECT_MS = 30_000

/** A name whose addresses a command may not reach. */
export class PrivateAddressError extends Error {}

/** Connects to a host that the command may reach. */
export function connectTo(address: Address, allowed: AllowedHosts): Socket {
  const upstream = connect({
    ...address,
    lookup: lookupWithin(allowed, address),
    timeout: CONNECT_MS,
    allowHalfOpen: true,
  })
  upstream.once('timeout', () => upstream.destroy(new Error('The host does not answer.')))
  upstream.once('connect', () => upstream.setTimeout(0))
  return upstream
}

/** Passes bytes both ways until both sides have ended. A failure of one ends the other; an orderly end passes on. */
export function joinStreams(client: Duplex, upstream: Duplex): void {
  for (const [from, to] of [
    [client, upstream],
    [upstream, client],
  ] as const) {
    from.on('error', () => to.destroy())
    // After an end, the other side still has bytes to deliver.
    from.once('close', () => {
      if (!from.readableEnded) to.destroy()
    })
    from.pipe(to)
  }
}

/** Resolves a name and drops the addresses that `AllowedHosts.mayResolveTo` rejects. */
export function lookupWithin(allowed: AllowedHosts, address: Address): LookupFunction {
  return (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, found) => {
      const usable = (found ?? []).filter(({ address: ip }) => allowed.mayResolveTo(address, ip))
      const [first] = usable
      if (error !== null) done(error, '', 0)
      else if (first === undefined) done(new PrivateAddressError(`${name} resolves to a private address.`), '', 0)
      else if (options.all) done(null, usable)
      else done(null, first.address, first.family)
    })
  }
}
