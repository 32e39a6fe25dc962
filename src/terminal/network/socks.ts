import { isIPv6, type Socket } from 'node:net'
import { type Address, parseAddress } from '../../core/allowed-hosts.js'

/** The server's side of SOCKS 5 (RFC 1928): CONNECT alone, without a password. There is no UDP, so no DNS by it. */

/** The first byte of a client's greeting. */
const SOCKS_VERSION = 5

const NO_PASSWORD = 0
const NO_METHOD = 0xff
const CONNECT = 1
const IPV4 = 1
const NAME = 3
const IPV6 = 4

export const SOCKS_REPLY = { done: 0, notAllowed: 2, unreachable: 4, noCommand: 7, noAddressType: 8 } as const

/** Whether a client speaks SOCKS, by its first bytes. No HTTP request begins so. */
export function isSocks(first: Buffer): boolean {
  return first[0] === SOCKS_VERSION
}

export interface SocksRequest {
  /** Undefined if the name cannot be one. */
  readonly address: Address | undefined
  /** The address as the client wrote it, for the record. */
  readonly asked: string
  /** The bytes that the client sent after it. */
  readonly head: Buffer
}

/**
 * Reads a greeting and a request.
 * @returns undefined if the client was answered with a failure.
 * @throws Error if the client ended before.
 */
export async function readSocksRequest(client: Socket): Promise<SocksRequest | undefined> {
  const bytes = new ByteReader(client)
  const [, methods = 0] = await bytes.take(2)
  if (!(await bytes.take(methods)).includes(NO_PASSWORD)) {
    client.end(Buffer.from([SOCKS_VERSION, NO_METHOD]))
    return undefined
  }
  client.write(Buffer.from([SOCKS_VERSION, NO_PASSWORD]))
  const [version, command, , type] = await bytes.take(4)
  const host = version === SOCKS_VERSION ? await readHost(bytes, type) : undefined
  if (host === undefined) return refuse(client, SOCKS_REPLY.noAddressType)
  const port = (await bytes.take(2)).readUInt16BE()
  if (command !== CONNECT) return refuse(client, SOCKS_REPLY.noCommand)
  const target = isIPv6(host) ? `[${host}]:${port}` : `${host}:${port}`
  return { address: parseAddress(target), asked: target, head: bytes.rest }
}

function refuse(client: Socket, reply: number): undefined {
  endSocks(client, reply)
}

export function answerSocks(client: Socket, reply: number): void {
  client.write(answer(reply))
}

export function endSocks(client: Socket, reply: number): void {
  client.end(answer(reply), () => client.destroy())
}

/** An answer with the address 0.0.0.0:0, which clients ignore. */
function answer(reply: number): Buffer {
  return Buffer.from([SOCKS_VERSION, reply, 0, IPV4, 0, 0, 0, 0, 0, 0])
}

async function readHost(bytes: ByteReader, type: number | undefined): Promise<string | undefined> {
  if (type === IPV4) return (await bytes.take(4)).join('.')
  if (type === NAME) {
    const [length = 0] = await bytes.take(1)
    return (await bytes.take(length)).toString('latin1')
  }
  if (type !== IPV6) return undefined
  const hex = (await bytes.take(16)).toString('hex')
  // A URL has the shortest form of an IPv6 address.
  return new URL(`http://[${hex.match(/.{4}/g)?.join(':')}]`).hostname.slice(1, -1)
}

/** Reads a stream by numbers of bytes. */
class ByteReader {
  /** The bytes that were read and not consumed. */
  rest = Buffer.alloc(0)

  constructor(private readonly stream: Socket) {}

  /** @throws Error at the end of the stream. */
  async take(bytes: number): Promise<Buffer> {
    while (this.rest.length < bytes) {
      const chunk: unknown = this.stream.read()
      if (chunk instanceof Buffer) this.rest = Buffer.concat([this.rest, chunk])
      else if (this.stream.readableEnded || this.stream.destroyed) throw new Error('The connection has ended.')
      else await waitForMore(this.stream)
    }
    const taken = this.rest.subarray(0, bytes)
    this.rest = this.rest.subarray(bytes)
    return taken
  }
}

const EVENTS = ['readable', 'end', 'close'] as const

function waitForMore(stream: Socket): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      for (const event of EVENTS) stream.off(event, go)
      resolve()
    }
    for (const event of EVENTS) stream.once(event, go)
  })
}
