import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { codeOf } from '../../overlay/index.js'
import type { SigningKey } from '../core/api.js'
import { stateDir } from '../os/state-dir.js'
import { createDurable, ensurePrivateDir } from '../os/write.js'

/** Ed25519 keys (RFC 8032) that sign checkpoints. They are stored outside every workspace. */

const PRIVATE = 'ed25519.pem'
const PUBLIC = '.pub.pem'

/** The fields that a checkpoint signs. */
export interface Signed {
  readonly ledger: string
  readonly seq: number
  readonly hash: string
}

/**
 * Makes the key of this user unless there is one. Public keys of others belong in the same directory, as
 * `NAME.pub.pem`.
 */
export function makeSigningKey(): SigningKey {
  return makeKey(join(stateDir(), 'keys'))
}

/** As {@link makeSigningKey}, for the key with which this user decides without a terminal. */
export function makeReviewerKey(): SigningKey {
  return makeKey(reviewersDir())
}

/**
 * Whether the public half of a private key file is among the trusted reviewers' keys. Throws if the file is not a key.
 */
export function isReviewerKey(file: string): boolean {
  return knownKeys(reviewersDir()).has(fingerprintOf(createPublicKey(createPrivateKey(readFileSync(file)))))
}

const reviewersDir = () => join(stateDir(), 'keys', 'reviewers')

function makeKey(dir: string): SigningKey {
  ensurePrivateDir(dir)
  const file = join(dir, PRIVATE)
  const created = !existsSync(file)
  if (created) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    // The public half first: a signature must always have a key that checks it.
    createOnce(join(dir, `own${PUBLIC}`), publicKey.export({ type: 'spki', format: 'pem' }))
    createOnce(file, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  }
  const publicKey = createPublicKey(createPrivateKey(readFileSync(file)))
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
  return { file, created, fingerprint: fingerprintOf(publicKey), publicKey: pem }
}

/** The key of this user that {@link makeSigningKey} made; undefined if there is none. Throws if its file is not a key. */
export function readSigningKey(): KeyObject | undefined {
  const file = join(stateDir(), 'keys', PRIVATE)
  return existsSync(file) ? createPrivateKey(readFileSync(file)) : undefined
}

/** Signs with this user's key; undefined if there is none. */
export function signHead(head: Signed): { key: string; signature: string } | undefined {
  // A broken key file must not make a decided commit fail permanently.
  const key = ignoringErrors(() => createPrivateKey(readFileSync(join(stateDir(), 'keys', PRIVATE))))
  return (
    key && { key: fingerprintOf(createPublicKey(key)), signature: sign(null, messageOf(head), key).toString('base64') }
  )
}

/** The known public keys, by fingerprint. */
export function knownKeys(dir = join(stateDir(), 'keys')): ReadonlyMap<string, KeyObject> {
  const files = namesIn(dir).filter((name) => name.endsWith(PUBLIC))
  const keys = files.flatMap((name) => ignoringErrors(() => createPublicKey(readFileSync(join(dir, name)))) ?? [])
  return new Map(keys.map((key) => [fingerprintOf(key), key]))
}

export function isSigned(head: Signed, signature: string, key: KeyObject): boolean {
  return verify(null, messageOf(head), key, Buffer.from(signature, 'base64'))
}

function messageOf({ ledger, seq, hash }: Signed): Buffer {
  return Buffer.from(`escrowfs checkpoint 1\n${ledger}\n${seq}\n${hash}\n`)
}

/** A fingerprint as OpenSSH shows it: SHA-256 of the public half in base64, here in SPKI form. */
export function fingerprintOf(key: KeyObject): string {
  const sum = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')
  return `SHA256:${sum.replace(/=+$/, '')}`
}

function createOnce(file: string, content: string | Buffer): void {
  try {
    createDurable(file, content, 0o600)
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
  }
}

function ignoringErrors<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

function namesIn(dir: string): string[] {
  try {
    return readdirSync(dir)
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return []
    throw error
  }
}
