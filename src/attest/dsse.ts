import { z } from 'zod'
import { EscrowError } from '../core/api-error.js'
import { bytesOf } from './base64.js'
import { isSignedBy, type Signer } from './signer.js'
import type { TrustedKeys } from './trusted-keys.js'

/** DSSE envelopes (Dead Simple Signing Envelope, v1.0.2). */

export const PAYLOAD_TYPE = 'application/vnd.in-toto+json'
const MAX_SIGNATURES = 64
/** Bytes that are hashed to check signatures: each signature is tried with each key. */
const MAX_HASHED = 4 * 1024 ** 3

const envelope = z.object({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z
    .array(z.object({ keyid: z.string().optional(), sig: z.string() }))
    .min(1)
    .max(MAX_SIGNATURES),
})

export type Envelope = z.output<typeof envelope>

/** The bytes that a signature covers: the type and the payload, each with its length. */
function preAuthEncoding(payloadType: string, payload: Buffer): Buffer {
  const head = `DSSEv1 ${Buffer.byteLength(payloadType)} ${payloadType} ${payload.length} `
  return Buffer.concat([Buffer.from(head), payload])
}

export async function sealStatement(statement: unknown, signers: readonly Signer[]): Promise<Envelope> {
  const payload = Buffer.from(JSON.stringify(statement))
  const message = preAuthEncoding(PAYLOAD_TYPE, payload)
  const signatures: Envelope['signatures'] = []
  for (const signer of signers) {
    signatures.push({ keyid: signer.keyid, sig: (await signer.sign(message)).toString('base64') })
  }
  return { payloadType: PAYLOAD_TYPE, payload: payload.toString('base64'), signatures }
}

export interface Opened {
  readonly payload: Buffer
  readonly payloadType: string
  /** The trusted keys that signed, by fingerprint. */
  readonly signedBy: readonly string[]
  /** The key ids, as the envelope states them, of signatures that no trusted key confirms. */
  readonly unconfirmed: readonly string[]
}

/**
 * Reads an envelope and checks its signatures. The key ids in it are hints that nobody signed: each signature is tried with every
 * trusted key.
 * @throws EscrowError `unsupported` for a text that is not an envelope
 */
export function openEnvelope(text: string, trusted: TrustedKeys): Opened {
  const { payloadType, payload: encoded, signatures } = envelopeIn(text)
  const payload = bytesOf(encoded)
  if (payload === undefined) throw notAnEnvelope('its payload is not base64')
  const message = preAuthEncoding(payloadType, payload)
  if (message.length * signatures.length * trusted.size > MAX_HASHED)
    throw new EscrowError(
      'unsupported',
      `${payload.length} bytes with ${signatures.length} signatures are too much to check with ${trusted.size} keys.`,
      { hint: 'Name only the keys of its signers.' },
    )
  const signedBy = new Set<string>()
  const unconfirmed: string[] = []
  for (const { keyid, sig } of signatures) {
    const signature = bytesOf(sig)
    const by = [...trusted].find(([, { key }]) => signature !== undefined && isSignedBy(key, message, signature))
    if (by === undefined) unconfirmed.push(keyid ?? '')
    else signedBy.add(by[0])
  }
  return { payload, payloadType, signedBy: [...signedBy], unconfirmed }
}

function envelopeIn(text: string): Envelope {
  try {
    return envelope.parse(JSON.parse(text))
  } catch (cause) {
    throw notAnEnvelope('it has no payloadType, payload and signatures', cause)
  }
}

function notAnEnvelope(why: string, cause?: unknown): EscrowError {
  return new EscrowError('unsupported', `This is not a DSSE envelope: ${why}.`, {
    hint: "'escrow attest' writes one.",
    cause,
  })
}
