import { createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { attestScene, KEY_TYPES, pemKey } from '../attest/scene.js'
import { installLibraries } from './installed.js'

/**
 * Attestations, checked by sigstore's own verifier for JavaScript. It reads the envelopes of DSSE that cosign reads, and npm checks the
 * provenance of packages with it.
 */

const load = createRequire(join(installLibraries(), 'package.json'))

/** A bundle of sigstore with our envelope as it is, for a key that the verifier trusts. */
function bundleOf(envelope: unknown): unknown {
  return {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: 'ada' }, tlogEntries: [] },
    dsseEnvelope: envelope,
  }
}

/** Returns whether sigstore accepts an envelope by a key. */
function accepts(envelope: unknown, pub: string): boolean {
  const { bundleFromJSON } = load('@sigstore/bundle')
  const { Verifier, toSignedEntity, toTrustMaterial } = load('@sigstore/verify')
  const publicKey = createPublicKey(readFileSync(pub))
  const trusted = toTrustMaterial(
    { mediaType: '', tlogs: [], ctlogs: [], certificateAuthorities: [], timestampAuthorities: [] },
    () => ({
      publicKey,
      validFor: () => true,
    }),
  )
  const verifier = new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 })
  try {
    return verifier.verify(toSignedEntity(bundleFromJSON(bundleOf(envelope)))).key !== undefined
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SIGNATURE_ERROR') return false
    throw error
  }
}

describe("an attestation in sigstore's verifier", () => {
  it.each(KEY_TYPES)('is accepted unchanged by the key that signed it, and refused otherwise: %s', async (type) => {
    const fixture = await attestScene()
    const { key, pub } = pemKey(fixture.dir, type)
    const file = join(fixture.dir, 'commit.json')
    expect(await fixture.escrow('attest', fixture.commit, '--key', key, '--out', file)).toMatchObject({ code: 0 })
    const envelope = JSON.parse(readFileSync(file, 'utf8'))
    expect(accepts(envelope, pub)).toBe(true)
    const statement = JSON.parse(Buffer.from(envelope.payload, 'base64').toString())
    statement.subject[0].digest.sha256 = '0'.repeat(64)
    const payload = Buffer.from(JSON.stringify(statement)).toString('base64')
    expect(accepts({ ...envelope, payload }, pub)).toBe(false)
    expect(accepts({ ...envelope, payloadType: 'text/plain' }, pub)).toBe(false)
    const other = pemKey(mkdtempSync(join(fixture.dir, 'other-')), type)
    expect(accepts(envelope, other.pub)).toBe(false)
  })
})
