import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { openEnvelope, PAYLOAD_TYPE } from '../../src/attest/dsse.js'

it('an envelope that would take hours to check is refused at once', () => {
  const { publicKey: key } = generateKeyPairSync('ed25519')
  const trusted = new Map(Array.from({ length: 100 }, (_, index) => [`key ${index}`, { key, names: ['ada'] }]))
  const signatures = (count: number) =>
    Array.from({ length: count }, () => ({ sig: Buffer.alloc(64).toString('base64') }))
  const text = (bytes: number, count: number) =>
    JSON.stringify({
      payloadType: PAYLOAD_TYPE,
      payload: Buffer.alloc(bytes).toString('base64'),
      signatures: signatures(count),
    })
  expect(() => openEnvelope(text(1024 ** 2, 64), trusted)).toThrow(
    expect.objectContaining({ reason: 'unsupported', message: expect.stringContaining('64 signatures') }),
  )
  expect(openEnvelope(text(1024, 64), trusted)).toMatchObject({ signedBy: [], payload: Buffer.alloc(1024) })
})
