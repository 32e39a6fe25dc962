import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { readSmall } from '../os/read.js'
import { fingerprintOf, readSigningKey } from '../trace/index.js'
import { signByAgent } from './ssh-agent.js'
import { privateKeyOf, publicKeyOf, SSH_TYPES, WireReader } from './ssh-wire.js'

/**
 * Keys that people have, and signatures that any DSSE verifier can check: Ed25519 (RFC 8032), ECDSA on P-256 with SHA-256 in DER, and
 * RSA PKCS #1 v1.5 with SHA-256.
 */

export interface Signer {
  /** The fingerprint of the public half. */
  readonly keyid: string
  sign(message: Buffer): Promise<Buffer>
}

export const MAX_KEY_BYTES = 64 * 1024
const MIN_RSA_BITS = 2048
const OPENSSH = /-----BEGIN OPENSSH PRIVATE KEY-----\s*([A-Za-z0-9+/=\s]+?)\s*-----END OPENSSH PRIVATE KEY-----/
const MAGIC = Buffer.from('openssh-key-v1\0')

/**
 * Opens the key that signs.
 * @param file a private key in PEM or OpenSSH form, or an OpenSSH public key whose private half is in ssh-agent. Without it, the key of
 * `escrow keys`.
 * @throws EscrowError `unsupported` if it cannot sign
 */
export function openSigner(file?: string): Signer {
  if (file === undefined) return ownSigner()
  try {
    const text = readSmall(file, MAX_KEY_BYTES)
    if (sshPublicBlob(text) !== undefined) return agentSigner(text)
    return keySigner(OPENSSH.test(text) ? openSshPrivateKey(text) : createPrivateKey(text))
  } catch (error) {
    if (error instanceof EscrowError) throw error
    throw unusable(`The key ${file} cannot be used: ${errorText(error)}`)
  }
}

function ownSigner(): Signer {
  const key = readSigningKey()
  if (key === undefined)
    throw unusable('There is no key to sign with.', "Make one with 'escrow keys', or name a file with --key.")
  return keySigner(key)
}

function keySigner(key: KeyObject): Signer {
  const publicKey = createPublicKey(key)
  assertSupported(publicKey)
  return checkedSigner(publicKey, async (message) => sign(hashOf(key), message, key))
}

function agentSigner(text: string): Signer {
  const blob = sshPublicBlob(text)
  if (blob === undefined) throw new Error('It is not an OpenSSH public key.')
  const publicKey = publicKeyOf(blob)
  assertSupported(publicKey)
  return checkedSigner(publicKey, (message) => signByAgent(blob, message))
}

/** Checks each signature before it is used: a damaged key file, or another agent, could give a wrong one. */
function checkedSigner(publicKey: KeyObject, make: (message: Buffer) => Promise<Buffer>): Signer {
  return {
    keyid: fingerprintOf(publicKey),
    async sign(message) {
      const signature = await make(message)
      if (!isSignedBy(publicKey, message, signature))
        throw unusable('The key made a signature that its public half does not confirm.')
      return signature
    },
  }
}

/** Whether a signature of a supported key is valid. Never throws. */
export function isSignedBy(key: KeyObject, message: Buffer, signature: Buffer): boolean {
  try {
    return verify(hashOf(key), message, key, signature)
  } catch {
    return false
  }
}

function hashOf(key: KeyObject): 'sha256' | null {
  return key.asymmetricKeyType === 'ed25519' ? null : 'sha256'
}

/** @throws Error for a key of another kind, or a weak one */
export function assertSupported(key: KeyObject): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key
  if (type === 'ed25519') return
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= MIN_RSA_BITS) return
  throw new Error(`Ed25519, ECDSA on P-256 or RSA of ${MIN_RSA_BITS} bits is expected.`)
}

/** The key in one line of a `.pub` file: type, base64, comment. Undefined for any other text. */
export function sshPublicBlob(text: string): Buffer | undefined {
  const [type = '', data = ''] = text.trim().split(/\s+/)
  if (!SSH_TYPES.includes(type) || text.trim().includes('\n')) return undefined
  const blob = Buffer.from(data, 'base64')
  return new WireReader(blob).text() === type ? blob : undefined
}

function openSshPrivateKey(text: string): KeyObject {
  const bytes = Buffer.from(OPENSSH.exec(text)?.[1] ?? '', 'base64')
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) throw new Error('It is not an OpenSSH private key.')
  const reader = new WireReader(bytes.subarray(MAGIC.length))
  const cipher = reader.text()
  if (cipher !== 'none')
    throw unusable(
      'The key has a passphrase.',
      "Add it with 'ssh-add', then give the file of its public half with --key.",
    )
  reader.string()
  reader.string()
  if (reader.uint32() !== 1) throw new Error('It has more than one key.')
  reader.string()
  const section = new WireReader(reader.string())
  const [one, two] = [section.uint32(), section.uint32()]
  if (one !== two) throw new Error('It is damaged.')
  return privateKeyOf(section)
}

function unusable(
  message: string,
  hint = 'A private key in PEM or OpenSSH form is expected, or the .pub of a key in ssh-agent.',
): EscrowError {
  return new EscrowError('unsupported', message, { hint })
}
