import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'

/** Keys and signatures as OpenSSH writes them (RFC 4251, RFC 4253, RFC 5656, RFC 8709). Every function throws at bytes that do not fit. */

const ED25519 = 'ssh-ed25519'
export const ECDSA = 'ecdsa-sha2-nistp256'
export const RSA = 'ssh-rsa'
export const SSH_TYPES: readonly string[] = [ED25519, ECDSA, RSA]

const P256_BYTES = 32

export class WireReader {
  #at = 0

  constructor(private readonly bytes: Buffer) {}

  uint32(): number {
    const value = this.bytes.readUInt32BE(this.#at)
    this.#at += 4
    return value
  }

  byte(): number {
    const value = this.bytes.readUInt8(this.#at)
    this.#at += 1
    return value
  }

  string(): Buffer {
    const length = this.uint32()
    if (length > this.bytes.length - this.#at) throw new Error('A field is longer than its message.')
    this.#at += length
    return this.bytes.subarray(this.#at - length, this.#at)
  }

  text(): string {
    return this.string().toString('latin1')
  }

  /** A positive number, without leading zeroes. */
  number(): Buffer {
    const bytes = this.string()
    const first = bytes.findIndex((byte) => byte !== 0)
    if (first === -1 || (bytes[0] ?? 0) > 0x7f) throw new Error('A number is not positive.')
    return bytes.subarray(first)
  }

  get rest(): Buffer {
    return this.bytes.subarray(this.#at)
  }
}

export function wireString(bytes: Uint8Array | string): Buffer {
  const body = Buffer.from(bytes)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(body.length)
  return Buffer.concat([length, body])
}

/** The key of a public key blob. */
export function publicKeyOf(blob: Buffer): KeyObject {
  const reader = new WireReader(blob)
  const type = reader.text()
  const key = createPublicKey({ key: publicJwk(type, reader), format: 'jwk' })
  if (reader.rest.length > 0) throw new Error('The key has bytes after its end.')
  return key
}

function publicJwk(type: string, reader: WireReader) {
  if (type === ED25519) return { kty: 'OKP', crv: 'Ed25519', x: url(reader.string()) }
  if (type === ECDSA) return pointJwk(reader)
  if (type !== RSA) throw new Error(`Keys of type '${type}' are not supported.`)
  const [e, n] = [reader.number(), reader.number()]
  return { kty: 'RSA', e: url(e), n: url(n) }
}

function pointJwk(reader: WireReader) {
  const [curve, point] = [reader.text(), reader.string()]
  if (curve !== 'nistp256' || point.length !== 1 + 2 * P256_BYTES || point[0] !== 4)
    throw new Error('The key is not a point of P-256.')
  return { kty: 'EC', crv: 'P-256', x: url(point.subarray(1, 1 + P256_BYTES)), y: url(point.subarray(1 + P256_BYTES)) }
}

/** The key of a private section, after its check numbers. */
export function privateKeyOf(reader: WireReader): KeyObject {
  const type = reader.text()
  if (type === ED25519) {
    const [x, both] = [reader.string(), reader.string()]
    return createPrivateKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: url(x), d: url(both.subarray(0, 32)) },
      format: 'jwk',
    })
  }
  if (type === ECDSA) {
    const point = pointJwk(reader)
    const d = reader.number()
    const padded = Buffer.concat([Buffer.alloc(Math.max(0, P256_BYTES - d.length)), d])
    return createPrivateKey({ key: { ...point, d: url(padded) }, format: 'jwk' })
  }
  if (type !== RSA) throw new Error(`Keys of type '${type}' are not supported.`)
  const [n, e, d, qi, p, q] = [
    ...[reader.number(), reader.number(), reader.number()],
    ...[reader.number(), reader.number(), reader.number()],
  ] as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]
  const parts = { n, e, d, p, q, qi, dp: remainder(d, p), dq: remainder(d, q) }
  const key = Object.fromEntries(Object.entries(parts).map(([name, bytes]) => [name, url(bytes)]))
  return createPrivateKey({ key: { kty: 'RSA', ...key }, format: 'jwk' })
}

/** d modulo (prime - 1), which OpenSSH leaves out. */
function remainder(d: Buffer, prime: Buffer): Buffer {
  const hex = (BigInt(`0x${d.toString('hex')}`) % (BigInt(`0x${prime.toString('hex')}`) - 1n)).toString(16)
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex')
}

/** The two numbers of an ECDSA signature in DER (X9.62), from OpenSSH's form. */
export function ecdsaToDer(blob: Buffer): Buffer {
  const reader = new WireReader(blob)
  const numbers = [reader.number(), reader.number()].map((bytes) => {
    const body = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
    return Buffer.concat([Buffer.from([2, body.length]), body])
  })
  const body = Buffer.concat(numbers)
  if (body.length > 0x7f) throw new Error('The signature is too long.')
  return Buffer.concat([Buffer.from([0x30, body.length]), body])
}

function url(bytes: Buffer): string {
  return bytes.toString('base64url')
}
