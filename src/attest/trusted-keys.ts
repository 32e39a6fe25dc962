import { createPublicKey, type KeyObject } from 'node:crypto'
import { basename } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { readSmall } from '../os/read.js'
import { fingerprintOf, knownKeys } from '../trace/index.js'
import { assertSupported, MAX_KEY_BYTES, sshPublicBlob } from './signer.js'
import { publicKeyOf, SSH_TYPES } from './ssh-wire.js'

/** The public keys that a person trusts for a check, by fingerprint. */

export interface TrustedKey {
  readonly key: KeyObject
  /** The names of the signers: the principals of the allowed signers file, or the name of the key's file. */
  readonly names: readonly string[]
}

export type TrustedKeys = ReadonlyMap<string, TrustedKey>

/** The namespace that an entry of an allowed signers file may be limited to. */
const NAMESPACE = 'escrow-attestation'
const MAX_SIGNERS_BYTES = 4 * 1024 * 1024

export interface TrustSources {
  /** Files of public keys, in PEM or OpenSSH form. */
  readonly keys?: readonly string[]
  /** A file as `ssh-keygen -Y verify` reads it. */
  readonly allowedSigners?: string | undefined
}

/**
 * Reads the keys to trust. Without a source, those of the state directory: this user's, and the `NAME.pub.pem` beside it.
 * @throws EscrowError `unsupported` for a file that has no usable key
 */
export function readTrustedKeys({ keys = [], allowedSigners }: TrustSources, now = new Date()): TrustedKeys {
  const named = keys.map((file): TrustedKey => ({ key: publicKeyIn(file), names: [basename(file)] }))
  const signers = allowedSigners === undefined ? [] : signersIn(allowedSigners, now)
  if (keys.length === 0 && allowedSigners === undefined) {
    return new Map([...knownKeys()].map(([id, key]) => [id, { key, names: [id] }]))
  }
  return byFingerprint([...named, ...signers])
}

/** A key with several entries has the names of all. */
function byFingerprint(all: readonly TrustedKey[]): TrustedKeys {
  const found = new Map<string, TrustedKey>()
  for (const { key, names } of all) {
    const id = fingerprintOf(key)
    found.set(id, { key, names: [...new Set([...(found.get(id)?.names ?? []), ...names])] })
  }
  return found
}

function publicKeyIn(file: string): KeyObject {
  try {
    const text = readSmall(file, MAX_KEY_BYTES)
    if (/PRIVATE KEY-----/.test(text)) throw new Error('It is a private key. Give the public half.')
    const blob = sshPublicBlob(text)
    const key = blob === undefined ? createPublicKey(text) : publicKeyOf(blob)
    assertSupported(key)
    return key
  } catch (error) {
    throw new EscrowError('unsupported', `The key ${file} cannot be used: ${errorText(error)}`, {
      hint: 'A public key in PEM or OpenSSH form is expected.',
    })
  }
}

function signersIn(file: string, now: Date): TrustedKey[] {
  const lines = readSmall(file, MAX_SIGNERS_BYTES).split('\n')
  const signers = lines.flatMap((line) => signerIn(line.trim(), now) ?? [])
  if (signers.length > 0) return signers
  throw new EscrowError('unsupported', `${file} allows no signer of attestations today.`, {
    hint: `Each line is: PRINCIPAL [namespaces="${NAMESPACE}"] TYPE KEY. The types are ${SSH_TYPES.join(', ')}.`,
  })
}

const OPTION = /^([A-Za-z-]+)(?:="([^"]*)")?(?:,|$)/

/** One line of an allowed signers file. A line that is not understood in full allows nobody. */
function signerIn(line: string, now: Date): TrustedKey | undefined {
  if (line === '' || line.startsWith('#')) return undefined
  const [, quoted, bare, rest = ''] = /^(?:"([^"]*)"|(\S+))\s+(.*)$/.exec(line) ?? []
  const names = (quoted ?? bare ?? '').split(',').filter((name) => name !== '')
  const { options, key } = splitOptions(rest)
  if (names.length === 0 || !isAllowed(options, now)) return undefined
  try {
    const blob = sshPublicBlob(key)
    if (blob === undefined) return undefined
    const publicKey = publicKeyOf(blob)
    assertSupported(publicKey)
    return { key: publicKey, names }
  } catch {
    return undefined
  }
}

function splitOptions(text: string): { options: string; key: string } {
  if (SSH_TYPES.some((type) => text.startsWith(`${type} `))) return { options: '', key: text }
  const end = /^(?:"[^"]*"|[^\s"])+/.exec(text)?.[0].length ?? 0
  return { options: text.slice(0, end), key: text.slice(end).trim() }
}

function isAllowed(options: string, now: Date): boolean {
  for (let rest = options; rest !== ''; ) {
    const match = OPTION.exec(rest)
    if (match === null || !permits((match[1] ?? '').toLowerCase(), match[2], now)) return false
    rest = rest.slice(match[0].length)
  }
  return true
}

function permits(option: string, value: string | undefined, now: Date): boolean {
  if (option === 'namespaces') return value?.split(',').includes(NAMESPACE) === true
  const at = timeOf(value ?? '')
  if (at === undefined) return false
  if (option === 'valid-after') return now.getTime() >= at
  return option === 'valid-before' && now.getTime() < at
}

/** `YYYYMMDD[HHMM[SS]]`, local time, or UTC with a Z. */
function timeOf(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)(?:(\d\d)(\d\d)(\d\d)?)?(Z?)$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone] = match
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${zone}`)
  return Number.isNaN(time) ? undefined : time
}
