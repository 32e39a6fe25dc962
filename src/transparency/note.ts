import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'

/** Signed notes (C2SP signed-note v1.0.0): a text, an empty line, and signature lines. Keys are Ed25519. */

/** The signature types of a key: of a log, and of a witness (C2SP tlog-cosignature). */
export const LOG_KEY = 1
export const WITNESS_KEY = 4
export type KeyType = typeof LOG_KEY | typeof WITNESS_KEY

export interface NoteKey {
  readonly name: string
  readonly type: KeyType
  readonly key: KeyObject
  /** Four bytes that say which key of that name it is. */
  readonly id: Buffer
}

export interface NoteSignature {
  readonly name: string
  readonly id: Buffer
  /** Without the key's id. */
  readonly bytes: Buffer
}

export interface Note {
  /** With the line feed at its end. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

const KEY_BYTES = 32
const MAX_SIGNATURES = 100
const NAME = /^[^\s+]+$/u
const LINE = /^\u2014 ([^\s+]+) ([A-Za-z0-9+/]+={0,2})$/u

export function isKeyName(name: string): boolean {
  return NAME.test(name)
}

/** The key of a name. Also of a private key, for its public half. */
export function noteKey(name: string, type: KeyType, key: KeyObject): NoteKey {
  const publicKey = key.type === 'private' ? createPublicKey(key) : key
  const id = createHash('sha256').update(`${name}\n`).update(material(type, publicKey)).digest().subarray(0, 4)
  return { name, type, key: publicKey, id }
}

/** A key in one line: `NAME+ID+BASE64`. */
export function formatKey({ name, type, key, id }: NoteKey): string {
  return `${name}+${id.toString('hex')}+${material(type, key).toString('base64')}`
}

/** Reads a key in one line; undefined if it is none, or of another algorithm. */
export function parseKey(text: string): NoteKey | undefined {
  const match = /^([^\s+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/u.exec(text.trim())
  if (match === null) return undefined
  const [, name = '', id = '', data = ''] = match
  const bytes = Buffer.from(data, 'base64')
  const type = bytes[0]
  if (bytes.length !== 1 + KEY_BYTES || (type !== LOG_KEY && type !== WITNESS_KEY)) return undefined
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: bytes.subarray(1).toString('base64url') }
  const key = noteKey(name, type, createPublicKey({ key: jwk, format: 'jwk' }))
  return key.id.toString('hex') === id ? key : undefined
}

function material(type: KeyType, key: KeyObject): Buffer {
  return Buffer.concat([Buffer.from([type]), Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url')])
}

export function formatNote({ text, signatures }: Note): string {
  const lines = signatures.map(
    ({ name, id, bytes }) => `\u2014 ${name} ${Buffer.concat([id, bytes]).toString('base64')}\n`,
  )
  return `${text}\n${lines.join('')}`
}

/** Reads a note; undefined if it is malformed. Says nothing about its signatures. */
export function parseNote(content: string): Note | undefined {
  const end = content.lastIndexOf('\n\n')
  if (end === -1 || !content.endsWith('\n')) return undefined
  const text = content.slice(0, end + 1)
  const lines = content.slice(end + 2, -1).split('\n')
  if (lines.length > MAX_SIGNATURES) return undefined
  const signatures = lines.flatMap((line) => signatureIn(line) ?? [])
  return signatures.length === lines.length ? { text, signatures } : undefined
}

function signatureIn(line: string): NoteSignature | undefined {
  const [, name = '', data = ''] = LINE.exec(line) ?? []
  const bytes = Buffer.from(data, 'base64')
  if (name === '' || bytes.length < 5 || bytes.toString('base64') !== data) return undefined
  return { name, id: bytes.subarray(0, 4), bytes: bytes.subarray(4) }
}

export function signNote(text: string, name: string, key: KeyObject): NoteSignature {
  return { name, id: noteKey(name, LOG_KEY, key).id, bytes: sign(null, Buffer.from(text), key) }
}

/** The witness's statement that, at a time, it saw the text's tree and no larger one. */
export function cosignNote(text: string, name: string, key: KeyObject, now: Date): NoteSignature {
  const seconds = BigInt(Math.floor(now.getTime() / 1000))
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(seconds)
  const bytes = Buffer.concat([time, sign(null, cosignedMessage(text, seconds), key)])
  return { name, id: noteKey(name, WITNESS_KEY, key).id, bytes }
}

function cosignedMessage(text: string, seconds: bigint): Buffer {
  return Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
}

/** Whether a key has signed a note. A signature that names the key and does not fit it counts as none. */
export function hasSigned({ text, signatures }: Note, { name, type, key, id }: NoteKey): boolean {
  const ours = signatures.filter((each) => each.name === name && each.id.equals(id))
  return ours.some(({ bytes }) => {
    if (type === LOG_KEY) return verify(null, Buffer.from(text), key, bytes)
    return bytes.length > 8 && verify(null, cosignedMessage(text, bytes.readBigUInt64BE(0)), key, bytes.subarray(8))
  })
}
